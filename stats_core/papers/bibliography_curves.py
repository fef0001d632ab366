"""The papers behind curves, areas and costs, as data."""

from stats_core.papers.reference import Reference, article, other

_NIPS = "Advances in Neural Information Processing Systems"

# key -> publication; a field that is not certain is left out
CURVES: dict[str, Reference] = {
    "agarwal2005": article(
        "Agarwal, Shivani; Graepel, Thore; Herbrich, Ralf; Har-Peled, Sariel; Roth, Dan",
        "Generalization Bounds for the Area Under the {ROC} Curve",
        2005,
        "Journal of Machine Learning Research",
        volume="6",
        pages="393--425",
    ),
    "cortes2004": other(
        "inproceedings",
        "Cortes, Corinna; Mohri, Mehryar",
        "{AUC} Optimization vs. Error Rate Minimization",
        2004,
        booktitle=f"{_NIPS} 16",
        pages="313--320",
        publisher="MIT Press",
    ),
    "cortes2005": other(
        "inproceedings",
        "Cortes, Corinna; Mohri, Mehryar",
        "Confidence Intervals for the Area Under the {ROC} Curve",
        2005,
        booktitle=f"{_NIPS} 17",
        pages="305--312",
        publisher="MIT Press",
    ),
    "davis2006": other(
        "inproceedings",
        "Davis, Jesse; Goadrich, Mark",
        "The Relationship Between Precision-Recall and {ROC} Curves",
        2006,
        booktitle="Proceedings of the 23rd International Conference on Machine Learning",
        pages="233--240",
    ),
    "delong1988": article(
        "DeLong, Elizabeth R.; DeLong, David M.; Clarke-Pearson, Daniel L.",
        "Comparing the Areas under Two or More Correlated Receiver Operating Characteristic Curves: "
        "A Nonparametric Approach",
        1988,
        "Biometrics",
        volume="44",
        number="3",
        pages="837--845",
    ),
    "drummond2006": article(
        "Drummond, Chris; Holte, Robert C.",
        "Cost Curves: An Improved Method for Visualizing Classifier Performance",
        2006,
        "Machine Learning",
        volume="65",
        number="1",
        pages="95--130",
    ),
    "fawcett2006": article(
        "Fawcett, Tom",
        "An Introduction to {ROC} Analysis",
        2006,
        "Pattern Recognition Letters",
        volume="27",
        number="8",
        pages="861--874",
    ),
    "hanley1982": article(
        "Hanley, James A.; McNeil, Barbara J.",
        "The Meaning and Use of the Area under a Receiver Operating Characteristic ({ROC}) Curve",
        1982,
        "Radiology",
        volume="143",
        number="1",
        pages="29--36",
    ),
    "provost2001": article(
        "Provost, Foster; Fawcett, Tom",
        "Robust Classification for Imprecise Environments",
        2001,
        "Machine Learning",
        volume="42",
        number="3",
        pages="203--231",
    ),
}
