"""The job score_system."""

from collections.abc import Sequence
from pathlib import Path

from voiceprivacy.attack.backends import backends
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import ORIGINAL, SPEECH_SCORED, WITHIN_RELEASE


def score_system(
    *,
    enrolment: list[str],
    trial: list[str],
    enrolment_manifest: str,
    trial_manifest: str,
    trials: str,
    enrolments: str,
    backend: str,
    release: str | None = None,
    scores: Sequence[str] = (),
    pairs: Sequence[str] = (),
    templates: Sequence[str] = (),
) -> None:
    """Score all conditions of one system under one attacker: a list, its pairs and templates.

    Every file to write is named by its condition: oo, op, pp, p0p1, rr or po (protected enrolment,
    original trial). Embeddings are given as WHOSE=FILE, where WHOSE is original, run0 (the
    protected speech) or run1 (its second run).
    Under rr the list's trial utterances are compared with each other, as --release lists them; of
    original speech, too.

    Parameters
    ----------
    enrolment : WHOSE=NPZ: embeddings of the enrolment utterances
    trial : WHOSE=NPZ: embeddings of the trial utterances
    enrolment_manifest : TSV: who speaks
    trial_manifest : TSV: who speaks
    trials : TSV: enrolment trial label
    enrolments : TSV: enrolment utterance
    backend : cosine, jensen_shannon (histograms), vpc2026_june, vpc2026_september (its cosines), or
        the npz of a trained back-end
    release : TSV: enrolment trial label, the pairs to score under rr
    scores : TSV to write: enrolment trial label score
    pairs : npz to write: the list's trial utterances against themselves
    templates : npz to write: trial utterances against enrolled speakers
    """
    score = backends.scorer(backend)
    trial_list = read_trials(trials)
    released = read_trials(release) if release else None
    enrolled_by = backends.read_enrolments(enrolments)
    enrolment_speakers = backends.read_speakers(enrolment_manifest)
    trial_speakers = backends.read_speakers(trial_manifest)
    enrolled = galleries(enrolment, "--enrolment", backend=backend)
    tried = galleries(trial, "--trial", backend=backend)
    for path in scores:
        if Path(path).stem in WITHIN_RELEASE:
            if not released:
                raise BadInput(f"{path}: needs --release, the list that list_trials.py writes")
            listed = released
            gallery = tried["run0" if "run0" in tried else ORIGINAL]  # the released speech
            llrs = backends.score_trials(score, listed, enrolment=gallery, trial=gallery)
        else:
            listed, sides = trial_list, compared(path, enrolled, tried)
            llrs = backends.score_trials(score, listed, **sides, enrolments=enrolled_by)
        write_scores(path, listed, llrs)
        say(f"{counted(len(listed), 'trial')}: {path}")
    for path in pairs:
        sides = compared(path, tried, tried)
        matrix = backends.pair_matrix(score, trial_list, **sides, speakers=trial_speakers)
        write_matrix(path, matrix)
        say(f"{len(matrix.rows)} x {len(matrix.columns)} trial utterances: {path}")
    for path in templates:
        matrix = backends.template_matrix(
            score,
            trial_list,
            **compared(path, enrolled, tried),
            enrolments=enrolled_by,
            enrolment_speakers=enrolment_speakers,
            trial_speakers=trial_speakers,
        )
        write_matrix(path, matrix)
        say(f"{len(matrix.rows)} trial utterances x {len(matrix.columns)} speakers: {path}")


def galleries(words: list[str], option: str, *, backend: str) -> backends.Lookup[backends.Gallery]:
    """Embeddings by whose speech they are of, from WHOSE=FILE; each file is read once."""
    split = [word.partition("=") for word in words]
    paths = {whose: path for whose, _, path in split}
    read = backends.read_galleries(paths, backend=backend, protected=paths.keys() - {ORIGINAL})
    return backends.Lookup(read, path=option, kind="embeddings of")


def compared(
    path: str,
    enrolled: backends.Lookup[backends.Gallery],
    tried: backends.Lookup[backends.Gallery],
) -> dict[str, backends.Gallery]:
    """The two sides of the condition by which a file is named."""
    condition = Path(path).stem
    if condition not in SPEECH_SCORED:
        raise BadInput(f"{path}: is not named by a condition ({', '.join(SPEECH_SCORED)})")
    speech = SPEECH_SCORED[condition]
    return {"enrolment": enrolled[speech.enrolment], "trial": tried[speech.trial]}


if __name__ == "__main__":
    run(score_system)
