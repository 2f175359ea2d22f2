"""Whether emotions are still heard: recalls of a classifier, by the challenges' definitions.

Conventions
-----------
* Emotions are those of EMOTIONS. NAMES says how classifiers and corpora call them; of emotion2vec's
  ``CHINESE/english`` the English half counts.
* vpc2024 (2024, and track 1 of 2026): the macro recall of each speaker over the emotions that occur
  there; its mean over the speakers of a fold, then over folds. Each speaker is judged by the
  classifier of the fold, which never heard them. (The challenge's sets have one speaker in a fold,
  so its plain mean over speakers is the same. Its macro recall counts 0 for an emotion that a
  speaker never has and that is heard there; here it does not count. IEMOCAP's have all four.)
* vpc2026 (track 2): the macro recall over all utterances. What emotion2vec says beyond the four is
  mapped: disgusted to angry, fearful to sad, surprised, other and unknown to neutral.
* True labels are a table, a data directory of the challenge (utt2emo, utt2spk, and spk2fold where
  there are folds), or IEMOCAP as it is distributed (Session*/dialog/EmoEvaluation/*.txt). Of
  IEMOCAP the fold is the number of the session. Its labels beyond the four are none.
* Excited speech counts as happy, unless it is left out. Merged, IEMOCAP has 5,531 utterances of
  four emotions, as the challenge's two sets have together: both definitions merge.
* An utterance has 100 in the column of its emotion where that is heard, 0 where another one is, and
  "undefined" in the others. One without a label is undefined in all. One with a label that nothing
  was predicted for is an error: leaving it out would raise a recall.

References
----------
Busso et al., IEMOCAP, Language Resources and Evaluation 42, 2008. Ma et al., emotion2vec, Findings
of ACL 2024. Programs and result files of the VoicePrivacy 2024 and 2026 Challenges.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import FilePath, read_lines
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.iemocap import (
    EVALUATED,
    EVALUATIONS,
    OF_FOUR_EMOTIONS,
    SESSIONS,
    files,
    read_evaluations,
)
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.inout.tables import read_rows, whole_number_in
from voiceprivacy.kinds import FILE, TEXTS, MeasuredMetric, MeasureKind, Named
from voiceprivacy.utility.rows import Measured
from voiceprivacy.utility.statistics import MOST_FOLDS
from voiceprivacy.vocabulary import EMOTIONS, UNDEFINED


def _files(options: Mapping[str, str]) -> Iterator[Named]:
    if "predictions" in options:
        yield Named(("predictions",), ours(options["predictions"]), FILE)
    path = Path(ours(options["labels"]))
    # A table, or a folder: of a data directory some tables, of IEMOCAP the evaluations.
    tables = map(path.joinpath, ("utt2emo", "utt2spk", "spk2fold"))
    files = [table for table in tables if table.exists()]
    for file in files or sorted(path.glob(f"Session*/{EVALUATED}")) or [path]:
        yield Named(("labels",), str(file), endings=TEXTS)


KIND = MeasureKind(
    described="the recalls of a classifier",
    schema="""
        labels:
          description: >-
            True emotions - a TSV (utterance label, perhaps fold), a data directory with utt2emo, or
            the folder of IEMOCAP; {corpus} and {set} are replaced.
          type: string
          minLength: 1
        excited:
          description: What excited speech of the labels counts as; none - it has no label.
          enum: [happy, none]
        predictions:
          description: >-
            What a classifier that ran elsewhere says - a TSV (utterance label, perhaps fold) of
            each system; {corpus} and {anonymiser} are replaced.
          type: string
          pattern: "{anonymiser}"
    """,
    metrics=(
        MeasuredMetric(
            "uar_percent",
            "emotion recall",
            "%",
            "Unweighted average recall of four emotions, by the config's classifier.",
            low=0,
            high=100,
            digits=1,
            headline=True,
        ),
    ),
    said={"uar_percent": "unweighted average recall of emotions"},
    published="uar_percent",
    better="higher",
    group="emotion",
    statistic="macro_recall",
    joint="{name}_percent",
    files=_files,
    by_definition={"vpc2024": {"statistic": "macro_recall_of_speakers", "weight": "{name}_fold"}},
    needs=("definition", "labels"),
    needs_one_of=("model", "predictions"),
    fetched="classifier",
    mem_mb=6000,
    threads=4,
    options=("name", "model", "definition", "labels", "predictions", "excited", "device"),
)

NAMES = {
    "ang": "angry",
    "anger": "angry",
    "hap": "happy",
    "happiness": "happy",
    "neu": "neutral",
    "neutrality": "neutral",
    "sadness": "sad",
} | {emotion: emotion for emotion in EMOTIONS}
MAPPED = {
    "disgusted": "angry",
    "fearful": "sad",
    "surprised": "neutral",
    "other": "neutral",
    "unknown": "neutral",
    "<unk>": "neutral",
}


EXCITED = ("exc", "excited")
MERGED, LEFT_OUT = "happy", "none"  # what excited speech is taken for
FOLD = "{fold}"  # in the name of a model: one for each
WHY_UNDEFINED = "another emotion, or none that is known"


class Definition(NamedTuple):
    """What is taken for what, and whether speakers are judged fold by fold."""

    mapped: Mapping[str, str]
    of_folds: bool


DEFINITIONS = {
    "vpc2024": Definition({}, of_folds=True),
    "vpc2026": Definition(MAPPED, of_folds=False),
}


class Labels(NamedTuple):
    """What is true or predicted, and in which fold: {utterance: ...}; ``source`` for messages."""

    source: str
    emotions: dict[str, str]
    folds: dict[str, int]

    def fold(self, utterance: str) -> int:
        """The fold of an utterance; BadInput where it has none."""
        if utterance not in self.folds:
            raise BadInput(f"{self.source}: utterance '{utterance}' has no fold")
        return self.folds[utterance]


def emotion(name: str, mapped: Mapping[str, str]) -> str | None:
    """Which of EMOTIONS is called so; None if it is none of them."""
    word = name.rpartition("/")[2].strip().lower()
    return NAMES.get(word) or mapped.get(word)


def read_labels(path: FilePath, definition: Definition, *, excited: str = MERGED) -> Labels:
    """Read the true emotions of utterances.

    Parameters
    ----------
    path : path
        A TSV (utterance label, perhaps fold), a data directory with utt2emo, or IEMOCAP's folder.
    definition : Definition
    excited : str
        MERGED, or LEFT_OUT: excited speech has no label.

    Raises
    ------
    BadInput : an utterance occurs twice, an emotion is unknown, a fold is no number
    """
    labels = Labels(str(path), {}, {})
    folder = Path(path)
    rows = _rows(path)
    if folder.is_dir():
        rows = _rows_of_kaldi(folder) if (folder / "utt2emo").exists() else _rows_of_iemocap(folder)
    for where, utterance, label, fold in rows:
        is_excited = label.strip().lower() in EXCITED
        if is_excited and excited == LEFT_OUT:
            continue
        known = MERGED if is_excited else emotion(label, definition.mapped)
        if known is None:
            raise BadInput(f"{where}: '{label}' is none of {', '.join(EMOTIONS)}")
        if utterance in labels.emotions:
            raise BadInput(f"{where}: utterance '{utterance}' occurs twice")
        labels.emotions[utterance] = known
        if fold is not None:
            labels.folds[utterance] = fold
    return labels


def read_predictions(path: FilePath, definition: Definition, true: Labels) -> Labels:
    """Read what somebody's classifier said (TSV: utterance label, perhaps fold).

    Where several folds judged an utterance, that of its true label counts; without folds in the
    labels, there may be one row for each utterance, whose fold it is.

    Raises
    ------
    BadInput : an utterance occurs twice in a fold, an emotion is unknown, a fold is no number
    """
    labels = Labels(str(path), {}, dict(true.folds))
    seen: set[tuple[str, int | None]] = set()
    for where, utterance, label, fold in _rows(path):
        if (utterance, fold) in seen or (utterance in labels.emotions and not true.folds):
            raise BadInput(f"{where}: utterance '{utterance}' occurs twice")
        seen.add((utterance, fold))
        known = emotion(label, definition.mapped)
        if known is None:
            raise BadInput(f"{where}: '{label}' is not known: expected {', '.join(EMOTIONS)}")
        expected = true.folds.get(utterance)
        if fold is None or expected in (None, fold):
            labels.emotions[utterance] = known
        if fold is not None:
            labels.folds.setdefault(utterance, fold)
    return labels


def _rows(path: FilePath) -> Iterator[tuple[str, str, str, int | None]]:
    """Place, utterance, label and fold of every row of a table."""
    header = "".join(read_lines(path)[:1]).split("\t")
    folds = ["fold"] if "fold" in header else []
    for line, row in read_rows(path, ["utterance", "label", *folds]):
        where = f"{path}:{line}"
        if not row["utterance"]:
            raise BadInput(f"{where}: names no utterance")
        yield where, row["utterance"], row["label"], _fold(row["fold"], where) if folds else None


def _fold(text: str, where: str) -> int:
    fold = whole_number_in(text)
    if fold is None or fold >= MOST_FOLDS:
        raise BadInput(f"{where}: fold '{text}' is no number below {MOST_FOLDS}")
    return fold


def _rows_of_kaldi(folder: Path) -> Iterator[tuple[str, str, str, int | None]]:
    """The same of a data directory of the challenge."""
    folds, speakers = {}, {}
    if (folder / "spk2fold").exists():
        speakers = {utterance: speaker for _, utterance, speaker in _pairs(folder / "utt2spk")}
        folds = {
            speaker: _fold(fold, where) for where, speaker, fold in _pairs(folder / "spk2fold")
        }
    for where, utterance, label in _pairs(folder / "utt2emo"):
        yield where, utterance, label, folds.get(speakers.get(utterance, ""))


def _pairs(path: Path) -> Iterator[tuple[str, str, str]]:
    """Place and two fields of every line of a table without a header."""
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split(maxsplit=1)
        if len(fields) == 1:
            raise BadInput(f"{path}:{line}: expected 2 columns")
        if fields:
            yield f"{path}:{line}", composed(fields[0]), fields[1].strip()


def _rows_of_iemocap(folder: Path) -> Iterator[tuple[str, str, str, int | None]]:
    """The same of IEMOCAP's folder: what the evaluators agreed on, where it is one of the four."""
    sessions = [session for session in SESSIONS if files(folder, session, EVALUATIONS)]
    if not sessions:
        raise BadInput(f"{folder}: has neither utt2emo nor Session*/{EVALUATIONS}")
    for session in sessions:
        for evaluated in read_evaluations(folder, session):
            if evaluated.label in OF_FOUR_EMOTIONS:
                yield evaluated


