"""Which test where results are not at hand, only what a paper printed of them."""

from stats_core.comparison.advice import Advice, instead
from stats_core.comparison.cards.card import card, reference_of
from stats_core.core.words import count
from stats_core.data.published import RANKS, WINS, Published


def advise_published(published: Published) -> Advice:
    """Return the recommendation for average ranks, wins or decisions."""
    made = {RANKS: _ranks, WINS: _wins}.get(published.what, _decisions)
    return made(published)


def _ranks(published: Published) -> Advice:
    k, n = len(published.names), published.n
    return Advice(
        question="Which algorithms differ in general, over data sets of this kind?",
        test="Iman-Davenport, then Bergmann-Hommel on average ranks",
        because=(
            "Average ranks and the number of data sets are all that these tests need.",
            f"{k} algorithms: one test for all first, then the {count(k * (k - 1) // 2, 'pair')} "
            "with p-values adjusted.",
            f"Bergmann-Hommel: {card('bergmann_hommel').why}",
        ),
        assumes=(
            *card("iman_davenport").assumes,
            f"The ranks are averages over the same {n} data sets, of all algorithms that were "
            "ranked.",
        ),
        alternatives=instead("nemenyi", "shaffer", "holm", "hochberg", "hommel"),
        not_allowed=(
            ("Wilcoxon or sign test for each pair", published.lacks),
            ("Correction for ties", "Average ranks do not show them."),
        ),
        reference=reference_of("iman_davenport", "bergmann_hommel"),
    )


def _wins(published: Published) -> Advice:
    k = len(published.names)
    return Advice(
        question="Who wins on more data sets than chance would give?",
        test="Two-tailed sign test over data sets" + (", adjusted by Holm" if k > 2 else ""),
        because=(
            "Wins, ties and losses are all that the sign test needs.",
            card("set_wins").why,
        ),
        assumes=card("sign_test").assumes,
        alternatives=instead("hochberg", "hommel") if k > 2 else (),
        not_allowed=(
            ("Bergmann-Hommel, Shaffer", "Winning as often as another is not transitive."),
            ("Wilcoxon for each pair", published.lacks),
        ),
        reference=reference_of("sign_test"),
    )


def _decisions(published: Published) -> Advice:
    orders = (
        "MultiTest on the decisions given" if published.sided else "Groups of the decisions given"
    )
    return Advice(
        question="Which order, or which groups, follow from these decisions?",
        test=orders,
        because=(
            "Whether two differ is given as 0 or 1; there is nothing left to test.",
            "How the decisions were made, and what they were adjusted for, is not known here.",
        ),
        assumes=("The decisions were made at one level, each pair once.",),
        alternatives=(),
        not_allowed=(("Any test", published.lacks),),
        reference=reference_of("multitest" if published.sided else "cliques"),
    )
