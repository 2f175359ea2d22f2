"""Who speaks, guessed from names as corpora really have them."""

import pytest

from voiceprivacy.corpora.kinds.folder import compile_pattern
from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools.file_names import audio_files, guess_pattern


def names(form, *, speakers=("anna", "bert", "carl"), utterances=3, sessions=("ses1", "ses2")):
    return [
        form.format(speaker=speaker, session=session, number=number)
        for speaker in speakers
        for session in sessions
        for number in range(1, utterances + 1)
    ]


ANNA, KIM, SPK = ("anna", "bert", "carl"), ("kim", "lee", "ann"), ("spk01", "spk02")
VCTK, LIBRI, VOX = ("p225", "p226", "p300"), ("1688", "61", "3331"), ("id10001", "id10270")
SESSIONS, TWELVE = ("ses1", "ses2"), ("12", "13")
LIBRI_FILE = "{speaker}-{session}-{number:04d}"
MANY = tuple(f"{number:02d}" for number in range(1, 21))
DIGITS = tuple("0123456789")
SPELT = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    ("form", "speakers", "sessions", "pattern"),
    [
        # Usual names.
        ("{speaker}/{session}_{number}.wav", ANNA, SESSIONS, "{speaker}/{utterance}.wav"),
        ("{speaker}/{session}/{number}.wav", ANNA, SESSIONS, "{speaker}/{session}/{utterance}.wav"),
        (
            f"{{speaker}}/{{session}}/{LIBRI_FILE}.flac",
            *(LIBRI, TWELVE, "{speaker}/{session}/{utterance}.flac"),
        ),
        (
            "{session}/{speaker}/12/{speaker}-12-{number:04d}.flac",
            *(LIBRI, SESSIONS, "*/{speaker}/12/{utterance}.flac"),
        ),
        (f"{LIBRI_FILE}.wav", LIBRI, TWELVE, "{speaker}-{session}-{utterance}.wav"),
        ("wav48/{speaker}/{speaker}_{session}{number:03d}_mic2.flac", VCTK, SESSIONS, None),
        ("{session}/{speaker}/{number}.wav", SPK, ("quiet", "loud"), "*/{speaker}/{utterance}.wav"),
        # A spoken digit is no speaker.
        ("{speaker}/{session}_{speaker}_{number}.wav", MANY, DIGITS, "{speaker}/{utterance}.wav"),
        ("{session}_{speaker}_{number}.wav", MANY, DIGITS, "*_{speaker}_{utterance}.wav"),
        ("{session}_{speaker}_{number}.wav", ("ann", "bo"), DIGITS, "*_{speaker}_{utterance}.wav"),
        ("{session}_{speaker}_{number}.wav", ("x1", "y2"), SPELT, "*_{speaker}_{utterance}.wav"),
        ("{session}_{speaker}.wav", MANY, SPELT, "{utterance}_{speaker}.wav"),
        ("{session}/{speaker}_{number}.wav", MANY, SPELT, "*/{speaker}_{utterance}.wav"),
        ("{session}/{speaker}_nohash_{number}.wav", ("a1f", "7be"), SPELT, None),
        # A number in front is the speaker's where it is no digit that all others say, too.
        ("{speaker}_{session}_{number}.wav", MANY, DIGITS, "{speaker}_{utterance}.wav"),
        ("{speaker}_{session}_{number}.wav", MANY[:4], MANY, "{speaker}_{utterance}.wav"),
        # Feelings, rooms and words are no speakers.
        ("{session}/{speaker}_{number}.wav", KIM, ("sad", "happy"), "*/{speaker}_{utterance}.wav"),
        ("{speaker}/{session}/{number}.wav", KIM, ("day1", "day2"), None),
        ("{session}/{speaker}_1.wav", SPK, ("bed", "cat"), "*/{speaker}_{utterance}.wav"),
        ("{speaker}/arctic_a{number:04d}.wav", KIM, ("",), "{speaker}/{utterance}.wav"),
        ("{speaker} {number}.wav", KIM, ("",), "{speaker} {utterance}.wav"),
        # Public corpora.
        ("TRAIN/{session}/{speaker}/SA{number}.WAV", ("FCJF0", "MDAC0"), ("DR1", "DR2"), None),
        ("03-01-{session}-01-02-0{number}-{speaker}.wav", ("01", "12"), ("03", "05"), None),
        ("{speaker}_{session}_ANG_XX.wav", ("1001", "1002"), ("DFA", "IEO"), None),
        ("{speaker}/{session}/0000{number}.wav", VOX, ("1zcIwhmdeo4", "5r0dWxy17C8"), None),
        ("{speaker}/{session}/{speaker}_00{number}.wav", MANY, ("Angry", "Happy"), None),
    ],
)
def test_the_speaker_is_guessed(form, speakers, sessions, pattern):
    """By this pattern, or by another one that finds the same speakers."""
    paths = names(form, speakers=speakers, sessions=sessions)
    guess = guess_pattern(list(dict.fromkeys(paths)))
    assert pattern is None or guess == pattern
    matches = [compile_pattern(guess).fullmatch(path) for path in paths]
    assert {match["speaker"] for match in matches} == set(speakers)


