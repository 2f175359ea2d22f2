"""The words that all rooms share: conditions, parts, reserved names, and the key of a number.

Names of people's own things (corpora, anonymisers, attackers) match ``[a-z][a-z0-9_]*``; the
reserved words below are never theirs.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# Parts of a corpus: what enrols, what is tried, and what attackers are trained on.
PARTS = ("enrolment", "trial", "train")

# What stands in a corpus's entry of a config. Kinds and protocols are modules of the corpora room.
CORPUS_KINDS = ("librispeech", "vctk", "kaldi", "folder", "synthetic", "iemocap")
BESIDE_THE_KIND = ("pipes", "limit", "segments", "channel", "exclude", "on_bad_audio")
NO_TRIALS = "no_trials"  # of what is protected and measured, and not attacked
PROTOCOLS = ("enrol_trial", "given", "all_pairs", "rank_sampling", NO_TRIALS)

# What a corpus is for (use): attacks and utility, utility alone, or that attackers learn.
EVALUATION, UTILITY_ALONE, TRAIN = "evaluation", "utility", "train"

# What an interval needs at least.
FEWEST_SPEAKERS, FEWEST_REPLICATES = 3, 2

# Extractors that are no networks; each is a key of an extractor's entry. Histograms are compared by
# jensen_shannon, words by cosine.
HISTOGRAMS = ("f0", "contour", "units", "style", "timing", "background")
WORDS = "words"
OF_TEXT = ("style", WORDS)  # features of what is said, not of the voice
RECOGNISER, EMOTION = "recogniser", "emotion"  # measures of utility by networks of others
PITCH = "pitch_correlation"  # the measure of utility that every run makes
QUALITY = "quality"
WHISPER = "whisper"  # words that a network hears, against transcripts
WORDS_KEPT = "words_kept"  # ... against what it hears in the original
CLOSED_TEXT = "closed_text"  # the one that runs with transcripts make, called words
ENGLISH = "en"  # of ISO 639
VOICE = "voice"  # that every run measures whose attackers embed speech
FEATURES = (*HISTOGRAMS, WORDS)
EMOTIONS = ("angry", "happy", "neutral", "sad")  # that the challenges tell apart

PACKAGES = ("resemblyzer", "dvector", "whisper")  # whose weights come inside a Python package
# What known encoders learnt from, by the package or the model that a config names.
VOXCELEB = ("VoxCeleb 1", "VoxCeleb 2")
LEARNT_FROM = {
    "resemblyzer": ("LibriSpeech train-other-500", *VOXCELEB),
    "dvector": ("speech that is not declared",),
    "whisper": ("speech that is not declared",),
    "{resources}/ecapa_small": ("LibriSpeech train-clean-100",),
    "speechbrain/spkrec-ecapa-voxceleb": VOXCELEB,
    "speechbrain/spkrec-xvect-voxceleb": VOXCELEB,
}

SHARDS = "shards"  # the folder of the manifests of a part's shards, beside that of the part
MOST_LINKED = 50_000  # pairs of either class that link a release with itself

# The function of an anonymiser that is McAdams, as its entry has it.
MCADAMS = "{scripts}/voiceprivacy/anonymise/functions/mcadams.py:mcadams"

# Reserved names.
ORIGINAL = "original"  # the anonymiser of unprotected speech
GIVEN = "given"  # the back-end of an attack whose scores somebody else made
MEAN = "mean"  # the trial list that stands for the mean of all lists of a corpus
ACROSS_CORPORA = "over-corpora"  # the corpus that stands for an average over several
EVERYTHING = "all lists"  # the average of all lists of a run with several corpora
SEMI_INFORMED = "semi"  # the back-end that a run gets where nobody learns from protected speech
TRAINED_ON = "_on_"  # an attacker trained on protected speech: <name>_on_<anonymiser>
FURTHER_DRAW = "_draw"  # the k-th draw of an anonymiser: <name>_draw<k>, k = 2, 3, ...
SECOND_RUN = "_run1"  # the second, independent run of an anonymiser: <name>_run1

# Keys of a measure: how much it hears at most, of each speaker, of each sex and in all.
CHOSEN_BY = ("utterances", "sample", "minutes")

SOURCES = "results/sources/"  # fingerprints of people's files
# Below results/: what anonymisers draw from where a config has no seed.
SECRET_SEED = "secret_seed"  # noqa: S105  # the name of a file
# A folder below the results: what is compared of the run before.
PREVIOUS = "previous"
COMPARED = ("evidence.json", "verdict.json", "metrics.tsv", "provenance.json")
# Of the files below results/; it is raised where older results cannot be carried on.
RESULTS_FORMAT = 4

AUDIO_ENDINGS = (".wav", ".flac", ".opus", ".ogg", ".mp3")  # of protected recordings in folders

# Values in tables.
UNDEFINED = "undefined"  # 0 / 0; the log of the job says why
ALIKE = "cannot be told apart"  # verdict about two anonymisers
ABSENT = "-"  # a column that does not apply, a limit that does not exist

# Signs in texts that people read.
DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
INFINITY = "\N{INFINITY}"
NO_BREAK = "\N{NO-BREAK SPACE}"
DAGGER = "\N{DAGGER}"  # marks an interval that is drawn from too few errors


class Speech(NamedTuple):
    """Whose speech a condition compares: original, or one of an anonymiser's two runs."""

    enrolment: str
    trial: str


