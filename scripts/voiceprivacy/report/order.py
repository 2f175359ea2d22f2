"""In which order speakers stand in a similarity matrix."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

ORDERS = ("gender", "similarity")


def arrange(speakers, matrices, order):
    """Sort speakers and matrices.

    Parameters
    ----------
    speakers : list of S str, by gender and name
    matrices : {oo, op, pp: masked array (S, S)}
    order : "gender" (leaves them as they are) or "similarity"
        Speakers who sound alike in OO beside each other: the leaves of a hierarchical clustering with the smallest
        differences between neighbours.

    Returns
    -------
    list of S speakers, {condition: masked array (S, S)}
    """
    if order == "gender" or len(speakers) < 3:
        return speakers, matrices
    places = _alike_beside_each_other(matrices["oo"])
    return [speakers[place] for place in places], {name: of[np.ix_(places, places)] for name, of in matrices.items()}


def _alike_beside_each_other(similarities):
    values = similarities.filled(0.5)  # undefined: no evidence
    distances = 1 - (values + values.T) / 2
    np.fill_diagonal(distances, 0)
    return leaves_list(linkage(squareform(distances), "average", optimal_ordering=True))
