"""A run on ids, paths and a config that would harm whoever believed them (shell, browser)."""

import sys

import pytest
from support.calls import call
from support.pages import Page
from support.runs import EMBED, ROOT, make_kaldi_directory, snakemake, spoken, write_config

from voiceprivacy.inout import audio

PLANTED = "pwned"
SPEAKERS = {  # what a shell, Python or a page would run; a shell needs no space: ${IFS} is one
    f";touch${{IFS}}{PLANTED};": ("f", 190),
    f"$(touch${{IFS}}{PLANTED})": ("f", 230),
    f"`touch${{IFS}}{PLANTED}`": ("f", 260),
    "<script>alert(1)<\"'>": ("m", 95),
    "&lt;img:onerror=alert(1)>": ("m", 120),
    "{anonymiser}%s*?[a]~": ("m", 140),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The run lies in a folder, and the speech in another, whose names are as bad as the ids."""
    folder = tmp_path_factory.mktemp("run") / f"a b;touch {PLANTED};'$(touch {PLANTED})"
    data, wav = folder / "data", folder / f"wav $(touch {PLANTED});"
    data.mkdir(parents=True)
    lines = {"wav.scp": [], "utt2spk": [], "spk2gender": [], "enrolls": [], "trials": []}
    for speaker, (gender, pitch_hz) in SPEAKERS.items():
        lines["spk2gender"].append(f"{speaker} {gender}")
        for index in range(4):
            name = f"{speaker}-{index}"
            audio.write(wav / f"{name}.wav", spoken(speaker, name, pitch_hz), 16000)
            lines["wav.scp"].append(f"{name} {wav}/{name}.wav")
            lines["utt2spk"].append(f"{name} {speaker}")
            if index == 0:
                lines["enrolls"].append(name)
            else:
                labels = {
                    other: "target" if other == speaker else "nontarget" for other in SPEAKERS
                }
                lines["trials"] += [f"{other} {name} {label}" for other, label in labels.items()]
    for name, text in lines.items():
        (data / name).write_text("\n".join(text) + "\n")
    (folder / "embed.py").write_text(EMBED)
    config = write_config(
        folder,
        corpora={"tiny": {"kaldi": "data"}},
        anonymisers={"copy": {"command": "python {resources}/plugins/copy_speech.py"}},
        extractors={"drawn": {"command": f"{sys.executable} embed.py"}},
        utility={},  # all that every run measures
        report={"bootstrap": 50, "listen": 1, "internal": True},  # else it has codes
    )
    finished = snakemake(folder, "--cores", "2", "--configfile", config)
    assert finished.returncode == 0, finished.stderr[-3000:]
    return folder


@pytest.mark.long
def test_nothing_that_ids_and_paths_say_is_done(run):
    assert [path for path in run.parent.rglob("*") if path.name == PLANTED] == []
    assert not (ROOT / PLANTED).exists()
    scored = (run / "results/scores/tiny/all/copy/drawn/cosine/pp.tsv").read_text()
    assert all(f"\t{speaker}-3\t" in scored for speaker in SPEAKERS)


@pytest.mark.long
def test_nothing_is_written_outside_results(run):
    made = {path.name for path in run.iterdir()}
    assert made == {
        "data",
        "embed.py",
        "config.yaml",
        "results",
        ".snakemake",
        *(p.name for p in run.glob("wav *")),
    }


@pytest.mark.long
def test_the_page_shows_ids_as_text(run):
    text = (run / "results/report/index.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    page = Page(text)
    assert page.handlers == []
    assert not any(address.startswith(("javascript:", "http:")) for address in page.addresses)
    for figure in (run / "results/report/figures").rglob("*.svg"):
        assert "<script" not in figure.read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("speaker", ["../../up", "-rf"])
def test_ids_that_would_leave_the_folder_or_be_an_option_are_refused(tmp_path, speaker):
    data = tmp_path / "data"
    make_kaldi_directory(data, utterances=3)
    for name in ("wav.scp", "utt2spk", "enrolls", "trials"):
        text = (data / name).read_text().replace("anna-", f"{speaker}-")
        (data / name).write_text(text.replace(f"{data}/wav/{speaker}-", f"{data}/wav/anna-"))
    checks = ["--source", f'{{"kaldi": "{data}"}}', "--checks", tmp_path / "checks.tsv"]
    finished = call("validate_corpus", *checks)
    assert finished.returncode == 2
    assert f"{data}/wav.scp:1: '{speaker}-0' cannot be an id" in finished.stderr
    assert not (tmp_path / "checks.tsv").exists()


def test_a_config_cannot_name_what_leaves_results(tmp_path):
    for name in ("../up", "a;b", "-x"):
        config = write_config(tmp_path, anonymisers={name: {"audio": "x"}})
        finished = call("validate", "--config", config, cwd=tmp_path)
        assert finished.returncode == 2
        assert "Traceback" not in finished.stderr
