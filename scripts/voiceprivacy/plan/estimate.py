"""What a run will take, before it starts: disk and the time of one core, from the amount of speech and of trials.

The rates are those of one core of a machine of 2024; they are meant to tell minutes from days. An anonymiser of one's
own, a measure of one's own and the training of attackers are not in them, and speech that is anonymised already takes
no disk unless it has to be converted.
"""

import shutil
from typing import NamedTuple

from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.sources import bytes_of

FLAC_BYTES_PER_SAMPLE = 1.15  # speech, as LibriSpeech has it
EMBEDDING_BYTES = 900  # 192 dimensions and an id
SCORE_BYTES = 65  # a line of a score table
MCADAMS = "anonymise_mcadams.py"
READING, MCADAMS_S, FEATURES = 0.002, 0.004, 0.004  # seconds for a second of speech
PER_WEIGHT_BYTE = 0.72e-9  # seconds for a second of speech: 0.06 for ECAPA-TDNN's 83 MB, 0.0015 for our small one's 2 MB
HUB_BYTES = 83e6  # of the weights of a model that is not there yet
TRAINED_BYTES = {"small": 2e6, "large": 25e6}  # of one that is still to be trained
SCORING, RESAMPLING = 2e-5, 2e-7  # seconds for a trial; for a trial of a replicate of the intervals
SYSTEM_S, SYSTEM_BYTES = (
    8,
    1.3e6,
)  # numbers and pictures of one system under one attacker on one list
GIVEN_S, GIVEN_BYTES = 1, 0.1e6  # of one whose scores somebody else made
PAGE_S, PAGE_BYTES = 6, 3e6


class Step(NamedTuple):
    """One kind of result: what, the disk it takes in bytes, the time it takes on one core in seconds."""

    what: str
    bytes: float
    seconds: float


def estimate(config, examined):
    """Estimate the steps of a run.

    Parameters
    ----------
    config : dict, completed
    examined : dict {corpus: checks.Examination}

    Returns
    -------
    list of Step
    """
    plan = Plan(config)
    sizes = {(name, part): size for name, of in examined.items() for part, size in of.parts.items()}
    evaluated = {key: size for key, size in sizes.items() if key[1] != "train"}
    prepared = {key: size for key, size in sizes.items() if _is_made(config["corpora"][key[0]])}
    written = [
        name for name in plan.speech.protected if "audio" not in plan.speech.anonymiser(name)
    ]
    mcadams = [
        name for name in written if MCADAMS in plan.speech.anonymiser(name).get("command", "")
    ]
    return [
        Step("prepared speech", _flac(prepared, config), READING * _seconds(sizes)),
        Step(
            "protected speech",
            len(written) * _flac(evaluated, config),
            len(mcadams) * MCADAMS_S * _seconds(evaluated),
        ),
        _embeddings(plan, evaluated, to_train=_seconds(sizes) - _seconds(evaluated)),
        *_assessment(plan, {name: of.lists for name, of in examined.items()}),
    ]


def _embeddings(plan, evaluated, *, to_train):
    """Every extractor hears the original and all protected speech, or that which it was trained on."""
    utterances, spoken = sum(size.utterances for size in evaluated.values()), _seconds(evaluated)
    trained = any("train" in entry for entry in plan.attackers.backends.values())
    count, seconds = 0, 0.0
    for name, entry in plan.attackers.extractors.items():
        systems = 1 + (1 if entry["on"] else len(plan.speech.protected))
        count += systems * utterances
        seconds += (systems * spoken + trained * to_train) * _rate(plan, name)
    return Step("embeddings", count * EMBEDDING_BYTES, seconds)


def _rate(plan, extractor):
    """Seconds that an extractor takes for a second of speech."""
    entry = plan.attackers.extractors[extractor]
    if "train" in entry:
        return (
            FEATURES
            + PER_WEIGHT_BYTE * TRAINED_BYTES["small" if "small" in entry["recipe"] else "large"]
        )
    if "model" not in entry:
        return FEATURES
    weights = plan.attackers.model_files(extractor)[-1]
    return FEATURES + PER_WEIGHT_BYTE * bytes_of(weights, otherwise=HUB_BYTES)


def _assessment(plan, trials):
    """The steps from embeddings to the page; ``trials`` is {corpus: {list: number of trials}}."""
    systems, scores = 0, 0
    for attack in (*plan.attackers.attacks(), *plan.attackers.rank_attacks()):
        of_attack = plan.attackers.systems(attack.extractor, attack.backend)
        conditions = sum(len(plan.speech.conditions(name)) for name in of_attack)
        systems += len(of_attack)
        scores += conditions * trials.get(attack.corpus, {}).get(attack.trials, 0)
    given = sum(len(plan.given.systems(attack)) for attack in plan.given.attacks())
    seconds = (
        PAGE_S + systems * SYSTEM_S + given * GIVEN_S + scores * RESAMPLING * plan.n_replicates
    )
    return [
        Step("scores", scores * SCORE_BYTES, scores * SCORING),
        Step(
            "numbers, intervals, pictures, page",
            PAGE_BYTES + systems * SYSTEM_BYTES + given * GIVEN_BYTES,
            seconds,
        ),
    ]


def text(steps):
    """The steps as a short table with the sum and the free disk."""
    rows = [
        *steps,
        Step("all", sum(step.bytes for step in steps), sum(step.seconds for step in steps)),
    ]
    lines = [
        "estimate (without programs of your own and without training)       disk   time on one core"
    ]
    lines += [f"  {step.what:<60}{_size(step.bytes):>8}   {_time(step.seconds)}" for step in rows]
    return "\n".join([*lines, f"  free on this disk{_size(shutil.disk_usage('.').free):>51}"])


def _is_made(entry):
    """Whether a corpus's audio is written again: spoken, cut, or in need of another rate."""
    return "synthetic" in entry or "vctk" in entry or "segments" in entry or entry["pipes"]


def _seconds(sizes):
    return sum(size.seconds for size in sizes.values())


def _flac(sizes, config):
    rates = {name: entry["sample_rate"] for name, entry in config["corpora"].items()}
    return sum(
        size.seconds * rates[name] * FLAC_BYTES_PER_SAMPLE for (name, _), size in sizes.items()
    )


def _size(count):
    unit = next((unit for unit in ("GB", "MB") if count >= {"GB": 1e9, "MB": 1e6}[unit]), "kB")
    return f"{count / {'GB': 1e9, 'MB': 1e6, 'kB': 1e3}[unit]:.0f} {unit}"


def _time(seconds):
    unit, length = next(
        ((unit, of) for unit, of in (("h", 3600), ("min", 60)) if seconds >= 2 * of), ("s", 1)
    )
    return f"{seconds / length:.0f} {unit}"
