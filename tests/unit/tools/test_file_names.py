"""Who speaks, guessed from names as corpora really have them, and which protected file is whose."""

from itertools import product

import pytest

from voiceprivacy.corpora.kinds.folder import compile_pattern
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.errors import BadInput
from voiceprivacy.tools.file_names import audio_files, guess_pattern, pair


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


# Which protected file is whose: only where its name can be read in one way.

FOUR = ("p225", "p226", "p227", "p228")
PREFIXES = ("u1", "u10", "u100", "u11")
NUMBERS = ("1", "2", "11", "21")
LETTERS = ("a", "b", "m", "f")
FLAT, TREE = "{source}_{number:03d}.wav", "{source}/{number:03d}.wav"
STAMP = "{source}_{number:03d}_MODEL_202401{number:02d}_15{number:02d}.wav"


def listed(root, form, *, speakers=FOUR, utterances=4):
    """Originals of speakers; their files need not be there."""
    originals = []
    for source, number in product(speakers, range(1, utterances + 1)):
        path = form.format(source=source, number=number)
        name = path.removesuffix(".wav").replace("/", "-")
        originals.append(Listed(name, source, "-", "", root / path, "speech", "-"))
    return originals


def make(folder, form, *, speakers=FOUR, utterances=4, targets=None):
    """Write protected files; {utterance of a source: its path}."""
    made = {}
    targets = dict(zip(speakers, targets or (*speakers[1:], speakers[0]), strict=True))
    for source, number in product(speakers, range(1, utterances + 1)):
        path = folder / form.format(source=source, target=targets[source], number=number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        made[source, number] = path
    return made


def pairs(tmp_path, originals, protected, **options):
    """{(source, number): path} as they are paired, and as they were made."""
    root, folder = tmp_path / "speech", tmp_path / "mine"
    made = make(folder, protected, **options)
    right = listed(root, originals, speakers=options.get("speakers", FOUR))
    keys = {one.utterance: (one.speaker, int(one.utterance[-3:])) for one in right}
    return {keys[name]: path for name, path in pair(right, root, folder).items()}, made


@pytest.mark.parametrize("originals", [FLAT, TREE])
@pytest.mark.parametrize(
    "speakers", [FOUR, PREFIXES, NUMBERS, LETTERS, ("anna b", "anna", "bo", "c")]
)
@pytest.mark.parametrize(
    "protected",
    [
        FLAT,
        "{source}/{source}_{number:03d}.wav",
        "{source}-{number:03d}_anon.wav",
        "{source} {number:03d}.generated_e.wav",
        "wav/{source}_{number:03d}.converted.wav",
        "{source}_{number:03d}_to_{target}.wav",
        "{source}-{number:03d}-target-{target}.wav",
        "to_{target}/{source}_{number:03d}.wav",
        STAMP,
        "part{number}/{source}_{number:03d}_seed_2.wav",
        "anon_{source}_{number:03d}.wav",
        "converted-{source}.{number:03d}-16k.wav",
        "{source}_anon/{number:03d}.wav",
    ],
)
def test_one_reading_is_taken(tmp_path, originals, protected, speakers):
    paired, made = pairs(tmp_path, originals, protected, speakers=speakers)
    assert paired == made


def test_small_and_large_letters_and_one_target_for_all_are_one_reading(tmp_path):
    for number, form in enumerate(("{source}_{number:03d}_{target}.wav", "{target}/" + FLAT)):
        options = {"speakers": FOUR, "targets": ["p226"] * 4}
        paired, made = pairs(tmp_path / str(number), FLAT, form, **options)
        assert paired == made
    root = tmp_path / "speech"
    form = "{source}_{number:03d}_TO_{target}.wav"
    made = make(tmp_path / "large", form, speakers=("P225", "P226"))
    paired = pair(listed(root, FLAT, speakers=("p225", "p226")), root, tmp_path / "large")
    assert sorted(paired.values()) == sorted(made.values())
    assert all(path.name.casefold().startswith(name) for name, path in paired.items())


@pytest.mark.parametrize("originals", [FLAT, TREE])
@pytest.mark.parametrize("speakers", [FOUR, NUMBERS])
@pytest.mark.parametrize(
    "protected",
    [
        "{target}_{number:03d}_from_{source}.wav",
        "{target}-{number:03d}-{source}.wav",
        "{target}.{number:03d}.{source}_anon.wav",
        "{target} {number:03d} ({source}).wav",
        "{source}_{number:03d}_{target}.wav",
        "{target}/{source}_{number:03d}.wav",
        "{target}/{source}/{number:03d}.wav",
        "{source}/{target}/{number:03d}.wav",
        "from_{source}/{target}_{number:03d}.wav",
        "{source}_to_{target}/{target}_{number:03d}.wav",
        "{target}_{number:03d}_{source}_202401{number:02d}_1530.wav",
    ],
)
def test_names_of_two_speakers_are_a_question(tmp_path, originals, protected, speakers):
    words = r"names hold two speakers, such as .* which one spoke.*wav\.scp"
    with pytest.raises(BadInput, match=words):
        pairs(tmp_path, originals, protected, speakers=speakers)


FROM = "{target}_{number:03d}_from_{source}.wav"


def test_large_letters_and_words_that_all_have_hide_no_second_speaker(tmp_path):
    """One source for all targets is not taken for the targets."""
    make(tmp_path / "large", FROM, speakers=("P225", "P226"))
    originals = listed(tmp_path, FLAT, speakers=("p225", "p226"))
    with pytest.raises(BadInput, match=r"\(p225 and p226\)|\(p226 and p225\)"):
        pair(originals, tmp_path, tmp_path / "large")
    make(tmp_path / "one", FROM.replace("{source}", "p225"), targets=FOUR)
    with pytest.raises(BadInput, match=r"names hold two speakers, such as p22"):
        pair(listed(tmp_path, FLAT), tmp_path, tmp_path / "one")
    for name, form in (
        ("anon", "anon_{target}_{number:03d}_{source}.wav"),
        ("x", "x_{target}.wav"),
    ):
        with pytest.raises(BadInput):
            pairs(tmp_path / name, FLAT, form)


def test_a_number_is_a_speaker_only_where_the_utterance_could_be_theirs(tmp_path):
    speakers = ("61", "1688", "142285")
    root, folder = tmp_path / "speech", tmp_path / "mine"
    originals, made = [], []
    for index, source in enumerate(speakers):
        name = f"{source}-{index + 900}-0{{number:03d}}.wav"
        originals += listed(root, name, speakers=[source])
        made += make(folder, f"{speakers[index - 1]}/{name}", speakers=[source]).values()
    assert {*pair(originals, root, folder).values()} == {*made}


def test_a_wav_scp_answers_the_question(tmp_path):
    folder = tmp_path / "mine"
    made = make(folder, FROM)
    named = {f"{source}_{number:03d}": path for (source, number), path in made.items()}
    (folder / "wav.scp").write_text("\n".join(f"{one} {named[one].name}" for one in named))
    assert pair(listed(tmp_path, FLAT), tmp_path, folder) == named
    (folder / "wav.scp").write_text("p225_001_anon /elsewhere/1.wav\n")
    with pytest.raises(BadInput, match=r"protected files such as p225_001_anon /elsewhere/1\.wav"):
        pair(listed(tmp_path, FLAT), tmp_path, folder)


def test_a_file_that_lies_about_is_not_the_one_that_is_missing(tmp_path):
    """A speaker's folder is missing, and speech of somebody has the same name elsewhere."""
    made = make(tmp_path / "mine", TREE)
    for number in range(1, 5):
        made.pop(("p226", number)).rename(tmp_path / "mine" / f"{number:03d}.wav")
    assert {*pair(listed(tmp_path, TREE), tmp_path, tmp_path / "mine").values()} == {*made.values()}


def test_two_tails_that_are_as_usual_are_two_files(tmp_path):
    for tail in ("anon", "orig"):
        make(tmp_path / "mine", f"{{source}}_{{number:03d}}_{tail}.wav")
    with pytest.raises(BadInput, match=r"several files: p225_001_anon.wav and p225_001_orig.wav"):
        pair(listed(tmp_path, FLAT), tmp_path, tmp_path / "mine")