def measure(
    original: Sequence[Utterance],
    protected: Sequence[Utterance],
    *,
    name: str,
    labels: str,
    model: str | None = None,
    predictions: str | None = None,
    definition: str,
    excited: str = MERGED,
    device: str = "cpu",
) -> Iterator[Measured]:
    """Yield whether the emotion of every protected utterance is still heard.

    Parameters
    ----------
    name : of the measure: its metrics begin with it
    labels : what ``read_labels`` reads
    model : folder of a classifier, or of several with {fold}
    predictions : instead of a model: what ``read_predictions`` reads
    definition : whose way of counting
    excited : what excited speech counts as; the challenges merge it
    device : where the classifier runs
    """
    defined = DEFINITIONS[definition]
    true = read_labels(labels, defined, excited=excited)
    if predictions is not None:
        heard = read_predictions(predictions, defined, true)
    else:
        labelled = [line for line in protected if line.utterance in true.emotions]
        heard = classified(labelled, str(model), true, defined, device=device)
    names = [utterance.utterance for utterance in protected]
    yield from recalls(name, names, true=true, heard=heard, definition=defined)


def check(
    names: Sequence[str],
    *,
    name: str,
    labels: str,
    definition: str,
    predictions: str | None = None,
    excited: str = MERGED,
    **_: str,
) -> None:
    """Read the tables of some utterances before anything is computed; options as of ``measure``.

    Raises
    ------
    BadInput : labels or predictions cannot be read, or lack an utterance
    """
    defined = DEFINITIONS[definition]
    true = read_labels(labels, defined, excited=excited)
    if predictions is not None:
        heard = read_predictions(predictions, defined, true)
        [*recalls(name, names, true=true, heard=heard, definition=defined)]


