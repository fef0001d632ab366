"""What the frame changes in Streamlit's own looks, as CSS."""

from foldwise.figures.theme import screen

# Streamlit writes what is chosen in the primary colour, often on a tint of it, and captions at an
# opacity of 0.6: below 4.5 to 1, where they cannot be read well. With these both can.
CHOSEN = (
    "button:is([data-variant=segmented_control], [data-variant=pills])"
    "[data-selected=true]:not([data-disabled]), [data-testid=stTab][aria-selected=true] p, "
    "[data-testid=stSliderThumbValue] p"
)
CHOSEN_TEXT = {True: "#6DB3E8", False: "#005E94"}  # by whether the theme is dark
# Streamlit's greens and greys in code are too faint to be read: the language's own words are
# in one colour, the rest in the ink.
CODE = (
    "[data-testid=stCode] .token.token.token {{ color: {rest}; }} "
    "[data-testid=stCode] .token.token.token.token:is(.keyword, .function) {{ color: {words}; }}"
)
# Titles of figures follow that of the page as its next level, in less space than Streamlit gives it.
HEADINGS = "[data-testid=stMarkdownContainer] h2 { padding: 0.25rem 0 0.5rem; }"
# So that the first figure is in sight: less between verdict, tabs and what they hold.
CLOSER = ".st-key-verdict { padding-top: 0.5rem; padding-bottom: 0; } [role=tabpanel] { padding-top: 0.25rem; }"
FINDINGS = '[class*="st-key-finding_"] button { justify-content: flex-start; text-align: left; }'
SCRIPT = ".st-key-figures_script { display: none; }"  # nothing to see, and no gap
# Streamlit keeps 200 px beside the bar free; in a narrow window the last pages would fall into a menu.
# The margins of a page are for wide windows; in a narrow one tables need them.
BAR = (
    "@media (max-width: 1200px) { "
    '[data-testid="stTopNav"] + div { min-width: 3rem; } '
    '[data-testid="stTopNav"] { padding-left: 8px; padding-right: 8px; } '
    '[data-testid="stTopNavLink"] { padding-left: 4px; padding-right: 4px; } } '
    "@media (min-width: 768px) and (max-width: 1200px) { "
    "[data-testid=stMainBlockContainer] { padding-left: 2rem; padding-right: 2rem; } } "
    '[data-testid="stPageLink-NavLink"] * { white-space: normal; }'
)
# Panels side by side are not squeezed into a narrow window, they are moved along, as tables are;
# that there is more is said, since browsers hide the bars.
PANELS = '[class*="st-key-figure_"]:is([class*="_panels"], [class*="figure_distances"])'
MORE = (
    "::before {{ content: '{}'; position: sticky; left: 0; font-size: 0.8125rem; opacity: 0.85; }}"
)
PANELS_MORE = MORE.format("There is more at the right: move it sideways.")
COLUMNS_MORE = MORE.format("More columns at the right: move the table sideways.")
NARROW = (
    f"@media (max-width: 640px) {{ {PANELS} {{ overflow-x: auto; }} {PANELS} > div {{ min-width: 560px; }} "
    f"{PANELS}{PANELS_MORE} [class*=st-key-some_columns]{COLUMNS_MORE} }} "
    f"@media (max-width: 1100px) {{ [class*=st-key-many_columns]{COLUMNS_MORE} }}"
)


def page_css(dark: bool) -> str:
    """Return the rules of all pages in the light or the dark theme."""
    return " ".join(
        [
            f"{CHOSEN} {{ color: {CHOSEN_TEXT[dark]}; }}",
            CODE.format(rest=screen(dark).second, words=CHOSEN_TEXT[dark]),
            f"[data-testid=stCaptionContainer] {{ color: {screen(dark).second}; opacity: 1; }}",
            *(HEADINGS, CLOSER, FINDINGS, SCRIPT, BAR, NARROW),
        ]
    )
