"""A corpus that is there for utility: IEMOCAP is protected and measured, and nobody is attacked."""

from support.runs import B2, REVERSED, finish, rows, spoken, write_config
from support.trees import iemocap

from voiceprivacy.inout import audio
from voiceprivacy.utility.kinds.emotion import DEFINITIONS, read_labels

ANONYMISERS = {"b2": {"command": B2}, "wrong": REVERSED}
UAR = {
    "type": "emotion",
    "definition": "vpc2024",
    "labels": "IEMOCAP_full_release",
    "predictions": "heard/{corpus}_{anonymiser}.tsv",
    "corpora": ["emotions"],
}


def make_iemocap(folder):
    """IEMOCAP's folder of buzzing speakers, and what a classifier heard in each system."""
    root = folder / "IEMOCAP_full_release"

    def write(path, speaker):
        pitch_hz = 210 if speaker.endswith("F") else 110
        audio.write(path, spoken(speaker, path.stem, pitch_hz), 16000)

    iemocap(root, sessions=(1, 2), write=write)
    true = read_labels(root, DEFINITIONS["vpc2024"]).emotions
    (folder / "heard").mkdir()
    for system in ("original", *ANONYMISERS):
        heard = [f"{name}\t{'sad' if system == 'wrong' else true[name]}\n" for name in true]
        table = "".join(["utterance\tlabel\n", *heard])
        (folder / "heard" / f"emotions_{system}.tsv").write_text(table)


def test_emotions_are_measured_and_shown_and_nobody_is_attacked(tmp_path):
    make_iemocap(tmp_path)
    emotions = {"iemocap": {"root": "IEMOCAP_full_release", "sessions": [1, 2]}}
    write_config(
        tmp_path,
        corpora={"emotions": emotions},
        anonymisers=ANONYMISERS,
        extractors={"timing": {"timing": {}}},
        backends={"js": {"type": "jensen_shannon"}},
        utility={"uar": UAR, "quality": False},
        report={"bootstrap": 50},
    )
    finish(tmp_path)
    results = tmp_path / "results"
    numbers = rows(results / "metrics.tsv")
    assert {row["extractor"] for row in numbers} == {"-"}
    value = {(row["metric"], row["anonymiser"]): row["value"] for row in numbers}
    uar = [float(value["uar_percent", name]) for name in ("original", "b2", "wrong")]
    assert uar == [100, 100, 25]
    assert {"pitch_correlation", "closed_text_wer_percent"} <= {name for name, _ in value}
    assert not (results / "audio" / "emotions" / "enrolment").exists()
    assert not (results / "trials" / "emotions").exists()
    assert "emotions" in (results / "report" / "index.html").read_text()
    (part,) = rows(results / "report" / "tables" / "speech.tsv")
    assert (part["part"], part["women"], part["men"]) == ("trial", "2", "2")
