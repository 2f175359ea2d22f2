"""A finished run with speech to listen to, and listeners whose ability is known."""

import functools
import json

import numpy as np

from support.runs import spoken
from voiceprivacy.inout import audio
from voiceprivacy.inout.tables import Utterance, write_manifest
from voiceprivacy.report.mailed import KEY, KEY_BYTES

SYSTEMS = ("loud", "muffled")


def write_run(results, *, genders="ffffmmmm", utterances=4, systems=SYSTEMS, seconds=1.2, key="11"):
    """Write the manifests and the speech of a corpus called tiny, as a run leaves them.

    Speakers are called after nobody: their ids would be seen on a page. ``key`` is the first byte
    of the run's secret, and all others: on it hang all draws of its tests.
    """
    results.mkdir(parents=True)
    (results / KEY).write_text(f"{key * KEY_BYTES}\n")
    for part in ("enrolment", "trial"):
        for system in ("original", *systems):
            lines = []
            for k, gender in enumerate(genders):
                for number in range(utterances):
                    name = f"{part}person{k}spoke{number}"
                    path = results / "audio/tiny" / part / system / "wav" / f"{name}.flac"
                    gain = {"loud": 3, "muffled": 0.3}.get(system, 1)
                    pitch = (210 if gender == "f" else 110) + 7 * k
                    audio.write(path, gain * speech(k, name, pitch, seconds), 16000)
                    lines.append(Utterance(name, f"person{k}", gender, path, seconds))
            write_manifest(results / "audio/tiny" / part / system / "manifest.tsv", lines)
    return results


@functools.cache
def speech(k, name, pitch, seconds):
    """What somebody says, the same for every system."""
    return spoken(f"person{k}", name, pitch, seconds=seconds)


def write_key(folder, key):
    """Write a key, and return its path."""
    path = folder / "key.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(key))
    return path


def answers_of(key, listener, rate):
    """A file of answers as a page saves it; ``rate`` (item) is the rating."""
    page = key["listeners"][listener]
    items = [item for item in key["items"] if item["page"] == page]
    answers = [{"code": item["code"], "rating": rate(item)} for item in items]
    return {
        "format": 1,
        "test": key["test"],
        "page": page,
        "listener": listener,
        "equipment": "headphones",
        "answers": answers,
    }


def write_answers(folder, key, rate_of, *, count=None):
    """Write the answers of listeners, whom ``rate_of`` (generator) makes, and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for k, listener in enumerate(list(key["listeners"])[:count]):
        path = folder / f"answers_{listener}.json"
        rate = rate_of(np.random.default_rng(k))
        path.write_text(json.dumps(answers_of(key, listener, rate)))
        paths.append(path)
    return paths


def with_ability(d_prime, *, controls=True):
    """Makes listeners of a known d' who decide at the middle; on controls they do not err.

    Without ``controls`` they hear no more there than elsewhere. The evidence gives the confidence.
    """

    def rate_of(draw):
        def rate(item):
            is_sure = item["role"] == "control" and controls
            strength = 8 if is_sure else d_prime
            sign = 1 if item["label"] == "target" else -1
            evidence = draw.normal(sign * strength / 2)
            return int(np.clip(np.floor(4 + 1.2 * evidence), *((4, 6) if evidence > 0 else (1, 3))))

        return rate

    return rate_of


def tasteful(points):
    """Makes listeners who give each system so many points, more or less."""

    def rate_of(draw):
        taste = draw.normal(0, 4)

        def rate(item):
            if item["system"] in ("original", "anchor"):
                return {"original": 95, "anchor": 10}[item["system"]]
            return int(np.clip(points[item["system"]] + taste + draw.normal(0, 6), 0, 100))

        return rate

    return rate_of
