"""Which labels are names of algorithms, and which names describe data sets or costs: weak evidence."""

import re
from collections.abc import Iterable

# words in names of learning algorithms; one in a label makes it likely that it names one
_MODELS = frozenset(
    "svm svc svr linearsvc rf randomforest forest xgb xgboost lgbm lightgbm gbm gbdt gradientboosting "
    "catboost adaboost boosting bagging knn nn mlp cnn rnn lstm gru transformer resnet densenet vgg "
    "bert roberta gpt llama mistral gemma qwen claude gemini dt decisiontree tree cart c45 c50 j48 id3 "
    "cn2 ripper naivebayes nb gaussiannb bayes logreg logistic logisticregression lr lda qda ridge "
    "lasso elasticnet linearregression regressor classifier perceptron kmeans dbscan arima prophet "
    "rocket minirocket hydra autosklearn autogluon tpot h2oautoml autoweka automl extratrees sgd "
    "kernel ensemble stacking net network".split()
)
_CALLED = frozenset(
    "model models method methods algorithm algorithms classifier classifiers learner estimator "
    "system framework approach regressor detector detectors encoder forecaster imputer".split()
)
# how folds are called where a text names them: "Fold-2", "Fold01.Rep1"
FOLD_NAMES = r"(?:fold|split|resample|bootstrap|repeat|rep|seed)[\s_\-.]*\d+(?:[\s_\-.]*\w+\d+)?"
_FOLD = re.compile(FOLD_NAMES, re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d\d([-/._]?)(?:0[1-9]|1[0-2])\1(?:[0-2]\d|3[01])(?!\d)")
# words of which names of sizes and costs are made, and nothing else
_DESCRIPTIVE = frozenset(
    "n num no nr number of the in for size sizes count counts total instances instance examples example "
    "samples sample cases case rows row features feature attributes attribute attrs columns classes class "
    "dimensions dimension dims dim labels label len length train training test testing fit score predict "
    "prediction inference validation time times runtime duration seconds second sec secs s ms minutes min "
    "hours memory mem ram mb kb gb cost costs price flops energy params parameters year id ts series "
    "imbalance ratio missing default majority".split()
)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: "InceptionTime" gives inception and time.

    Examples
    --------
    >>> words_of("InceptionTime"), words_of("n_classes"), words_of("C4.5")
    (['inception', 'time'], ['n', 'classes'], ['c4', '5'])
    """
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return re.findall(r"[a-z]+[0-9]*|[0-9]+", parted.lower())


def is_descriptive(name: str) -> bool:
    """Tell whether a name is made of words of sizes and costs only.

    Examples
    --------
    >>> is_descriptive("n_instances"), is_descriptive("InceptionTime"), is_descriptive("train time")
    (True, False, True)
    """
    words = words_of(name)
    return bool(words) and set(words) <= _DESCRIPTIVE


def names_algorithms(column: str) -> bool:
    """Tell whether a column's name speaks of algorithms: "Model/adapter", "ML method".

    Examples
    --------
    >>> names_algorithms("Model/adapter"), names_algorithms("data set")
    (True, False)
    """
    return bool(set(words_of(column)) & _CALLED)


def names_folds(cells: Iterable[str]) -> bool:
    """Tell whether every cell is called as folds are.

    Examples
    --------
    >>> names_folds(["Fold 1", "fold_2"]), names_folds(["Fold 1", "iris"])
    (True, False)
    """
    return all(_FOLD.fullmatch(cell) for cell in cells)


def names_dates(labels: Iterable[str]) -> bool:
    """Tell whether every label is a date, which names a run and neither algorithm nor data set.

    Examples
    --------
    >>> names_dates(["2024-05-01", "2024-05-02T10:11"]), names_dates(["2024-05-01", "iris"])
    (True, False)
    """
    return all(_DATE.match(label) for label in labels)


def model_among(names: Iterable[str]) -> str:
    """Return a label of some that is a name of an algorithm where a third of them are, else ""."""
    names = [str(name) for name in names]
    found = [name for name in names if _is_model(name)]
    return found[0] if found and 3 * len(found) >= len(names) else ""


def _is_model(name: str) -> bool:
    words = words_of(name)
    joined = {"".join(words), *("".join(words[i : i + 2]) for i in range(len(words)))}
    return bool({*words, *joined} & _MODELS)


def contrast_among(names: Iterable[str]) -> str:
    """Return a label of some that others are held against, "baseline" or "ours", else "".

    Examples
    --------
    >>> contrast_among(["gate", "baseline", "ctkd"]), contrast_among(["iris", "wine"])
    ('baseline', '')
    """
    against = {"baseline", "vanilla", "ours", "proposed", "control"}
    return next((str(name) for name in names if against & set(words_of(str(name)))), "")


def is_true_label(name: str) -> bool:
    """Tell whether a name says that a label is the true one."""
    words = words_of(name)
    return bool(words) and words[0] in ("true", "actual", "real", "gold") and len(words) <= 2
