"""What trackers of runs and searches for settings write beside the results."""

import re
from dataclasses import replace

from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.io.vocabulary import FOLD_NAMES, normalized_name, words_of

_SETTING = re.compile(
    r"(?:params?|hp|hparams?|hyper_?param(?:eter)?s?|config|cfg|args|settings?)(?:[._/:\s]|__).+",
    re.IGNORECASE,
)
SETTINGS = frozenset(
    "learningrate batchsize nepochs numepochs maxdepth weightdecay numlayers nlayers hiddensize "
    "hiddendim nestimators numworkers maxiter warmupsteps".split()
)
_BOOKKEEPING = frozenset(
    "created createdat starttime endtime starttimeutc datetime datetimestart datetimecomplete "
    "timestamp date runtime user notes tags sweep state status runid experimentid experimentname "
    "artifacturi artifactlocation lifecyclestage sourcename sourcetype hostname host gitcommit "
    "commit savename runname wandbrunname wandbproject parentrunid query question prompt".split()
)
_KEPT_ELSEWHERE = ("tags.", "tags/", "user_attrs", "system_attrs")


def is_setting(name: str) -> bool:
    """Tell whether a column is named as a setting of an algorithm.

    Examples
    --------
    >>> is_setting("params.max_depth"), is_setting("Learning Rate"), is_setting("accuracy")
    (True, True, False)
    """
    return bool(_SETTING.fullmatch(name)) or normalized_name(name) in SETTINGS


def is_bookkeeping(name: str) -> bool:
    """Tell whether a column is named as what a tracker keeps about runs: times, states, owners.

    Examples
    --------
    >>> is_bookkeeping("Start Time"), is_bookkeeping("tags.mlflow.user"), is_bookkeeping("model")
    (True, True, False)
    """
    return normalized_name(name) in _BOOKKEEPING or name.lower().startswith(_KEPT_ELSEWHERE)


def names_variants(name: str) -> bool:
    """Tell whether a column's name speaks of what an experiment compares: "condition", "config".

    Examples
    --------
    >>> names_variants("condition"), names_variants("teacher")
    (True, False)
    """
    called = {"condition", "config", "configuration", "variant", "strategy", "architecture", "arm"}
    return bool(set(words_of(name)) & called)


def nested_runs(table: NumericTable) -> tuple[NumericTable, list[Message]]:
    """Read runs that stand for folds under the run they belong to; that one only sums them up."""
    columns = {normalized_name(name): name for name in table.frame}
    own, above = columns.get("runid"), _ending(columns, "parentrunid")
    called = _ending(columns, "runname") or columns.get("name")
    if not own or not above or not called or "algorithm" in columns:
        return table, []
    frame = table.frame
    below = frame[above].ne("") & frame[called].str.fullmatch(FOLD_NAMES, case=False)
    if not below.any() or (frame[above].ne("") & ~below).any():
        return table, []
    names = frame.set_index(own)[called]
    names = names[~names.index.duplicated()]
    parents = frame.loc[below, above]
    kept = frame[below].assign(algorithm=parents.map(names).fillna(parents))
    kept = kept.assign(fold=kept[called]).drop(columns=[called, above])
    said = message("nested runs", runs=len(kept), groups=int(parents.nunique()))
    return replace(table, frame=kept), [said]


def _ending(columns: dict[str, str], end: str) -> str:
    return next((name for text, name in columns.items() if text.endswith(end)), "")


@message_text("nested runs")
def _nested_runs(voice: Audience, runs: int, groups: int) -> str:
    return (
        f"{format_count(runs, 'run')} stand for folds under {format_count(groups, 'other run')}; those were "
        "taken as the algorithms, and their averages left out."
    )
