"""What a run will take, before it starts: disk, and the time of one core.

The rates are those of one core of a machine of 2024. Their sum was compared with the processor's
time of the demo, an excerpt and five hours of speech on 23 and 24 November 2026
(docs/internals/load.md): it is right within a factor of two. An anonymiser or a measure of one's
own, measures by networks of others, and the training of attackers are not in it. Speech that is
anonymised already takes no disk unless it has to be converted.
"""

import os
import shutil
from itertools import product
from typing import Any, NamedTuple

from voiceprivacy import corpus_kinds
from voiceprivacy.plan.measures import shipped
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.sources import bytes_of
from voiceprivacy.vocabulary import (
    MCADAMS,
    MOST_LINKED,
    WORDS,
)

FLAC_BYTES_PER_SAMPLE = 1.15  # speech, as LibriSpeech has it
EMBEDDING_BYTES = 900  # 192 dimensions and an id
SCORE_BYTES = 65  # a line of a score table
MCADAMS_COMMAND = "anonymise_mcadams.py"
# Seconds for a second of speech. By the bytes of its weights, ECAPA-TDNN (83 MB) takes 0.06 and
# our small network (2 MB) 0.0015.
READING, COMPARING, MCADAMS_S, FEATURES, HEARING = 0.002, 0.0013, 0.004, 0.004, 0.2
PER_WEIGHT_BYTE = 0.72e-9
PACKAGE_S = {"resemblyzer": 0.004, "campplus": 0.04, "dvector": 0.009, "whisper": 0.1}
HUB_BYTES = 83e6  # of the weights of a model that is not there yet
TRAINED_BYTES = {"small": 2e6, "large": 25e6}  # of one that is still to be trained
SCORING, RESAMPLING = 2e-5, 2e-7  # seconds for a trial; for a trial of a replicate
# Numbers and pictures of one system under one attacker on one list.
SYSTEM_S, SYSTEM_BYTES = 8, 1.3e6
GIVEN_S, GIVEN_BYTES = 1, 0.1e6  # of one whose scores somebody else made
PAGE_S, PAGE_BYTES = 14, 3e6  # with what Snakemake itself takes
FACTOR, SHORT_S = 2, 600


class Step(NamedTuple):
    """One kind of result: what, its disk in bytes, its time on one core in seconds."""

    what: str
    bytes: float
    seconds: float


def estimate(plan: Plan, examined: dict[str, Any]) -> list[Step]:
    """Estimate the steps of a run.

    Parameters
    ----------
    examined : {corpus: corpora.checks.Examination}
    """
    sizes = {}
    for corpus, examination in examined.items():
        for part, size in examination.parts.items():
            sizes[corpus, part] = size
    evaluated = [key for key in sizes if key[1] != "train"]
    prepared = [key for key in sizes if _is_made(plan.speech.corpora[key[0]])]
    protected = [*product(plan.speech.protected, evaluated), *_learnt_from(plan, sizes)]
    compared = [*evaluated, *(key for _, key in protected if key in evaluated)]
    written: list[tuple[str, str]] = []
    mcadams: list[tuple[str, str]] = []
    for name, key in protected:
        options = plan.speech.anonymiser(name)
        if "audio" not in options:
            written.append(key)
        if MCADAMS_COMMAND in options.get("command", "") or options.get("function") == MCADAMS:
            mcadams.append(key)
    return [
        Step("prepared speech", _flac(plan, sizes, prepared), READING * _seconds(sizes, sizes)),
        Step(
            "protected speech",
            _flac(plan, sizes, written),
            MCADAMS_S * _seconds(sizes, mcadams) + COMPARING * _seconds(sizes, compared),
        ),
        _embeddings(plan, sizes, [key for key in evaluated if key[0] in plan.speech.attacked]),
        *_assessment(plan, examined),
        Step("measures of utility", 0, _utility(plan, examined)),
    ]


def _learnt_from(plan, sizes):
    """(anonymiser, key of a part) of each training corpus that is protected, to learn from."""
    parts = []
    for name in plan.speech.anonymisers:
        parts += [(name, (corpus, "train")) for corpus in plan.attackers.learnt_corpora(name)]
    return [part for part in parts if part[1] in sizes]


def _embeddings(plan, sizes, attacked):
    """Every extractor hears the original, and all protected speech or that of its training.

    Of training speech it hears what back-ends learn from.
    """
    learnt_from = {}  # the extractor and the part of each file
    for backend, extractor in plan.attackers.trained():
        part = plan.attackers.backends[backend]["train"]["corpus"], "train"
        original = plan.attackers.original_embeddings(backend, extractor)
        for file in (*plan.attackers.training_embeddings(backend, extractor), original):
            if file and part in sizes:
                learnt_from[file] = extractor, part
    count, seconds = 0, 0.0
    for name, options in plan.attackers.extractors.items():
        if plan.attackers.feature(name) == WORDS and not plan.attackers.recogniser(name):
            continue  # no speech is read
        n_systems = 1 + (1 if options["on"] else len(plan.speech.protected))
        parts = n_systems * attacked
        parts += [part for extractor, part in learnt_from.values() if extractor == name]
        count += sum(sizes[key].utterances for key in parts)
        seconds += _seconds(sizes, parts) * _rate(plan, name)
    return Step("embeddings", count * EMBEDDING_BYTES, seconds)


