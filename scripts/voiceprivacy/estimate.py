"""What a run will take, before it starts: disk and the time of one core, from the amount of speech and of trials.

The rates are those of one core of a machine of 2024; they are meant to tell minutes from days. An anonymiser of one's
own and the training of attackers are not in them.
"""

import shutil
from typing import NamedTuple

from voiceprivacy.plan import Plan

FLAC_BYTES_PER_SAMPLE = 1.15  # speech, as LibriSpeech has it
EMBEDDING_BYTES = 900  # 192 dimensions and an id
SCORE_BYTES = 65  # a line of a score table
CELL_BYTES = 8  # of a score matrix
MCADAMS = "anonymise_mcadams.py"
SECONDS_PER_SECOND = {"mcadams": 0.004, "read": 0.002, "ecapa": 0.05, "small": 0.01}  # of speech; our recipes are small
SECONDS_PER_SCORE = 2e-5


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
    trials = sum(count for of in examined.values() for count in of.lists.values())
    prepared = {key: size for key, size in sizes.items() if _is_made(config["corpora"][key[0]])}
    attackers = len(plan.extractors) * len(plan.backends)
    conditions = 1 + sum(len(plan.conditions(name)) for name in plan.anonymisers)
    mcadams = [name for name in plan.protected if MCADAMS in plan.anonymiser(name).get("command", "")]
    spoken, to_train = _seconds(evaluated), _seconds(sizes) - _seconds(evaluated)
    n_embeddings = len(plan.extractors) * (
        (1 + len(plan.protected)) * sum(size.utterances for size in evaluated.values())
    )
    heard = (1 + len(plan.protected)) * spoken + (to_train if plan.backends else 0)
    embedding = sum(SECONDS_PER_SECOND["small" if "train" in of else "ecapa"] for of in plan.extractors.values())
    return [
        Step("prepared speech", _flac(prepared, config), SECONDS_PER_SECOND["read"] * _seconds(sizes)),
        Step(
            "protected speech",
            len(plan.protected) * _flac(evaluated, config),
            len(mcadams) * spoken * SECONDS_PER_SECOND["mcadams"],
        ),
        Step("embeddings", n_embeddings * EMBEDDING_BYTES, heard * embedding),
        Step(
            "scores", attackers * conditions * trials * SCORE_BYTES, attackers * conditions * trials * SECONDS_PER_SCORE
        ),
    ]


def text(steps):
    """The steps as a short table with the sum and the free disk."""
    rows = [*steps, Step("all", sum(step.bytes for step in steps), sum(step.seconds for step in steps))]
    lines = ["estimate (without anonymisers of your own and without training)   disk   time on one core"]
    lines += [f"  {step.what:<60}{_size(step.bytes):>8}   {_time(step.seconds)}" for step in rows]
    return "\n".join([*lines, f"  free on this disk{_size(shutil.disk_usage('.').free):>51}"])


def _is_made(entry):
    """Whether a corpus's audio is written again: spoken, cut, or in need of another rate."""
    return "synthetic" in entry or "vctk" in entry or "segments" in entry or entry["pipes"]


def _seconds(sizes):
    return sum(size.seconds for size in sizes.values())


def _flac(sizes, config):
    rates = {name: entry["sample_rate"] for name, entry in config["corpora"].items()}
    return sum(size.seconds * rates[name] * FLAC_BYTES_PER_SAMPLE for (name, _), size in sizes.items())


def _size(count):
    unit = next((unit for unit in ("GB", "MB") if count >= {"GB": 1e9, "MB": 1e6}[unit]), "kB")
    return f"{count / {'GB': 1e9, 'MB': 1e6, 'kB': 1e3}[unit]:.0f} {unit}"


def _time(seconds):
    unit, length = next(((unit, of) for unit, of in (("h", 3600), ("min", 60)) if seconds >= 2 * of), ("s", 1))
    return f"{seconds / length:.0f} {unit}"
