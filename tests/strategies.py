"""Hypothesis strategies shared by tests."""

import pandas as pd
from hypothesis import settings
from hypothesis import strategies as st

# For properties of which one example takes a tenth of a second, such as reading a file.
few_examples = settings(max_examples=settings.default.max_examples // 3)

names = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8
).filter(lambda text: text.casefold() == text and not text.isdigit())


@st.composite
def long_tables(draw):
    """Draw errors on folds of few algorithms on few data sets, with some missing runs and a cost."""
    datasets = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    algorithms = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    folds = draw(st.integers(1, 4))
    rows = [
        (dataset, algorithm, str(fold), draw(st.integers(0, 1000)) / 1000)
        for dataset in datasets
        for algorithm in algorithms
        for fold in range(1, folds + 1)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "error"])
    table["train_s"] = draw(st.integers(1, 99)) / 10
    table["speed (higher is better)"] = range(len(table))
    failed = draw(st.lists(st.integers(0, len(table) - 1), max_size=2))
    table.loc[failed, "error"] = None
    return table
