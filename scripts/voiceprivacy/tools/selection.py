"""Who can be evaluated: speakers with a gender (where genders are known) and with enough utterances.

Conventions
-----------
``left_out`` is {utterance: why} everywhere; what a function leaves out it adds there.
"""

from collections import Counter

from voiceprivacy.files import BadInput

ENROLMENT_UTTERANCES = 3
KEPT_SPEAKERS = 0.9  # fewer utterances enrol where more than a tenth of the speakers would be lost otherwise


def by_gender(utterances, left_out, *, table=None):
    """Leave out speakers without a gender, where others have one.

    Parameters
    ----------
    utterances : list of Listed
    left_out : dict
    table : path, optional
        Where genders were said to stand.

    Returns
    -------
    list of Listed

    Raises
    ------
    BadInput : there is a table, and it has none of the speakers
    """
    known = [of for of in utterances if of.gender != "-"]
    if table and utterances and not known:
        raise BadInput(f"{table}: has none of the speakers, who are called such as '{utterances[0].speaker}'")
    if not known:
        return utterances
    left_out |= {of.utterance: f"speaker '{of.speaker}' has no gender" for of in utterances if of.gender == "-"}
    return known


def with_enough(utterances, left_out):
    """Leave out speakers who have too few utterances to enrol and to be tried.

    Returns
    -------
    list of Listed, int : and how many utterances enrol a speaker: three, or fewer where that would lose many speakers
    """
    counts = Counter(of.speaker for of in utterances)
    possible = sum(count > 1 for count in counts.values())
    enrolled = ENROLMENT_UTTERANCES
    while enrolled > 1 and sum(count > enrolled for count in counts.values()) < KEPT_SPEAKERS * possible:
        enrolled -= 1
    few = [of for of in utterances if counts[of.speaker] <= enrolled]
    left_out |= {of.utterance: f"speaker '{of.speaker}' has only {counts[of.speaker]}" for of in few}
    return [of for of in utterances if counts[of.speaker] > enrolled], enrolled


def in_lists(utterances, left_out):
    """The trial lists of utterances: by gender where that is known; a gender with one speaker only is left out.

    Returns
    -------
    list of Listed, list of str : and f, m, or mixed
    """
    speakers = {gender: {of.speaker for of in utterances if of.gender == gender} for gender in ("f", "m")}
    lists = [gender for gender, of in speakers.items() if len(of) > 1]
    if not lists:
        return utterances, ["mixed"]
    alone = [of for of in utterances if of.gender not in lists]
    left_out |= {of.utterance: f"speaker '{of.speaker}' is the only one of this gender" for of in alone}
    return [of for of in utterances if of.gender in lists], lists