def test_sexes_in_paths_are_genders():
    pairs = [f"{sex}/{name}/{n}.wav" for sex, name in (("f", "anna"), ("m", "bert")) for n in "12"]
    assert guess_pattern(pairs) == "{gender}/{speaker}/{utterance}.wav"


@pytest.mark.parametrize(
    ("form", "speakers", "sessions", "readings"),
    [
        ("{speaker}/{session}/{number}.wav", KIM, ("s1", "s2"), ["{speaker}/{session}", "*/{sp"]),
        ("{session}/{speaker}/{number}.wav", KIM, ("bed", "cat"), ["{speaker}/{s", "*/{speaker}"]),
        ("{session}/{speaker}.wav", KIM, ("bed", "cat"), ["{speaker}/", "{utterance}/{speaker}"]),
        ("{session}/{speaker}{number}.wav", KIM, ("bed", "cat"), ["'bed'", "'kim' (no pattern)"]),
        ("{session}_{speaker}_{number}.wav", KIM, ("bed", "cat"), ["'bed' (", "'kim' ("]),
        ("d{session}/d{session}_{speaker}_0{number}.wav", ("A", "B"), "12", ["'d1'", "'A'"]),
        ("{session}/{speaker}_{number}.wav", MANY, DIGITS, ["'0'", "'01'"]),
        ("{session}-O-{speaker}-medi{number}.wav", ("f01", "f02"), ("00", "70"), ["'00'", "'f01'"]),
        ("{number}-{session}-1{number}-{speaker}-1.wav", TWELVE, ("05", "06"), ["'1'", "'05'"]),
    ],
)
def test_where_two_guesses_are_plausible_none_is_taken(form, speakers, sessions, readings):
    paths = list(dict.fromkeys(names(form, speakers=speakers, sessions=sessions)))
    with pytest.raises(BadInput, match=r"two guesses of who speaks are .*--pattern") as error:
        guess_pattern(paths)
    assert all(reading in str(error.value) for reading in readings)


@pytest.mark.parametrize(
    ("form", "speakers", "words"),
    [
        ("{session}/{session}_{speaker}00{number}.wav", "FM", "`iemocap:`"),
        ("sw02001-{speaker}_00{number}-00{number}.wav", "AB", "a call has two speakers"),
    ],
)
def test_corpora_whose_names_do_not_tell_the_speaker_are_refused(form, speakers, words):
    sessions = ("Ses01F_impro01", "Ses02M_script01_1")
    with pytest.raises(BadInput, match=words):
        guess_pattern(names(form, speakers=speakers, sessions=sessions))


def test_a_few_strange_files_do_not_change_the_guess():
    paths = names("{speaker}/{session}_{number}.wav", utterances=20)
    strange = ["README.wav", "anna/extra/1.wav", "bert/x.flac"]
    assert guess_pattern([*paths, *strange]) == "{speaker}/{utterance}.wav"


@pytest.mark.parametrize(
    ("form", "sessions"),
    [
        ("{number}.wav", ("",)),
        ("{number}{session}{speaker}.wav", SESSIONS),
        ("anna/{speaker}{number}.wav", SESSIONS),
        # Folders that are no speakers.
        ("{session}/{number}.wav", SPELT),
        ("{session}/{number}.wav", ("angry", "happy")),
        ("{session}/{number}.wav", ("room1", "room2")),
    ],
)
def test_names_that_tell_no_speaker_are_refused_with_examples_and_what_to_do(form, sessions):
    words = r"cannot tell the speaker .*\.wav.*--pattern '\{speaker\}/\{utterance\}\.wav'"
    with pytest.raises(BadInput, match=words):
        guess_pattern(list(dict.fromkeys(names(form, sessions=sessions))))


def test_audio_is_found_below_links_and_hidden_files_are_not(tmp_path):
    (tmp_path / "real" / ".git").mkdir(parents=True)
    for name in ("a.wav", "B.FLAC", ".hidden.wav", ".git/c.wav", "words.txt"):
        (tmp_path / "real" / name).touch()
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "sub").symlink_to(tmp_path / "real")
    assert audio_files(tmp_path / "links") == ["sub/B.FLAC", "sub/a.wav"]
    (tmp_path / "empty").mkdir()
    for folder, words in (("empty", "there is no audio"), ("nowhere", "not found")):
        with pytest.raises(BadInput, match=f"{folder}: {words}"):
            audio_files(tmp_path / folder)