CONDITIONS = {
    "oo": Speech("original", "original"),
    "op": Speech("original", "run0"),
    "pp": Speech("run0", "run0"),
    "p0p1": Speech("run0", "run1"),
    "rr": Speech("run0", "run0"),
}
WITHIN_RELEASE = ("rr",)  # trial utterances against each other, each unordered pair once
PROTECTED_CONDITIONS = ("op", "pp")  # in which every anonymiser is attacked
# Known leaks: controls in which so many percent of the recordings are left unprotected.
LEAKS = {"leak_5": 5, "leak_20": 20}
# What such a recording scores instead: po is no attack, original trials against protected speech.
LEFT_UNPROTECTED = {"op": "oo", "pp": "po"}
SPEECH_SCORED = CONDITIONS | {"po": Speech("run0", "original")}


class NumberKey(NamedTuple):
    """What a number is of: one line of metrics.tsv without its value."""

    corpus: str
    trials: str
    anonymiser: str
    extractor: str
    backend: str
    condition: str
    metric: str


class Attack(NamedTuple):
    """An attacker and the trials that are attacked."""

    corpus: str
    trials: str
    extractor: str
    backend: str

    def path(self, anonymiser: str) -> str:
        """Where files about one system under this attack lie, below a folder of their kind."""
        return f"{self.corpus}/{self.trials}/{anonymiser}/{self.extractor}/{self.backend}"


def is_made_up(corpus: Mapping[str, Any]) -> bool:
    """Whether a corpus's entry in a config says that its voices are synthetic, and no people's."""
    return "synthetic" in corpus or corpus.get("made_up", False)


def attacker_name(extractor: str, backend: str) -> str:
    """Who attacks, in words: resemblyzer + semi-informed (b2) for resemblyzer + semi_on_b2."""
    return f"{in_words(extractor)} + {in_words(backend)}"


def in_words(name: str) -> str:
    """An extractor or a back-end: semi-informed (b2) for semi_on_b2."""
    base, _, anonymiser = name.partition(TRAINED_ON)
    shown = "semi-informed" if base == SEMI_INFORMED else base
    return f"{shown} ({anonymiser})" if anonymiser else name


class TrialList(NamedTuple):
    """A trial list or a sampled gallery of a corpus."""

    corpus: str
    trials: str


def draws_of(names: Iterable[str]) -> dict[str, list[str]]:
    """Anonymisers, each with all its draws: {name: [name, name_draw2, ...]}.

    >>> draws_of(["b2", "b2r", "b2r_draw2", "x_draw2"])
    {'b2': ['b2'], 'b2r': ['b2r', 'b2r_draw2'], 'x_draw2': ['x_draw2']}
    """
    names = list(names)
    draws: dict[str, list[str]] = {}
    for name in names:
        first, _, number = name.rpartition(FURTHER_DRAW)
        is_further = first in names and number.isdecimal()
        draws.setdefault(first if is_further else name, []).append(name)
    return draws


