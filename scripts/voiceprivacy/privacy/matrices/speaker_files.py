"""The table of what each speaker gives away, made from files of scores."""

from collections.abc import Mapping, Sequence

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath, naming
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.scored_trials import ScoredTrials, read_scored_trials
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy import Names
from voiceprivacy.privacy.matrices.similarity import Similarities
from voiceprivacy.privacy.matrices.speakers import deid_percents, exposures, gaps
from voiceprivacy.privacy.rows import Exposure
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import ABSENT, LABELS, UNDEFINED

MOST_AT_RISK = 3  # speakers that are printed
SPEAKERS = ("label", *Exposure._fields, "deid_percent")  # columns of write_speakers


def write_speakers(
    path: FilePath,
    scores: Mapping[str, FilePath],
    *,
    manifest: FilePath,
    matrices: Mapping[str, Similarities],
    trial_list: FilePath | None = None,
) -> None:
    """Write what the speech of each speaker still gives away, and print who is most at risk.

    Parameters
    ----------
    path : path
        TSV to write.
    scores : {condition: score file}
    manifest : path
        Of the trial part: who speaks.
    matrices : {condition: Similarities}
        Of oo and op: they add the de-identification of each speaker under op.
    trial_list : path, optional
        The trials that the scores must be of.

    Raises
    ------
    BadInput : see read_scored_trials and tried_speakers
    """
    speaker_of = {utterance.utterance: utterance.speaker for utterance in read_manifest(manifest)}
    percents = {"op": deid_percents(oo=gaps(matrices["oo"]), op=gaps(matrices["op"]))}
    rows = []
    for condition, file in scores.items():
        with naming(file):
            scored = read_scored_trials(file, key=trial_list)
            tried = tried_speakers(scored, speaker_of)
            exposed = exposures(scored.classes, tried)
        of_condition = percents.get(condition, {})
        for exposure in exposed:
            rows.append((condition, *exposure, of_condition.get(exposure.speaker, ABSENT)))
        say(f"{condition}: most at risk: {_most_at_risk(exposed)}")
    write_table(path, SPEAKERS, rows)


def tried_speakers(scored: ScoredTrials, speaker_of: Mapping[str, str]) -> dict[str, Names]:
    """The speaker who is tried in each trial: {target, nontarget: array of speakers}.

    ``speaker_of`` is {utterance: speaker} of the trial part; BadInput names an utterance that it
    lacks.
    """
    for name in scored.trials:
        if name not in speaker_of:
            raise BadInput(f"trial '{name}' is not in the manifest of the trial part")
    speakers = np.array([speaker_of[name] for name in scored.trials])[scored.trial]
    return dict(zip(LABELS, np.split(speakers, [scored.n_targets]), strict=True))


def _most_at_risk(exposures: Sequence[Exposure]) -> str:
    known = [exposure for exposure in exposures if exposure.dece_bit != UNDEFINED]
    highest = sorted(known, key=lambda exposure: -float(exposure.dece_bit))[:MOST_AT_RISK]
    return ", ".join(f"{exposure.speaker} ({exposure.dece_bit:.3f} bit)" for exposure in highest)
