"""Plotly figures of Foldwise.

Builders are pure: plain data in, a :class:`plotly.graph_objects.Figure` out. They draw what
they are given and never test, rank or correct anything; nothing here imports streamlit.
"""