def all_averages(
    averages: dict[str, dict[str, dict[str, float]]], lists: Iterable[tuple[str, str]]
) -> dict[str, dict[TrialList, float]]:
    """Every average over trial lists of several corpora: {name: {list: weight}}.

    Of several corpora there is an average of all their lists with equal weights, whatever the
    config says. It comes last.

    Parameters
    ----------
    averages : weighted means as in the config: {name: {corpus: {list: weight}}}
    lists : (corpus, list) of all trial lists of the run
    """
    tried = [TrialList(*trial_list) for trial_list in lists]
    weighted: dict[str, dict[TrialList, float]] = {}
    for name, corpora in averages.items():
        weighted[name] = {}
        for corpus, weights in corpora.items():
            for trials, weight in weights.items():
                weighted[name][TrialList(corpus, trials)] = weight
    if len({trial_list.corpus for trial_list in tried}) > 1:
        weighted[EVERYTHING] = dict.fromkeys(tried, 1)
    return weighted


def average_folder(name: str) -> str:
    """An average's name as part of a path.

    Files about an average lie where those about a list do, with ACROSS_CORPORA as the corpus and
    this name as the list. Both have a hyphen, which no name of a corpus or an average has.
    """
    return name.replace(" ", "-")


class HeldOut(NamedTuple):
    """What an attacker finds in training speakers who were held out.

    They speak as the speech that was learnt from does. ``eer_percent`` is of their trials, and
    ``p_value`` is how often permuted speakers give as small a one. Both are "undefined" for a
    ``reason``, which is empty otherwise. ``n_training_speakers`` is how many the attacker learnt
    from.
    """

    n_training_speakers: int
    n_speakers: int
    n_trials: int
    eer_percent: float | str
    p_value: float | str
    reason: str


# Rows of tables that privacy writes and the report reads; their fields are the columns. Text is an
# undefined number, None a limit that does not exist (- in the file).


class SystemInterval(NamedTuple):
    """The mean of one system over the lists, with its interval."""

    condition: str
    metric: str
    anonymiser: str
    value: float | str
    ci_low: float | None
    ci_high: float | None


class Pair(NamedTuple):
    """Comparison of two systems by one metric.

    ``share_a_better`` is the share of replicates in which A beats B (ties count half). ``p_holm``
    is corrected for all pairs of anonymisers that were compared by this metric under this
    condition. ``verdict`` follows the interval.
    """

    condition: str
    metric: str
    anonymiser_a: str
    anonymiser_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


class StrongestPair(NamedTuple):
    """Two anonymisers under the strongest attack on each; B may be ``original``. See Pair."""

    metric: str
    anonymiser_a: str
    extractor_a: str
    backend_a: str
    condition_a: str
    anonymiser_b: str
    extractor_b: str
    backend_b: str
    condition_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


class UtilityMean(NamedTuple):
    """One number of metrics/utility/CORPUS.tsv, a mean over utterances (see utility/summary).

    ``measure`` is the name in the config, ``better`` is higher, lower or -.
    """

    corpus: str
    trials: str
    anonymiser: str
    measure: str
    metric: str
    value: float | str
    ci_low: float | None
    ci_high: float | None
    n_utterances: int
    n_undefined: int
    n_speakers: int
    better: str


class SpeakerWords(NamedTuple):
    """Word errors of a speaker (see utility/speakers); ``measure`` is the name in the config."""

    anonymiser: str
    measure: str
    speaker: str
    n_utterances: int
    n_words: int
    substitutions: int
    insertions: int
    deletions: int
    wer_percent: float | str


class UtilityPair(NamedTuple):
    """Two anonymisers by one measure of utility on a list (- for all utterances). See Pair.

    B may be ``original``; p-values of such pairs are corrected together. Where it is not known
    which way is better, ``share_a_better`` is "undefined".
    """

    trials: str
    metric: str
    anonymiser_a: str
    anonymiser_b: str
    value_a: float | str
    value_b: float | str
    difference: float | str
    ci_low: float | None
    ci_high: float | None
    share_a_better: float | str
    p_value: float
    p_holm: float
    verdict: str


ALL_UTTERANCES = "all"  # of a speaker, as a length of what belongs together


class LawPoint(NamedTuple):
    """One point of a criterion of data-protection law, of scores in one reading.

    ``length`` is how many utterances belong together, or "all". Numbers are shares from 0 to 1;
    ``guessing`` is what guessing gives. Limits that are not known to hold are -.
    """

    reading: str
    criterion: str
    n_speakers: int
    length: int | str
    value: float
    ci_low: float | None
    ci_high: float | None
    guessing: float


# What tests and templates of a sampled gallery hold: seconds of unprotected recordings.
GALLERY_SECONDS = ("mean_test_s", "mean_template_s")

ATTRIBUTES = ("sex", "age", "accent")  # of speakers, which speech may tell


