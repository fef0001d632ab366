"""One row per case and algorithm: the truth beside the label or the score."""

from collections.abc import Iterator

import numpy as np

from stats_core.io.class_scores import class_scores
from stats_core.io.layouts.layout_messages import ask, role_reason, weighted_observation
from stats_core.io.profile import FEW, Profile
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutHypothesis


def match_long_predictions(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose cases in rows, told by names or by one column saying where two others agree."""
    named = profile.named
    given = set(named.values())
    if "result" in given:
        return
    truth = next((n for n, role in named.items() if role == "true"), "")
    classes = class_scores(profile.table, truth) if truth else {}
    if truth and ({"predicted", "score"} & given or classes):
        yield _by_names(profile, named, truth, [n for n in classes if n not in profile.said])
        return
    yield from _by_agreement(profile)


def _by_names(
    profile: Profile, named: dict[str, str], truth: str, classes: list[str]
) -> LayoutHypothesis:
    if "score" in named.values():
        classes = []  # a score of its own is taken before those of the classes
    seen = [weighted_observation(STRONG, "truth named", column=truth)]
    seen += [
        weighted_observation(FAIR, "algorithms named", column=n)
        for n, r in named.items()
        if r == "algorithm"
    ]
    seen += [
        weighted_observation(FAIR, "prediction named", column=n)
        for n, r in named.items()
        if r in ("predicted", "score")
    ]
    seen += [weighted_observation(FAIR, "class columns", columns=tuple(classes))] if classes else []
    rest = dict.fromkeys(profile.columns, "ignore")
    roles = rest | dict.fromkeys(classes, "score") | {n: r for n, r in named.items()}
    case = _case_column(profile, named, truth)
    if case:
        roles[case] = "instance"
        seen.append(weighted_observation(NAME, "shared cases", column=case))
    whys = {n: "shared case" if n == case else _why(profile, n, roles[n], classes) for n in roles}
    return LayoutHypothesis(
        layout="predictions",
        roles=roles,
        reasons={n: role_reason(why) for n, why in whys.items()},
        evidence=tuple(seen),
    )


def _case_column(profile: Profile, named: dict[str, str], truth: str) -> str:
    """Find the one column that tells the rows of each algorithm apart, the same for all of them."""
    algorithm = next((n for n, role in named.items() if role == "algorithm"), "")
    if not algorithm or "instance" in named.values():
        return ""
    keys = [
        n for n, role in named.items() if role in ("dataset", "algorithm", "repetition", "fold")
    ]
    sets = [n for n in keys if n != algorithm]
    many = profile.frame.groupby(sets)[algorithm].nunique().max() if sets else None
    found = []
    for name, column in profile.columns.items():
        if name in named or column.is_empty or column.distinct <= profile[algorithm].distinct:
            continue
        if not profile.unique([*keys, name]):
            continue
        by_case = profile.frame.groupby([*sets, name])
        shared = by_case[algorithm].nunique() == (many or profile[algorithm].distinct)
        if (
            shared.all()
            and (by_case[truth].nunique() == 1).all()
            and len(shared) < len(by_case.obj)
        ):
            found.append(name)
    return found[0] if len(found) == 1 else ""


def _why(profile: Profile, name: str, role: str, classes: list[str]) -> str:
    if name in profile.said:
        return "said"
    if name in classes:
        return "score of a class"
    if role != "ignore":
        return "name"
    return "not needed"  # whatever stands in it: large files are told by their first rows


def _by_agreement(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Find three columns of which one says where the two others agree, whatever the language."""
    few = [n for n, c in profile.columns.items() if 2 <= c.distinct <= FEW and not c.is_unique]
    cells = {n: profile.frame[n].to_numpy(dtype=object) for n in few}
    for right in few:
        yes = _as_yes(cells[right])
        if yes is None:
            continue
        for i, a in enumerate(few):
            for b in few[i + 1 :]:
                if right in (a, b) or {a, b} & set(profile.said):
                    continue
                same = cells[a] == cells[b]
                if (same == yes).mean() >= 0.98 and 0.02 < same.mean() < 1:
                    yield from _of_triple(profile, right, a, b)
                    return


def _as_yes(texts: np.ndarray) -> np.ndarray | None:
    """Return a column of two words as yes and no, None if it is another."""
    found = {text.lower() for text in set(texts)}
    for yes, no in (
        ("1", "0"),
        ("true", "false"),
        ("yes", "no"),
        ("1.0", "0.0"),
        ("correct", "wrong"),
    ):
        if found == {yes, no}:
            return np.array([text.lower() == yes for text in texts])
    return None


def _of_triple(profile: Profile, right: str, a: str, b: str) -> Iterator[LayoutHypothesis]:
    """Find model and case: together unique, the case says the truth, few models with many cases."""
    keys = [n for n, c in profile.columns.items() if n not in (right, a, b) and c.distinct > 1]
    for case in sorted(keys, key=lambda n: -profile[n].distinct):
        for truth, said in ((b, a), (a, b)):
            if not profile.determines(case, truth):
                continue
            models = [
                n
                for n in keys
                if n != case
                and profile.unique([n, case])
                and profile[n].distinct < profile[case].distinct
            ]
            if models:
                yield _asking(profile, right, truth, said, case, models[0])
                return
            if profile[case].is_unique:
                return


def _asking(
    profile: Profile, right: str, truth: str, said: str, case: str, model: str
) -> LayoutHypothesis:
    roles = dict.fromkeys(profile.columns, "ignore")
    roles |= {truth: "true", said: "predicted", case: "instance", model: "algorithm"}
    whys = {truth: "truth", said: "labels of a model", case: "case", model: "needed key"}
    text = f'Is "{model}" the model, "{said}" its answer and "{truth}" the right answer?'
    question = ask(
        "columns",
        text,
        must="needs to know which column is the model, which its answer, which the right answer",
        found=f'"{right}" says where "{said}" and "{truth}" agree',
        do="Give their roles with `roles`",
    )
    return LayoutHypothesis(
        layout="predictions",
        roles=roles,
        reasons={n: role_reason(whys.get(n, "not needed")) for n in profile.columns},
        evidence=(
            weighted_observation(2 * STRONG, "right answers", right=right, columns=(said, truth)),
            weighted_observation(NAME, "case column", column=case),
        ),
        asks=(question,),
    )
