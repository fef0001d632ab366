"""Figures: one `FigureSpec` per figure, with its numbers, Plotly figure, caption and alternative text.

Figures draw what `stats_core` has computed: apart from `glossary_pictures`, no module here runs a
test. None imports streamlit.
"""
