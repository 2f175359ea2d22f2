"""No run embeds the same speech twice with the same extractor."""

import re
from collections import Counter

from support.runs import finish, make_kaldi_directory, write_config

TRAIN = {"corpus": "more", "speech": "anonymised"}


def test_each_part_of_each_system_is_embedded_by_one_job(tmp_path):
    """Second runs, draws, linkage, galleries, and back-ends that learn on both kinds of speech."""
    make_kaldi_directory(tmp_path / "data" / "tiny")
    (tmp_path / "model").mkdir()
    for name in ("hyperparams.yaml", "embedding_model.ckpt"):
        (tmp_path / "model" / name).touch()
    ranks = {"rank_sampling": {"observations": 4, "test": [1, 2]}}
    synthetic = {"speakers": 4, "utterances": 4}
    write_config(
        tmp_path,
        corpora={
            "tiny": {"kaldi": "data/tiny"},
            "cut": {"synthetic": synthetic, "protocol": ranks},
            "more": {"synthetic": synthetic | {"first_speaker": 8}, "use": "train"},
        },
        anonymisers={
            "b2r": {"command": "python b2r.py", "runs": 2, "draws": 2},
            "b2": {"command": "python b2.py"},
        },
        extractors={"one": {"model": "model"}, "two": {"package": "resemblyzer"}},
        backends={
            "cosine": {"type": "cosine"},
            "plain": {"type": "plda", "train": {"corpus": "more"}},
            "informed": {"type": "plda", "train": TRAIN},
        },
    )
    planned = finish(tmp_path, "-n")
    jobs = re.findall(
        r"^rule extract_embeddings\w*:\n    input: (.*)\n    output: (.*)$",
        planned.stdout + planned.stderr,
        flags=re.MULTILINE,
    )
    speech, made = Counter(), Counter()
    for inputs, outputs in jobs:
        files = [path for path in outputs.split(", ") if path.endswith(".npz")]
        made.update(files)
        extractor = files[0].rpartition("/")[2]
        manifests = [path for path in inputs.split(", ") if path.endswith("manifest.tsv")]
        speech.update((path, extractor) for path in manifests)
    assert set(made.values()) == set(speech.values()) == {1}
    assert len(made) == len(speech)
    systems = {path.split("/")[4] for path, _ in speech}
    assert systems == {"original", "b2", "b2r", "b2r_run1", "b2r_draw2"}