def classified(
    utterances: Iterable[Utterance],
    model: str,
    true: Labels,
    definition: Definition,
    *,
    device: str,
) -> Labels:
    """What a classifier hears in utterances, or that of the fold of each."""
    from tqdm import tqdm

    from voiceprivacy.inout import audio
    from voiceprivacy.models.devices import torch_device
    from voiceprivacy.models.folders import refusing
    from voiceprivacy.utility.listeners import SAMPLE_RATE, Classifier, classifier

    heard = Labels(model, {}, true.folds)
    listeners: dict[str, Classifier] = {}
    for utterance in tqdm(list(utterances), unit="utterance", mininterval=1.0):
        folder = model
        if FOLD in model:
            folder = model.replace(FOLD, str(true.fold(utterance.utterance)))
        if folder not in listeners:
            listeners[folder] = classifier(Path(folder), device=torch_device(device))
        wave, rate = audio.read(utterance.path)
        samples = audio.resample(wave, source_rate=rate, target_rate=SAMPLE_RATE)
        message = f"{utterance.path}: utterance '{utterance.utterance}' cannot be classified"
        with refusing(message, errors=RuntimeError):
            label = listeners[folder].classify(samples)
        known = emotion(label, definition.mapped)
        if known is None:
            raise BadInput(f"{folder}: hears '{label}', which the definition does not know")
        heard.emotions[utterance.utterance] = known
    return heard


