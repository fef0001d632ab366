"""Long predictions: one row per instance and algorithm, with true label and prediction or score."""

from collections.abc import Iterator

import numpy as np

from stats_core.io.class_scores import class_scores
from stats_core.io.problems import question_of, role_reason
from stats_core.io.profile import FEW, Profile
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutHypothesis, observed


def match_long_predictions(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose instances in rows, recognized by names or by a column of correctness."""
    named = profile.named
    roles = set(named.values())
    if "result" in roles:
        return
    truth = next((n for n, role in named.items() if role == "true"), "")
    classes = class_scores(profile.table, truth) if truth else {}
    if truth and ({"predicted", "score"} & roles or classes):
        yield _by_names(profile, named, truth, [n for n in classes if n not in profile.said])
        return
    yield from _by_agreement(profile)


def _by_names(
    profile: Profile, named: dict[str, str], truth: str, classes: list[str]
) -> LayoutHypothesis:
    if "score" in named.values():
        classes = []  # a score column takes precedence over class probabilities
    evidence = [observed(STRONG, "truth named", column=truth)]
    evidence += [
        observed(FAIR, "algorithms named", column=n) for n, r in named.items() if r == "algorithm"
    ]
    evidence += [
        observed(FAIR, "prediction named", column=n)
        for n, r in named.items()
        if r in ("predicted", "score")
    ]
    evidence += [observed(FAIR, "class columns", columns=tuple(classes))] if classes else []
    ignored = dict.fromkeys(profile.columns, "ignore")
    roles = ignored | dict.fromkeys(classes, "score") | {n: r for n, r in named.items()}
    instance_column = _case_column(profile, named, truth)
    if instance_column:
        roles[instance_column] = "instance"
        evidence.append(observed(NAME, "shared cases", column=instance_column))
    reasons = {
        n: "shared case" if n == instance_column else _why(profile, n, roles[n], classes)
        for n in roles
    }
    return LayoutHypothesis(
        layout="predictions",
        roles=roles,
        reasons={n: role_reason(why) for n, why in reasons.items()},
        evidence=tuple(evidence),
    )


def _case_column(profile: Profile, named: dict[str, str], truth: str) -> str:
    """Return the only column that identifies the instances of each algorithm, "" if none."""
    algorithm = next((n for n, role in named.items() if role == "algorithm"), "")
    if not algorithm or "instance" in named.values():
        return ""
    keys = [
        n for n, role in named.items() if role in ("dataset", "algorithm", "repetition", "fold")
    ]
    other_keys = [n for n in keys if n != algorithm]
    n_algorithms = (
        profile.frame.groupby(other_keys)[algorithm].nunique().max() if other_keys else None
    )
    candidates = []
    for name, column in profile.columns.items():
        if name in named or column.is_empty or column.distinct <= profile[algorithm].distinct:
            continue
        if not profile.unique([*keys, name]):
            continue
        by_instance = profile.frame.groupby([*other_keys, name])
        shared = by_instance[algorithm].nunique() == (n_algorithms or profile[algorithm].distinct)
        if (
            shared.all()
            and (by_instance[truth].nunique() == 1).all()
            and len(shared) < len(by_instance.obj)
        ):
            candidates.append(name)
    return candidates[0] if len(candidates) == 1 else ""


def _why(profile: Profile, name: str, role: str, classes: list[str]) -> str:
    if name in profile.said:
        return "said"
    if name in classes:
        return "score of a class"
    if role != "ignore":
        return "name"
    return "not needed"  # only the first rows of large files are profiled


def _by_agreement(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose predictions if one of three columns states where the other two agree."""
    categorical = [
        n for n, c in profile.columns.items() if 2 <= c.distinct <= FEW and not c.is_unique
    ]
    cells = {n: profile.frame[n].to_numpy(dtype=object) for n in categorical}
    for correct_column in categorical:
        is_correct = _as_yes(cells[correct_column])
        if is_correct is None:
            continue
        for i, a in enumerate(categorical):
            for b in categorical[i + 1 :]:
                if correct_column in (a, b) or {a, b} & set(profile.said):
                    continue
                agrees = cells[a] == cells[b]
                if (agrees == is_correct).mean() >= 0.98 and 0.02 < agrees.mean() < 1:
                    yield from _of_triple(profile, correct_column, a, b)
                    return


def _as_yes(texts: np.ndarray) -> np.ndarray | None:
    """Return a column of two words as booleans, None for any other column."""
    words = {text.lower() for text in set(texts)}
    for yes_word, no_word in (
        ("1", "0"),
        ("true", "false"),
        ("yes", "no"),
        ("1.0", "0.0"),
        ("correct", "wrong"),
    ):
        if words == {yes_word, no_word}:
            return np.array([text.lower() == yes_word for text in texts])
    return None


def _of_triple(profile: Profile, correct_column: str, a: str, b: str) -> Iterator[LayoutHypothesis]:
    """Propose algorithm and instance columns that are unique together."""
    keys = [
        n for n, c in profile.columns.items() if n not in (correct_column, a, b) and c.distinct > 1
    ]
    for instance_column in sorted(keys, key=lambda n: -profile[n].distinct):
        for truth, predicted in ((b, a), (a, b)):
            if not profile.determines(instance_column, truth):
                continue
            algorithm_columns = [
                n
                for n in keys
                if n != instance_column
                and profile.unique([n, instance_column])
                and profile[n].distinct < profile[instance_column].distinct
            ]
            if algorithm_columns:
                yield _asking(
                    profile, correct_column, truth, predicted, instance_column, algorithm_columns[0]
                )
                return
            if profile[instance_column].is_unique:
                return


def _asking(
    profile: Profile,
    correct_column: str,
    truth: str,
    predicted: str,
    instance_column: str,
    algorithm_column: str,
) -> LayoutHypothesis:
    roles = dict.fromkeys(profile.columns, "ignore")
    roles |= {
        truth: "true",
        predicted: "predicted",
        instance_column: "instance",
        algorithm_column: "algorithm",
    }
    reasons = {
        truth: "truth",
        predicted: "labels of a model",
        instance_column: "case",
        algorithm_column: "needed key",
    }
    question = question_of(
        "right answers",
        algorithm=algorithm_column,
        correct_column=correct_column,
        predicted=predicted,
        truth=truth,
    )
    return LayoutHypothesis(
        layout="predictions",
        roles=roles,
        reasons={n: role_reason(reasons.get(n, "not needed")) for n in profile.columns},
        evidence=(
            observed(2 * STRONG, "right answers", right=correct_column, columns=(predicted, truth)),
            observed(NAME, "case column", column=instance_column),
        ),
        asks=(question,),
    )
