"""Made-up repositories of results: what laboratories could have sent."""

from voiceprivacy.organise.records import Number, Repository, path_of, referred

UNSAID = {"not_reported": "nobody measured it"}
LABORATORIES = ("Lab A", "Lab B")


def system(name="x", revision="1", **fields):
    """A system that says what a careful author would say."""
    known = {"paper": "https://example.org/paper?id=1", "code": UNSAID, "licence": "Apache-2.0"}
    known |= {"year": 2026, "training_data": ["LibriTTS"], "level": "utterance"}
    return {"name": name, "revision": revision, "title": f"System {name.upper()}"} | known | fields


def attacker(name="ecapa", revision="1", **fields):
    """An attacker that learnt from data that no protocol here is made of."""
    known = {"year": 2026, "weights": {}, "training_data": ["VoxCeleb 2"], "adaptation": "none"}
    return {"name": name, "revision": revision, "title": f"Attacker {name}"} | known | fields


def protocol(name="libri"):
    data = ["LibriSpeech test-clean"]
    return {"name": name, "title": f"Trials {name}", "public": True, "data": data}


def result(system="x", attacker="ecapa", eer=20.0, **fields):
    """A result of an equal error rate in PP with an interval of two to each side."""
    number = eer if isinstance(eer, Number) else Number(eer, eer - 2, eer + 2)
    values = {
        "revision": "1",
        "protocol": "libri",
        "attacker": attacker,
        "attacker_revision": "1",
        "tier": "B",
        "laboratory": "Lab A",
        "conditions": {"oo": {"eer_percent": Number(2.5)}, "pp": {"eer_percent": number}},
    }
    return {"system": system} | values | fields


def word_errors(value, definition="vpc2024"):
    line = {"metric": "wer_percent", "value": value, "low": None, "high": None}
    return line | {"model": "wav2vec2", "definition": definition, "data": "libri_test"}


def repository(folder, results, *, systems=(), attackers=(), listed=LABORATORIES):
    """A repository of some results; whom they name and nobody describes is made up."""
    made = {"system": {}, "attacker": {}, "protocol": {}}
    for one in results:
        who = one["attacker"], one["attacker_revision"]
        made["system"][referred("system", one)] = system(one["system"], one["revision"])
        made["attacker"][referred("attacker", one)] = attacker(*who)
        made["protocol"][referred("protocol", one)] = protocol(one["protocol"])
    for kind, given in (("system", systems), ("attacker", attackers)):
        for one in given:
            made[kind][f"{kind}s/{one['name']}/{one['revision']}/{kind}.json"] = one
    by_path = {path_of(one): one for one in results}
    return Repository(folder, *made.values(), results=by_path, laboratories=frozenset(listed))
