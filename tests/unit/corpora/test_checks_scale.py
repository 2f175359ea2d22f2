"""A corpus of the size of train-clean-360 is listed and checked in 2 GB.

How long that takes depends on the machine: docs/internals/load.md has it.
"""

import pytest
from support import calls
from support.trees import write_audio

SPEAKERS, UTTERANCES = 920, 113  # 103,960 utterances


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A LibriSpeech tree of links to a few files."""
    root = tmp_path_factory.mktemp("scale")
    for number in range(4):
        write_audio(root / "audio" / f"{number}.flac", seconds=12)
    lines = []
    for speaker in range(1000, 1000 + SPEAKERS):
        lines.append(f"{speaker} | {'FM'[speaker % 2]} | train | 25 | x\n")
        for index in range(UTTERANCES):
            folder = root / "train" / str(speaker) / str(index // 60)
            folder.mkdir(parents=True, exist_ok=True)
            link = folder / f"{speaker}-{index // 60}-{index:04d}.flac"
            link.symlink_to(root / "audio" / f"{index % 4}.flac")
    (root / "SPEAKERS.TXT").write_text("".join(lines))
    return root


@pytest.mark.nightly
def test_104_000_utterances_take_less_than_2_gb(tree, tmp_path):
    source = {"librispeech": {"root": str(tree), "subsets": ["train"]}}
    outputs = {"manifest": tmp_path / "m.tsv", "audio_dir": tmp_path / "wav"}
    for script, arguments in (
        ("validate_corpus", {"checks": tmp_path / "c.tsv"}),
        ("prepare_part", outputs | {"part": "train", "threads": 2}),
    ):
        done = calls.call_measured(script, *calls.flags(source=source, **arguments))
        assert done.returncode == 0
        assert done.memory < 2e9
    assert len((tmp_path / "m.tsv").read_text().splitlines()) == 1 + SPEAKERS * UTTERANCES
