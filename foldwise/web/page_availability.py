"""Which pages have nothing to say about the open results; the bar marks them."""

from foldwise.web import inputs, session
from stats_core.comparison.compare_instances import can_test_cases
from stats_core.curves.thresholds import needs_scores
from stats_core.data.published import DECISIONS


def unfit_pages(context: session.Context) -> frozenset[str]:
    """Return the pages, by the names of their files, that can only say what they need."""
    if context.read is None or context.results is None:
        return frozenset()
    results = inputs.kept_input(context)
    published, two = results.published, len(results.algorithms) > 1
    given, folds = published is None, bool(results.with_folds)
    many = len(results.datasets) > 1
    fit = {
        "pair": given
        and two
        and (many or folds or any(can_test_cases(results, name) for name in results.datasets)),
        "one_data_set": given and folds,
        "multivariate": given and folds and inputs.several_measures(results),
        "curves": given and not needs_scores(context.read),
        "many_data_sets": given and many and two,
        "ordering": two
        and (published is None or (published.what == DECISIONS and published.sided)),
    }
    return frozenset(page for page, fits in fit.items() if not fits)


def mark_unavailable_pages(pages: frozenset[str]) -> str:
    """Return the style that marks these pages in the bar; a screen reader says what it means.

    Examples
    --------
    >>> mark_unavailable_pages(frozenset())
    ''
    """
    if not pages:
        return ""
    links = ", ".join(f'[data-testid="stTopNavLink"][href$="/{page}"]' for page in sorted(pages))
    after = ", ".join(
        f'[data-testid="stTopNavLink"][href$="/{page}"]::after' for page in sorted(pages)
    )
    return (
        f"{links} {{ position: relative; font-style: italic; }} "
        f"{after} {{ content: '\N{CIRCLED DIVISION SLASH}' / ' (needs other results)'; "
        "position: absolute; top: 0; right: -2px; font-size: 10px; }"
    )
