"""Contrast estimation between algorithms over data sets, based on medians."""

import numpy as np
import pandas as pd

from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_scores, check_size


def contrast_estimators(scores: pd.DataFrame) -> pd.Series:
    """Return the estimated distance of each algorithm from the mean of all.

    Notes
    -----
    Z_uv = median over data sets of x_u - x_v, Z_uu = 0; m_u = mean over v of Z_uv.

    References
    ----------
    Doksum 1967; Garcia et al., Inf. Sci. 180 (2010) 2044, section 3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 5, 3], "b": [0.0, 3, 3], "c": [-1.0, 2, 1]})
    >>> contrast_estimators(scores).tolist()
    [1.0, 0.0, -1.0]
    """
    table = check_scores(scores)
    check_size(table.to_numpy())
    columns = table.to_numpy().T
    medians = np.array([np.median(column - columns, axis=1) for column in columns])
    return pd.Series(medians.mean(axis=1), index=table.columns)


def contrast_estimation(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the estimated difference of each pair of algorithms.

    Notes
    -----
    The contrast is m_u - m_v of `contrast_estimators`. Unlike a median of differences it adds
    up over algorithms; unlike a mean, one odd data set does not move it far. It is an estimate,
    not a test. Two algorithms: the median difference.

    References
    ----------
    Doksum 1967; Garcia et al., Inf. Sci. 180 (2010) 2044, section 3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 5, 3], "b": [0.0, 3, 3], "c": [-1.0, 2, 1]})
    >>> contrast_estimation(scores).loc["a"].tolist()
    [0.0, 1.0, 2.0]
    """
    estimators = contrast_estimators(scores)
    values = estimators.to_numpy()
    return labeled_matrix(values[:, None] - values, estimators.index)
