"""Instances in the order of time: which columns order them, and the Diebold-Mariano test in comparison and texts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_pinball_loss

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError
from stats_core.data.settings import Settings
from stats_core.inference.paired.forecast_test import diebold_mariano
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, read_results
from stats_core.report.advice import advice_on
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.reproduce import to_script

N = 60


def table_of(rho=0.0, seed=0):
    """Return predictions of three models for 60 days, with autoregressive errors."""
    rng = np.random.default_rng(seed)
    true, days = rng.normal(50, 9, N), pd.date_range("2026-01-01", periods=N).strftime("%Y-%m-%d")
    rows = []
    for name, spread in (("a", 1.0), ("b", 1.1), ("c", 4.0)):
        noise = rng.normal(0, spread, N)
        for i in range(1, N):
            noise[i] += rho * noise[i - 1]
        rows.append(
            pd.DataFrame({"model": name, "day": days, "true": true, "predicted": true + noise})
        )
    return pd.concat(rows, ignore_index=True)


def read(table, **mapping):
    return read_results(
        ("rain.csv", table.to_csv(index=False).encode()), mapping=Mapping(**mapping)
    )


@pytest.mark.parametrize("measure", ["rmse", "mae", "r2"])
def test_losses_in_the_order_of_time_are_tested_by_diebold_and_mariano(measure):
    table = table_of().rename(columns={"day": "date"})
    mixed = table.sample(frac=1, random_state=0)  # time orders the instances, not the rows
    found = analyse(read(mixed), Settings(measure=measure, pair=("a", "c"), horizon=2))
    errors = [
        (block["predicted"] - block["true"]).to_numpy()
        for name, block in table.groupby("model")
        if name != "b"
    ]
    losses = [np.abs(error) if measure == "mae" else error**2 for error in errors]
    expected = diebold_mariano(*losses, horizon=2)
    sign, test = found.turned("a", "c")
    assert found.way == "diebold-mariano"
    assert test.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert abs(test.statistic) == pytest.approx(abs(expected.statistic), rel=1e-9)
    assert sign * test.estimate == pytest.approx(found.values["a"] - found.values["c"], abs=1e-12)
    assert (test.low > 0 or test.high < 0) == (test.pvalue <= 0.05)


def test_times_are_found_set_and_left_out():
    table = table_of().assign(instance=np.tile(np.arange(N), 3))
    named = table.rename(columns={"day": "timestamp"})
    roles = describe_columns(("rain.csv", named.to_csv(index=False).encode())).set_index("column")[
        "meaning"
    ]
    assert roles["timestamp"] == "time"
    assert analyse(read(named)).way == "diebold-mariano"
    assert analyse(read(named, roles={"timestamp": "ignore"})).way == "swaps"
    assert analyse(read(table)).way == "swaps"
    assert analyse(read(table, roles={"day": "time"})).way == "diebold-mariano"
    repeated = named.assign(
        timestamp=np.tile(np.arange(N) // 2, 3)
    )  # several instances at one time
    assert analyse(read(repeated)).way == "swaps"
    patients = read(
        named.assign(patient=np.tile(np.arange(N) // 4, 3)), roles={"patient": "cluster"}
    )
    assert analyse(patients).way == "clusters"
    with pytest.raises(DataError, match="ISO date"):
        read(table.assign(day="x" + table["day"]), roles={"day": "time"})


def test_texts_name_the_test_the_horizon_and_correlated_errors():
    results = read(table_of(0.95).rename(columns={"day": "date"}))
    found = analyse(results, Settings(measure="mae"))
    methods = methods_paragraph(found)
    assert "Diebold-Mariano test" in methods
    assert "horizon" not in methods
    assert (
        "losses compared were absolute errors. Their differences were assumed stationary."
        in methods
    )
    assert "fixed-b critical values" in methods
    assert "at other times of the same stationary process" in methods
    assert "squared errors" in methods_paragraph(analyse(results, Settings(measure="rmse")))
    assert "correlated in time" not in [note.code for note in found.notes]
    within = analyse(results, Settings(measure="mae", horizon=2))
    assert "horizon 2, two-sided" in methods_paragraph(within)
    assert "uncorrelated over 2 or more steps" in methods_paragraph(within)
    (note,) = [note for note in within.notes if note.code == "correlated in time"]
    assert note["lag"] == 2
    assert 0.3 < note["correlation"] < 1
    assert "horizon=2" in to_script(analyse(results, Settings(measure="mae", horizon=2)))
    advice = advice_on(found)
    assert advice.test.startswith("Diebold-Mariano test")
    assert "Errors close in time may be correlated" in " ".join(advice.because)
    assert ("Paired permutation test", "It assumes that instances are exchangeable.") in [
        (name, reason.partition(" To use")[0]) for name, reason in advice.alternatives
    ]
    assert found.rank_intervals() is None  # these assume independent instances


@pytest.mark.parametrize("key", ["instance", "date"])
def test_pinball_losses_are_computed_from_predicted_quantiles(key):
    rng = np.random.default_rng(0)
    table = (
        table_of()
        .rename(columns={"day": "date"})
        .assign(instance=np.tile(np.arange(N), 3))[["model", key, "true"]]
    )
    parts = [
        table.assign(quantile=p, prediction=table["true"] + rng.normal(size=3 * N))
        for p in (0.1, 0.5, 0.8)
    ]
    rows = pd.concat(parts).sample(frac=1, random_state=0)
    results = read(rows)
    found = analyse(results)
    for name, block in rows.groupby("model"):
        losses = [
            mean_pinball_loss(of["true"], of["prediction"], alpha=float(p))
            for p, of in block.groupby("quantile")
        ]
        assert found.values[name] == pytest.approx(np.mean(losses), rel=1e-12)
    assert results.directions == {"pinball_loss": "lower"}
    assert found.way == ("diebold-mariano" if key == "date" else "swaps")
    assert "at 0.1, 0.5 and 0.8 and averaged over the levels." in " ".join(map(str, results.notes))
    with pytest.raises(DataError, match="one prediction of every quantile"):
        read(rows.iloc[1:])


@pytest.mark.parametrize("loss", ["pinball_loss", "crps"])
def test_losses_of_instances_may_exceed_one(loss):
    rng = np.random.default_rng(0)
    names, queries = np.repeat(["a", "b"], 120), np.tile(np.arange(120), 2)
    found = analyse(
        read(pd.DataFrame({"model": names, "query_id": queries, loss: rng.exponential(3, 240)}))
    )
    assert (found.way, found.higher_is_better) == ("swaps", False)
