"""A repository of results, as two laboratories fill it: two systems, two attackers, one list."""

import numpy as np

from voiceprivacy.organise.recomputed import Listed, recomputed, write_listed, write_scored
from voiceprivacy.organise.records import SCORES, TRIALS, path_of, write_record

UNSAID = {"not_reported": "a made-up one"}
SPEAKERS = ["s1", "s2", "s3", "s4", "s5", "s6"]
PROTOCOL = "libri_f"
DRAWS = 20


def listed():
    """Every speaker against two utterances of each, and the utterances against each other."""
    utterances = {f"{speaker}-{k}": speaker for speaker in SPEAKERS for k in (1, 2)}
    trials, release = {}, {}
    for one in SPEAKERS:
        for other, speaker in utterances.items():
            trials[one, other] = "target" if one == speaker else "nontarget"
    names = sorted(utterances)
    for position, one in enumerate(names):
        for other in names[position + 1 :]:
            same = utterances[one] == utterances[other]
            release[one, other] = "target" if same else "nontarget"
    speakers = utterances | {speaker: speaker for speaker in SPEAKERS}
    return Listed({"trials": trials, "release": release}, speakers)


def write_protocol(folder, *, public=True):
    own = listed()
    record = {"name": PROTOCOL, "title": "a list", "public": public}
    record |= {"data": ["LibriSpeech test-clean"]}
    record |= {"sha256": own.hashes(), "counts": own.counts()}
    write_record(folder, "protocol", record)
    if public:
        write_listed(folder / "protocols" / f"{PROTOCOL}{TRIALS}", own)
    return own


def write_system(folder, name, revision="2026"):
    record = {"name": name, "revision": revision, "title": name, "paper": UNSAID, "year": None}
    write_record(folder, "system", record)


def write_result(folder, system, attacker, *, laboratory, strength, tier="B", **more):
    """An attack that finds ``strength`` standard deviations in protected, and 4 in original speech.

    Scores of unprotected speech depend on the attacker only.
    """
    own = listed()
    result = {"system": system, "revision": "2026", "protocol": PROTOCOL, "attacker": attacker}
    result |= {"attacker_revision": "1", "tier": tier, "laboratory": laboratory, **more}
    scores = {}
    for condition, distance in (("oo", 4.0), ("op", strength), ("rr", strength)):
        seed = [len(condition), *map(ord, attacker + (system if condition != "oo" else ""))]
        draw = np.random.default_rng(seed)
        scores[condition] = {
            pair: distance * (label == "target") + float(draw.normal())
            for pair, label in own.pairs(condition).items()
        }
    path = folder / path_of(result, SCORES)
    result["conditions"] = {
        condition: recomputed(condition, values, own, draws=DRAWS, path=path)
        for condition, values in scores.items()
    }
    result |= {"draws": DRAWS, "controls": {"refused": None}, "date": "2026-11-23"}
    result["scores"] = write_scored(path, scores, own) if tier == "B" else None
    return write_record(folder, "replication" if more else "result", result)


def write_repository(folder):
    """Laboratory A: x under attacker one. Laboratory B: x under two, and y under one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "laboratories.tsv").write_text("laboratory\nLaboratory A\nLaboratory B\n")
    write_protocol(folder)
    for name in ("x", "y"):
        write_system(folder, name)
    for name in ("one", "two"):
        record = {"name": name, "revision": "1", "title": name, "weights": {}}
        record |= {"training_data": ["VoxCeleb 1"], "adaptation": None, "code": UNSAID}
        write_record(folder, "attacker", record)
    write_result(folder, "x", "one", laboratory="Laboratory A", strength=0.2)
    write_result(folder, "x", "two", laboratory="Laboratory B", strength=2.0)
    write_result(folder, "y", "one", laboratory="Laboratory B", strength=1.0)
    return folder
