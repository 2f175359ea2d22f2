"""Which protected file is whose: only where its name can be read in one way."""

from itertools import product

import pytest

from voiceprivacy.corpora.listing import Listed
from voiceprivacy.inout.files import BadInput
from voiceprivacy.tools.file_names import pair

VCTK = ("p225", "p226", "p227", "p228")
PREFIXES = ("u1", "u10", "u100", "u11")
NUMBERS = ("1", "2", "11", "21")
LETTERS = ("a", "b", "m", "f")
FLAT, TREE = "{source}_{number:03d}.wav", "{source}/{number:03d}.wav"
STAMP = "{source}_{number:03d}_MODEL_202401{number:02d}_15{number:02d}.wav"


def listed(root, form, *, speakers=VCTK, utterances=4):
    """Originals of speakers; their files need not be there."""
    originals = []
    for source, number in product(speakers, range(1, utterances + 1)):
        path = form.format(source=source, number=number)
        name = path.removesuffix(".wav").replace("/", "-")
        originals.append(Listed(name, source, "-", "", root / path, "speech", "-"))
    return originals


def make(folder, form, *, speakers=VCTK, utterances=4, targets=None):
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
    right = listed(root, originals, speakers=options.get("speakers", VCTK))
    keys = {one.utterance: (one.speaker, int(one.utterance[-3:])) for one in right}
    return {keys[name]: path for name, path in pair(right, root, folder).items()}, made


@pytest.mark.parametrize("originals", [FLAT, TREE])
@pytest.mark.parametrize(
    "speakers", [VCTK, PREFIXES, NUMBERS, LETTERS, ("anna b", "anna", "bo", "c")]
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
        options = {"speakers": VCTK, "targets": ["p226"] * 4}
        paired, made = pairs(tmp_path / str(number), FLAT, form, **options)
        assert paired == made
    root = tmp_path / "speech"
    form = "{source}_{number:03d}_TO_{target}.wav"
    made = make(tmp_path / "large", form, speakers=("P225", "P226"))
    paired = pair(listed(root, FLAT, speakers=("p225", "p226")), root, tmp_path / "large")
    assert sorted(paired.values()) == sorted(made.values())
    assert all(path.name.casefold().startswith(name) for name, path in paired.items())


@pytest.mark.parametrize("originals", [FLAT, TREE])
@pytest.mark.parametrize("speakers", [VCTK, NUMBERS])
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


def test_large_letters_do_not_hide_a_second_speaker(tmp_path):
    make(tmp_path / "mine", FROM, speakers=("P225", "P226"))
    originals = listed(tmp_path, FLAT, speakers=("p225", "p226"))
    with pytest.raises(BadInput, match=r"\(p225 and p226\)|\(p226 and p225\)"):
        pair(originals, tmp_path, tmp_path / "mine")


@pytest.mark.parametrize("protected", ["anon_{target}_{number:03d}_{source}.wav", "x_{target}.wav"])
def test_a_word_that_all_have_hides_no_second_speaker(tmp_path, protected):
    with pytest.raises(BadInput):
        pairs(tmp_path, FLAT, protected)


def test_one_source_for_all_targets_is_not_taken_for_the_targets(tmp_path):
    make(tmp_path / "mine", FROM.replace("{source}", "p225"), targets=VCTK)
    with pytest.raises(BadInput, match=r"names hold two speakers, such as p22"):
        pair(listed(tmp_path, FLAT), tmp_path, tmp_path / "mine")


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
