"""The words that all rooms share: conditions, parts, reserved names, and the key of a number.

Names of people's own things (corpora, anonymisers, attackers) match ``[a-z][a-z0-9_]*``; the
reserved words below are never theirs.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Our own folders: {scripts} and {resources} of a config.
SCRIPTS = Path(__file__).resolve().parents[1]
RESOURCES = SCRIPTS.parent / "workflow" / "resources"

NO_PRIVACY_BIT = 1 / (2 * math.log(2))  # D_ECE where every speaker is found: Noe et al., CSL 2022
LABELS = ("target", "nontarget")
P_TARGET = 0.01  # prior of a target, of the detection cost, unless somebody asks for another

# Parts of a corpus: what enrols, what is tried, and what attackers are trained on.
PARTS = ("enrolment", "trial", "train")

# What stands in a corpus's entry of a config beside its kind. Protocols are modules of that room.
BESIDE_THE_KIND = ("pipes", "limit", "segments", "channel", "exclude", "on_bad_audio")
NO_TRIALS = "no_trials"  # of what is protected and measured, and not attacked
PROTOCOLS = ("enrol_trial", "given", "all_pairs", "rank_sampling", NO_TRIALS)

# What a corpus is for (use): attacks and utility, utility alone, or that attackers learn.
EVALUATION, UTILITY_ALONE, TRAIN = "evaluation", "utility", "train"

# What an interval needs at least.
FEWEST_SPEAKERS, FEWEST_REPLICATES = 3, 2
N_REPLICATES = 1000  # that it is made of, unless somebody asks for others
MOST_REPLICATES = 1_000_000
# Which states a verdict has, unless somebody asks for other thresholds: percent of the evidence,
# points of it, and persons (privacy/verdict says what each is).
THRESHOLDS = {
    "open_percent": 10,
    "low_percent": 2,
    "low_all_recordings_percent": 5,
    "unprotected_percent": 50,
    "least_points": 2,
    "learnt_persons": 100,
}
NARROW_BAND = "narrow_band"  # next to nothing above 4 kHz: of corpora, and of what is unsure then
# How many times the bias that replicates of a calibrated cost show is taken off its interval.
OF_CALIBRATION = 3.0

# Extractors that are no networks; each is a key of an extractor's entry. Histograms are compared by
# jensen_shannon, words by cosine.
HISTOGRAMS = ("f0", "contour", "units", "style", "timing", "background")
WORDS = "words"
OF_TEXT = ("style", WORDS)  # features of what is said, not of the voice
WHISPER = "whisper"  # words that a network hears, against transcripts
WORDS_KEPT = "words_kept"  # ... against what it hears in the original
ENGLISH = "en"  # of ISO 639
FEATURES = (*HISTOGRAMS, WORDS)
EMOTIONS = ("angry", "happy", "neutral", "sad")  # that the challenges tell apart

PACKAGES = (
    "resemblyzer",
    "campplus",
    "dvector",
    "whisper",
)  # whose weights come inside a Python package
# What known encoders learnt from, by the package or the model that a config names.
VOXCELEB = ("VoxCeleb 1", "VoxCeleb 2")
CONVERSIONS = "{resources}/conversions/{extractor}.npz"  # back-ends that are shipped
LEARNT_FROM = {
    "resemblyzer": ("LibriSpeech train-other-500", *VOXCELEB),
    "campplus": ("speech that is not declared",),
    "dvector": ("speech that is not declared",),
    "whisper": ("speech that is not declared",),
    "{resources}/ecapa_small": ("LibriSpeech train-clean-100",),
    CONVERSIONS: ("LibriSpeech train-clean-100",),
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
SPEAKERS_LEARNT = (
    "speakers_sha256"  # of a back-end file: from whom it learnt, as ids.hashed_speaker
)
TRAINED_ON = "_on_"  # an attacker trained on protected speech: <name>_on_<anonymiser>
TRAINED_WITHOUT = "_without_"  # one trained on others than it attacks: <name>_without_<anonymiser>
OTHERS = "others"  # in a list of speech to learn from: every anonymiser but the one attacked
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
# Of files that ffmpeg is asked for, unless they begin as others; others are left to libsndfile.
OF_FFMPEG = (
    *(".m4a", ".aac", ".wma", ".amr", ".3gp", ".mka"),
    *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi"),
)
# Endings of recordings. Of two files of one name, the one whose ending is first here is taken.
RECORDINGS = (
    *(".wav", ".flac", ".aiff", ".aif", ".w64", ".caf", ".au", ".sph"),
    *(".ogg", ".oga", ".opus", ".mp3"),
    *OF_FFMPEG,
)

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
DOUBLE_DAGGER = "\N{DOUBLE DAGGER}"  # marks a number that says nothing


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


# Evaluations of the VoicePrivacy Challenge 2026: what each compares.
PLANS_OF_2026 = {
    "june": "the plan of June 2026 (signs of embeddings)",
    "september": "the plan of September 2026 (embeddings of length one)",
}


def evaluation_notes(config: Mapping[str, Any]) -> list[str]:
    """How a run follows the VoicePrivacy Challenge 2026, a sentence for each fact."""
    if "plan" not in config:
        return []
    plan = PLANS_OF_2026[config["plan"]]
    notes = [f"Evaluated as the VoicePrivacy Challenge 2026, by {plan}."]
    for corpus, options in config.get("corpora", {}).items():
        for trials, given in options.get("protocol", {}).get("given", {}).items():
            seed = given.get("cross_gender") if isinstance(given, dict) else None
            if seed is not None:
                own = f"own cross-gender list, seed {seed}"
                notes.append(f"{corpus}, {trials}: {own}. No published rate is of this list.")
    return notes


def attacker_name(extractor: str, backend: str) -> str:
    """Who attacks, in words: resemblyzer + semi-informed (b2) for resemblyzer + semi_on_b2."""
    return f"{in_words(extractor)} + {in_words(backend)}"


def in_words(name: str) -> str:
    """An extractor or a back-end: semi-informed (b2) for semi_on_b2, mix (without b2)."""
    base, word, anonymiser = name_parts(name)
    if word == TRAINED_WITHOUT:
        return f"{base} (without {anonymiser})"
    shown = "semi-informed" if base == SEMI_INFORMED else base
    return f"{shown} ({anonymiser})" if anonymiser else name


def name_parts(name: str) -> tuple[str, str, str]:
    """The name of an attacker in the config, TRAINED_ON or TRAINED_WITHOUT, and the anonymiser.

    >>> name_parts("mix_without_b2"), name_parts("cosine")
    (('mix', '_without_', 'b2'), ('cosine', '', ''))
    """
    return name.partition(TRAINED_WITHOUT if TRAINED_WITHOUT in name else TRAINED_ON)


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


ALL_UTTERANCES = "all"  # of a speaker, as a length of what belongs together


# What tests and templates of a sampled gallery hold: seconds of unprotected recordings.
GALLERY_SECONDS = ("mean_test_s", "mean_template_s")

ATTRIBUTES = ("sex", "age", "accent")  # of speakers, which speech may tell


FREE = "free"  # lengths of an anonymiser whose speech need not last as long as the original

STREAMED = "streaming.json"  # what was measured of a stream, in the folder of its speech
