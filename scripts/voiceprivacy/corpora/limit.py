"""A part of a corpus for a quick look: some speakers, some utterances of each, chosen by their ids alone."""

from voiceprivacy import seeds


def speakers(utterances, count):
    """Choose speakers in an order drawn from their ids, women and men taking turns.

    Parameters
    ----------
    utterances : list of Listed
    count : int or None
        None chooses all; a larger number keeps what a smaller one chose.

    Returns
    -------
    set of str
    """
    genders = {}
    for utterance in utterances:
        genders.setdefault(utterance.gender, set()).add(utterance.speaker)
    turns = [
        (turn, gender, speaker)
        for gender, of_gender in genders.items()
        for turn, speaker in enumerate(sorted(of_gender, key=_draw))
    ]
    return {speaker for _, _, speaker in sorted(turns)[:count]}


def restrict(utterances, *, speakers, count):
    """Keep the utterances of these speakers, at most ``count`` (None: all) of each, drawn by their ids.

    Returns
    -------
    list of Listed : in the order of ``utterances``
    """
    of_speaker = {}
    for utterance in utterances:
        if utterance.speaker in speakers:
            of_speaker.setdefault(utterance.speaker, []).append(utterance.utterance)
    kept = {name for names in of_speaker.values() for name in sorted(names, key=_draw)[:count]}
    return [utterance for utterance in utterances if utterance.utterance in kept]


def _draw(name):
    return seeds.derive(0, "limit", name), name