class Inferred(NamedTuple):
    """What an attacker who knows others' attribute tells of unheard speakers' single utterances.

    ``classes`` says how many speakers each class has: "f 10, m 10". ``recall_percent`` is the
    unweighted average recall and ``null95_percent`` what guessing stays below. ``gain_percent`` is
    the share of what guessing misses. ``left_percent`` is the gain in proportion to that of
    unprotected speech. Numbers are "undefined" for the ``reason``; limits that do not exist are -.
    """

    corpus: str
    anonymiser: str
    extractor: str
    condition: str
    attribute: str
    classes: str
    n_speakers: int
    n_utterances: int
    guessing_percent: float | str
    recall_percent: float | str
    recall_low: float | None
    recall_high: float | None
    null95_percent: float | str
    gain_percent: float | str
    gain_low: float | None
    gain_high: float | None
    left_percent: float | str
    left_low: float | None
    left_high: float | None
    reason: str


class Heard(NamedTuple):
    """A channel of a system under a condition: whose scores tell it, and by which attacker.

    Words are those of unprotected speech, whoever protects them: its scores stand for them.
    """

    anonymiser: str
    condition: str
    channel: str
    heard_in: str
    heard_under: str
    extractor: str
    backend: str


class AtlasPoint(NamedTuple):
    """What a channel of a system discloses of who speaks, by the rank of the true speaker.

    ``most_bit`` is log2 of the gallery's size, more than which no rank discloses. Limits that are
    not known are -.
    """

    anonymiser: str
    condition: str
    channel: str
    value: float
    ci_low: float | None
    ci_high: float | None
    most_bit: float


class ExposedPoint(NamedTuple):
    """What a channel of a system discloses of one speaker, in bits, with its limits.

    It is drawn towards what all speakers disclose; limits hold for all speakers of a channel.
    """

    anonymiser: str
    condition: str
    channel: str
    speaker: str
    value: float
    ci_low: float
    ci_high: float


STREAMED = "streaming.json"  # what was measured of a stream, in the folder of its speech


class Protecting(NamedTuple):
    """How an anonymiser protects the trials of a corpus, with all its draws.

    ``benchmarks`` are the files below results/benchmarks of each draw's jobs, none where others
    protected the speech. ``streaming`` is what its entry says, None for nothing. ``latencies`` is
    what Path.glob finds of each draw, where a stream was tried.
    """

    corpus: str
    anonymiser: str
    device: str
    benchmarks: list[list[str]]
    streaming: bool | None
    latencies: list[str]


class Speed(NamedTuple):
    """How long an anonymiser takes for the trials of a corpus.

    ``real_time_factor`` is ``seconds`` of the ``device`` (cpu or gpu) for a second of speech, and
    "undefined" where they are not known. ``streaming`` is yes, no, or - where nobody says.
    ``latency_ms`` is the longest delay of a sample, and - where no chunks were tried.
    """

    corpus: str
    anonymiser: str
    device: str
    seconds: float
    speech_s: float
    real_time_factor: float | str
    streaming: str
    latency_ms: float | str = "-"


class Exposure(NamedTuple):
    """One speaker in one condition.

    ``dece_bit`` and ``worst_case_log10`` are as in ZEBRA, of own trials only; "undefined"
    without a target or without a nontarget trial.
    """

    speaker: str
    n_target: int
    n_nontarget: int
    dece_bit: float | str
    worst_case_log10: float | str


class Animal(NamedTuple):
    """One speaker in one condition; a mean without pairs is "undefined".

    ``corner`` is where the speaker lies. ``p_value`` is how easily chance fills that corner as
    much; it is "undefined" outside of the corners. ``animal`` and ``doddington`` are the names that
    the test allows, else -.
    """

    speaker: str
    n_target: int
    n_impostor: int
    mean_target_llr: float | str
    mean_impostor_llr: float | str
    corner: str
    p_value: float | str
    animal: str
    doddington: str


class Disclosure(NamedTuple):
    """One speaker: utterances, share at rank 1, mean rank, disclosure of the fitted model.

    ``shrunken`` is that of a model of all speakers together, with limits that hold for all of them
    at once.
    """

    speaker: str
    n_utterances: int
    identification_rate_percent: float
    mean_rank: float
    model_mean_disclosure_bit: float
    model_alpha: float | str
    model_beta: float | str
    shrunken_disclosure_bit: float
    shrunken_low_bit: float
    shrunken_high_bit: float
