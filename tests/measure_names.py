"""Names of measures in common spellings, with the direction given in textbooks."""

from hypothesis import strategies as st

from stats_core.data.measures import MEASURES
from stats_core.io.table_layout import RESERVED
from stats_core.io.text_cells import visible_text
from stats_core.io.vocabulary import OTHER_MEASURES, direction_of

# written by hand; directions from the definitions of the measures, not from the reader
ORDINARY = {
    **dict.fromkeys(
        ["Accuracy", "acc", "ACC", "accuracy (%)", "balanced accuracy", "Balanced Accuracy"]
        + ["test accuracy", "top-1 accuracy", "mean accuracy", "F1", "f1_score", "F1-score"]
        + ["macro F1", "F-measure", "AUC", "AUROC", "ROC AUC", "PR-AUC", "average precision"]
        + ["precision", "Recall", "sensitivity", "Specificity", "MCC", "Cohen's kappa", "R2"]
        + ["R\u00b2", "BLEU", "mAP", "NDCG@10", "IoU", "G-mean", "percent correct"],
        "higher",
    ),
    **dict.fromkeys(
        ["error", "Error", "error_rate", "error (%)", "misclassification rate", "test error"]
        + ["RMSE", "MAE", "MSE", "mean squared error", "log loss", "Log-Loss", "cross-entropy"]
        + ["Brier score", "MAPE", "perplexity", "WER", "loss", "runtime"],
        "lower",
    ),
}
ALIASES = {
    alias: measure.direction
    for name, measure in MEASURES.items()
    for alias in (name, *measure.aliases)
}
UNDEFINED = ("loss", "runtime")  # only a word of the name tells, so the user may say otherwise
SOME = dict([*OTHER_MEASURES.items()][::8])  # test_vocabulary.py looks up all of them
KNOWN = {**ORDINARY, **ALIASES, **SOME}
WIDE = "dataset,rf,svm,knn\n" + "".join(
    f"d{i},{0.9 - i / 100:.3f},{0.8 - i * i / 200:.3f},{0.3 + i / 50:.3f}\n" for i in range(6)
)


def opposite(way):
    """Return the opposite direction."""
    return {"higher": "lower", "lower": "higher"}[way]


# words that no one knows as a measure: in any script, with signs and blanks
unknown_words = (
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=20)
    .map(visible_text)
    .filter(lambda word: word and word not in RESERVED and not direction_of(word))
)
