"""Made-up repositories of results: what laboratories could have sent."""

from voiceprivacy.inout import seeds
from voiceprivacy.organise.records import (
    Attacker,
    NotReported,
    Number,
    Protocol,
    Repository,
    Result,
    System,
    Utility,
)

UNSAID = NotReported("nobody measured it")
LABORATORIES = ("Lab A", "Lab B")


def system(name="x", revision="1", **fields):
    """A system that says what a careful author would say."""
    values = {
        "title": f"System {name.upper()}",
        "paper": "https://example.org/paper?id=1",
        "code": UNSAID,
        "licence": "Apache-2.0",
        "year": 2026,
        "training_data": ("LibriTTS",),
        "level": "utterance",
        "real_time_factor": 0.5,
    }
    return System(name, revision, **values | fields)


def attacker(name="ecapa", revision="1", **fields):
    """An attacker that learnt from data that no protocol here is made of."""
    values = {
        "title": f"Attacker {name}",
        "paper": None,
        "code": None,
        "licence": None,
        "year": 2026,
        "weights": {},
        "training_data": ("VoxCeleb 2",),
        "adaptation": "none",
        "readings": ("ascending",),
    }
    return Attacker(name, revision, **values | fields)


def protocol(name="libri"):
    """A protocol on LibriSpeech."""
    return Protocol(name, f"Trials {name}", True, ("LibriSpeech test-clean",), None, {}, {}, {})


def result(system="x", attacker="ecapa", eer=20.0, *, tier="B", **fields):
    """A result of an equal error rate in PP with an interval of two to each side."""
    number = eer if isinstance(eer, Number) else Number(eer, eer - 2, eer + 2)
    values = {
        "revision": "1",
        "protocol": "libri",
        "attacker": attacker,
        "attacker_revision": "1",
        "tier": tier,
        "laboratory": "Lab A",
        "date": "2026-11-01",
        "source": None,
        "conditions": {"oo": {"eer_percent": Number(2.5)}, "pp": {"eer_percent": number}},
        "draws": 1000,
        "utility": (),
        "controls": {},
        "versions": {},
        "provenance": {},
        "scores": None,
    }
    return Result(system, **values | fields)


def word_errors(value, definition="vpc2024"):
    """A word error rate."""
    return Utility("wer_percent", value, None, None, "wav2vec2", None, definition, "libri_test")


def repository(folder, results, *, systems=(), attackers=(), listed=LABORATORIES):
    """A repository of some results; whom they name and nobody describes is made up."""
    described = {(one.name, one.revision): one for one in systems}
    attacking = {(one.name, one.revision): one for one in attackers}
    for one in results:
        key = (one.system, one.revision)
        described.setdefault(key, system(*key))
        key = (one.attacker, one.attacker_revision)
        attacking.setdefault(key, attacker(*key))
    return Repository(
        folder,
        described,
        attacking,
        {one.protocol: protocol(one.protocol) for one in results},
        tuple(results),
        frozenset(listed),
    )


def many(folder, n_systems):
    """A challenge: so many systems, two attackers, three protocols, tiers A and B, utility."""
    random = seeds.generator(0, "leaderboard")
    results = []
    for index in range(n_systems):
        name = f"team{index:03d}"
        strength = float(random.uniform(5, 45))
        errors = float(random.uniform(2, 15))
        for listed in ("libri", "vctk", "mixed"):
            for attack, laboratory in zip(("ecapa", "wavlm"), LABORATORIES, strict=True):
                eer = max(2.0, strength + float(random.normal(0, 3)))
                results.append(
                    result(
                        name,
                        attack,
                        eer,
                        tier="A" if index % 4 == 3 else "B",
                        protocol=listed,
                        laboratory=laboratory,
                        utility=(word_errors(errors),),
                    )
                )
    return repository(folder, results)