def _rate(plan, extractor):
    """Seconds that an extractor takes for a second of speech."""
    options = plan.attackers.extractors[extractor]
    if plan.attackers.recogniser(extractor):
        return HEARING
    if "package" in options:
        return PACKAGE_S[options["package"]]
    if "train" in options:
        weights = TRAINED_BYTES["small" if "small" in options["recipe"] else "large"]
    elif "model" in options:
        weights = bytes_of(plan.attackers.model_files(extractor)[-1], otherwise=HUB_BYTES)
    else:
        weights = 0
    return FEATURES + PER_WEIGHT_BYTE * weights  # every weight is used for every frame


def _utility(plan, examined):
    """Seconds for the measures whose rate is known."""
    seconds = 0.0
    for name, options in plan.utility.entries.items():
        kind = shipped(options)
        per_second, per_utterance = kind.seconds if kind else (0, 0)
        for corpus in plan.utility.corpora(name):
            size = _tried(examined, corpus)
            if size and name not in plan.utility.left_out(corpus):
                chosen = options.get("utterances", size.utterances) * size.speakers
                chosen = min(chosen, 2 * options.get("sample", size.utterances))  # of both sexes
                share = min(1, chosen / max(1, size.utterances))
                if options.get("minutes", "all") != "all":
                    share = min(share, 60 * options["minutes"] / max(1, size.seconds))
                heard = per_second * size.seconds + per_utterance * size.utterances
                seconds += len(plan.utility.systems(name)) * share * heard
    return seconds


def _tried(examined, corpus):
    """The Size of the trials of a corpus; None where it is not known."""
    return examined[corpus].parts.get("trial") if corpus in examined else None


def _assessment(plan, examined):
    """The steps from embeddings to the page."""
    n_systems, n_scores = 0, 0
    for attack in (*plan.attackers.attacks(), *plan.attackers.rank_attacks()):
        systems = plan.attackers.systems(attack.extractor, attack.backend)
        n_conditions = sum(len(plan.speech.conditions(system)) for system in systems)
        n_systems += len(systems)
        if tried := _tried(examined, attack.corpus):
            lists = examined[attack.corpus].lists
            # The trials of a list are also linked with each other.
            linked = (tried.utterances / max(1, len(lists))) ** 2 / 2
            n_scores += n_conditions * lists.get(attack.trials, 0)
            n_scores += len(systems) * min(linked, 2 * MOST_LINKED)
    n_given = sum(len(plan.given.systems(attack)) for attack in plan.given.attacks())
    size = PAGE_BYTES + n_systems * SYSTEM_BYTES + n_given * GIVEN_BYTES
    seconds = PAGE_S + n_systems * SYSTEM_S + n_given * GIVEN_S
    seconds += n_scores * RESAMPLING * plan.n_replicates
    return [
        Step("scores", n_scores * SCORE_BYTES, n_scores * SCORING),
        Step("numbers, intervals, pictures, page", size, seconds),
    ]


def text(steps: list[Step]) -> str:
    """The steps as a short table with the sum and the free disk."""
    size, seconds = sum(step.bytes for step in steps), sum(step.seconds for step in steps)
    title = "estimate (without programs of your own and without training)"
    lines = [f"{title}       disk   time on one core"]
    for step in [*steps, Step("all", size, seconds)]:
        lines.append(f"  {step.what:<60}{_size(step.bytes):>8}   {_time(step.seconds)}")
    cores = os.cpu_count() or 1
    title = f"all, on the {cores} cores of this machine, if idle"
    lines.append(f"  {title:<71}{_range(seconds / cores)}")
    lines.append(f"  free on this disk{_size(shutil.disk_usage('.').free):>51}")
    return "\n".join(lines)


def _is_made(corpus):
    """Whether a corpus's audio is written again: spoken, cut, or in need of another rate."""
    kind, _ = corpus_kinds.kind_in(corpus)
    return kind.is_written_again or "segments" in corpus or corpus["pipes"]


def _seconds(sizes, parts):
    return sum(sizes[part].seconds for part in parts)


def _flac(plan, sizes, parts):
    """Bytes of parts, (corpus, part), as FLAC."""
    return FLAC_BYTES_PER_SAMPLE * sum(
        sizes[part].seconds * plan.speech.sample_rate(part[0]) for part in parts
    )


def _size(count):
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if count >= length:
            return f"{count / length:.0f} {unit}"
    return f"{count / 1e3:.0f} kB"


def _range(seconds):
    """A time that is right within a factor of two; of a short run, starting jobs takes most."""
    if FACTOR * seconds < SHORT_S:
        return f"less than {_time(SHORT_S)}"
    return f"{_time(seconds / FACTOR)} to {_time(seconds * FACTOR)}"


def _time(seconds):
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
