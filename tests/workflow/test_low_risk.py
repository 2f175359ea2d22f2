"""A whole run says "low remaining risk" of embeddings without identity, and of no others.

The attacker learns from 100 persons and is tried on 151, as many as make the limits small enough.
"""

import numpy as np
import pytest
import yaml
from support.runs import REVERSED, WITHOUT_MEASURES, finish
from support.trees import names_of, write_kaldi

from voiceprivacy.inout import audio
from voiceprivacy.inout.json_files import read_json

N_LEARNT, N_TRIED = 100, 151
# Embeddings know who speaks where speech is unprotected. Of what one_in_ten protects they know it
# of every tenth speaker.
EMBED = """
import csv, sys
import numpy as np

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rows = list(csv.DictReader(open(given["--manifest"]), delimiter="\\t"))

def embedding(row):
    own, noise = (
        np.random.default_rng(list(text.encode())).normal(size=24)
        for text in (row["speaker"], row["path"])
    )
    is_hidden = "/hidden/" in row["path"]
    is_hidden |= "/one_in_ten/" in row["path"] and not row["speaker"].endswith("0")
    return noise + 2 * own * (not is_hidden)

ids = np.array([row["utterance"] for row in rows])
np.savez(given["--embeddings"], ids=ids, embeddings=np.array([embedding(row) for row in rows]))
"""


def write_speech(folder, speakers, *, enrolled, tried):
    """A Kaldi directory of noise, another one in each recording."""
    names = names_of(speakers, enrolled + tried)
    draw = np.random.default_rng(len(speakers))
    for name in (name for own in names.values() for name in own):
        noise = draw.normal(scale=0.1, size=4000).astype(np.float32)
        audio.write(folder / "wav" / f"{name}.wav", noise, 16000)
    genders = dict.fromkeys(speakers, "f")
    write_kaldi(folder, genders, names, enrolled=enrolled, path=lambda name: f"wav/{name}.wav")


@pytest.mark.nightly
def test_speech_without_identity_has_a_low_remaining_risk_and_one_in_ten_refuses_it(tmp_path):
    speakers = [f"p{number:03}" for number in range(N_LEARNT + N_TRIED)]
    write_speech(tmp_path / "tried", speakers[:N_TRIED], enrolled=2, tried=4)
    write_speech(tmp_path / "learnt", speakers[N_TRIED:], enrolled=1, tried=2)
    (tmp_path / "embed.py").write_text(EMBED)
    config = {
        "corpora": {
            "tried": {"kaldi": "tried", "protocol": {"given": {"all": "tried"}}},
            "learnt": {"kaldi": "learnt", "use": "train"},
        },
        "anonymisers": {"hidden": REVERSED, "one_in_ten": REVERSED},
        "extractors": {"made": {"command": "python embed.py"}},
        "backends": {"cosine": {"type": "cosine"}},
        "utility": WITHOUT_MEASURES,
        "report": {"bootstrap": 0, "listen": 0, "inference": False},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    finish(tmp_path, "results/verdict.json")
    judged = read_json(tmp_path / "results" / "verdict.json")["sets"]["tried"]
    hidden, leaking = (judged["systems"][name] for name in ("hidden", "one_in_ten"))
    assert (hidden["state"], hidden["reasons"]) == ("low", [])
    assert hidden["exposed"]["of"] == N_TRIED
    assert leaking["state"] != "low"
    assert "persons_exposed" in leaking["reasons"] or leaking["state"] == "open"
    assert leaking["exposed"]["beyond_chance"]
