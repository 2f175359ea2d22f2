"""Real speech, where it is: a corpus gives the same manifests and trials as every kind.

The kinds are librispeech, kaldi and folder.
"""

from support import needs
from support.trees import SPEECH, prepare_list, write_lines

from voiceprivacy.corpora.listing import Findings, list_utterances

pytestmark = needs.data("VOICEPRIVACY_SPEECH")

LIBRISPEECH = {"librispeech": {"root": SPEECH, "subsets": ["test-other"]}}
ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 3, "lists": ["f", "m"]}}


def as_kaldi(folder):
    """Data directories of the same speech."""
    folder.mkdir()
    utterances = list_utterances(LIBRISPEECH, Findings())
    entries = [f"{utterance.utterance} {utterance.audio}" for utterance in utterances]
    write_lines(folder / "wav.scp", entries)
    write_lines(
        folder / "utt2spk",
        [f"{utterance.utterance} {utterance.speaker}" for utterance in utterances],
    )
    write_lines(
        folder / "spk2gender",
        sorted({f"{utterance.speaker} {utterance.gender}" for utterance in utterances}),
    )
    write_lines(folder / "text", [f"{utterance.utterance} SOME WORDS" for utterance in utterances])
    return {"kaldi": str(folder)}


def as_folder(folder):
    genders = {
        utterance.speaker: utterance.gender
        for utterance in list_utterances(LIBRISPEECH, Findings())
    }
    table = folder / "speakers.tsv"
    write_lines(
        table, ["speaker\tgender", *[f"{speaker}\t{gender}" for speaker, gender in genders.items()]]
    )
    pattern = "test-other/{speaker}/{session}/{utterance}.flac"
    return {"folder": {"root": SPEECH, "pattern": pattern, "speakers": str(table)}}


def manifests(folder, source, protocol):
    """The text of all parts' manifests and of list f, as the commands write them."""
    lists = prepare_list(folder, source, protocol, "f")
    parts = [folder / f"{part}.tsv" for part in ("enrolment", "trial")]
    return {path.name: path.read_text() for path in (*parts, *lists)}


def test_three_kinds_of_corpus_give_the_same_manifests_and_trials(tmp_path):
    expected = manifests(tmp_path / "librispeech", LIBRISPEECH, ENROL_TRIAL)
    assert expected["trial.tsv"].count("\n") == 71
    assert manifests(tmp_path / "k", as_kaldi(tmp_path / "data"), ENROL_TRIAL) == expected
    assert manifests(tmp_path / "f", as_folder(tmp_path), ENROL_TRIAL) == expected


def test_given_lists_say_the_same_as_the_protocol_that_made_them(tmp_path):
    expected = manifests(tmp_path / "librispeech", LIBRISPEECH, ENROL_TRIAL)
    source = as_kaldi(tmp_path / "data")
    rows = {
        name: [line.split("\t") for line in text.splitlines()[1:]]
        for name, text in expected.items()
    }
    write_lines(tmp_path / "data" / "enrolls", [row[1] for row in rows["f.enrolments.tsv"]])
    write_lines(tmp_path / "data" / "trials", [" ".join(row) for row in rows["f.tsv"]])
    given = manifests(tmp_path / "given", source, {"given": {"f": str(tmp_path / "data")}})
    assert given["f.tsv"] == expected["f.tsv"]
    assert given["f.enrolments.tsv"] == expected["f.enrolments.tsv"]
