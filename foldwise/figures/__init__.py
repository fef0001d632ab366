"""Plotly figures of Foldwise.

Builders are pure functions from plain data to :class:`plotly.graph_objects.Figure`. They never
compute tests, ranks or corrections, and nothing here imports streamlit.
"""
