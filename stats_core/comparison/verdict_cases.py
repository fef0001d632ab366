"""Verdicts on trained classifiers that share the cases of one test set."""

from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.verdict_words import NO_PAIR, Verdict, leading
from stats_core.core.words import count, interval, number, p_phrase
from stats_core.inference.families.corrections import CORRECTIONS

TRAINED = (
    "One test set: this speaks of these trained models on this population of cases, not of the "
    "learning algorithms; how results vary with training is not seen."
)


def verdict_of_cases(analysis: CasesComparison) -> Verdict:
    """Say which trained models err less."""
    if len(analysis.tests) == 1:
        return _of_two(analysis)
    return _of_several(analysis)


def _of_two(analysis: CasesComparison) -> Verdict:
    row, alpha = analysis.pairs().iloc[0], analysis.settings.alpha
    first, second = row["first"], row["second"]
    (test,) = analysis.tests.values()
    errors = _errors(analysis)
    detail = (
        f"Error {number(errors[first], 4)} against {number(errors[second], 4)}: difference "
        f"{number(-row['difference'], 4)} {interval(-row['high'], -row['low'], 4)}. "
        f"{first} alone is right on {count(row['only first'], 'case')}, {second} alone on "
        f"{row['only second']:,} (McNemar, exact, {p_phrase(test.pvalue, alpha)}, "
        f"{count(test.n, 'case')})."
    )
    if row["separated"]:
        return Verdict(
            badge="Decided",
            headline=f"This trained {first} errs less than this trained {second} on "
            f"{analysis.dataset}.",
            detail=detail,
            notes=(TRAINED, *analysis.results.choices),
        )
    return Verdict(
        badge="Not separated",
        headline=f"The cases do not separate {first} and {second} on {analysis.dataset}.",
        detail=f"{detail} This is not evidence that they are equal.",
        notes=(TRAINED, *analysis.results.choices),
    )


def _of_several(analysis: CasesComparison) -> Verdict:
    alpha, order, pairs = analysis.settings.alpha, analysis.order, analysis.pairs()
    separated, k = int(pairs["separated"].sum()), len(order)
    rejects = analysis.cochran.pvalue <= alpha
    post = (
        "McNemar, unadjusted"
        if analysis.correction == "none"
        else f"{CORRECTIONS[analysis.correction]} on McNemar"
    )
    chain = f"Cochran's Q {p_phrase(analysis.cochran.pvalue, alpha)}, then {post}"
    closest = pairs.iloc[0]
    smallest = (
        f"Smallest adjusted {p_phrase(closest['p adjusted'], alpha)} ({closest['first']}, "
        f"{closest['second']}; {chain}), {count(analysis.cochran.n, 'case')}."
    )
    if separated:
        beaten = set(pairs.loc[pairs["separated"], "second"])
        ahead = [name for name in order if name not in beaten]
        apart = pairs.loc[pairs["separated"] & (pairs["first"] == order[0]), "second"]
        near = [name for name in order if name not in set(apart)]
        errors = _errors(analysis)
        verb = "differs" if separated == 1 else "differ"
        badge = "Decided"
        headline = leading(
            near,
            k,
            one_group=near == ahead,
            what=f"on {analysis.dataset}",
            noun="trained models",
        )
        detail = (
            f"Error from {number(errors[order[0]], 4)} ({order[0]}) to "
            f"{number(errors[order[-1]], 4)} ({order[-1]}) on {count(analysis.cochran.n, 'case')}. "
            f"{separated} of {count(len(pairs), 'pair')} {verb} ({chain})."
        )
    elif rejects:
        badge = NO_PAIR
        headline = "These trained models differ, but no single pair can be named."
        detail = smallest
    else:
        badge = "Not separated"
        headline = f"The cases do not separate these {k} trained models on {analysis.dataset}."
        detail = f"{smallest} This is not evidence that they are equal."
    return Verdict(
        badge=badge, headline=headline, detail=detail, notes=(TRAINED, *analysis.results.choices)
    )


def _errors(analysis: CasesComparison) -> dict[str, float]:
    return (1 - analysis.correct.mean()).to_dict()