def recalls(
    name: str,
    utterances: Iterable[str],
    *,
    true: Labels,
    heard: Labels,
    definition: Definition,
) -> Iterator[Measured]:
    """Yield what is right and wrong of every utterance: NAME_angry_percent, ... and NAME_fold.

    Raises
    ------
    BadInput : there is no label, or none of an emotion, or an utterance with a label has no
        prediction
    """
    utterances = list(utterances)
    labelled = [utterance for utterance in utterances if utterance in true.emotions]
    if not labelled:
        raise BadInput(f"{true.source}: has no label of these, such as '{utterances[0]}'")
    present = {true.emotions[utterance] for utterance in labelled}
    if absent := [label for label in EMOTIONS if label not in present]:
        raise BadInput(f"{true.source}: no utterance is {absent[0]}: there is no recall of it")
    if missing := [utterance for utterance in labelled if utterance not in heard.emotions]:
        raise BadInput(
            f"{heard.source}: {len(missing)} of {counted(len(labelled), 'utterance')} with a label"
            f" have no prediction, such as '{missing[0]}'"
        )
    for utterance in utterances:
        own = true.emotions.get(utterance)
        for label in EMOTIONS:
            is_right = heard.emotions.get(utterance) == own
            value: float | str = 100 * is_right if label == own else UNDEFINED
            yield Measured(utterance, f"{name}_{label}_percent", value)
        if definition.of_folds:
            fold = heard.fold(utterance) if own else UNDEFINED
            yield Measured(utterance, f"{name}_fold", fold)
