"""Plug-ins of the three kinds: what they are given and may return, and how mistakes are told."""

import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support.installed import install
from support.shards import command_that
from support.sounds import RATE, tone

from voiceprivacy.anonymise import call_function, plugins
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest
from voiceprivacy.running import entry_points, programs

pytestmark = pytest.mark.usefixtures("this_process")

EXAMPLES = Path("workflow/resources/plugins")


@pytest.fixture
def protect(original, tmp_path):
    """Run an anonymiser on the original manifest; returns {utterance: path}."""

    def run(anonymiser, *, seed=1, threads=1, only=None):
        scratch = tmp_path / "scratch" / str(len(list(tmp_path.glob("scratch/*"))))
        scratch.mkdir(parents=True)
        lines = read_manifest(original)
        chosen = [line for line in lines if only is None or line.utterance in only]
        return plugins.protect(anonymiser, chosen, seed=seed, threads=threads, scratch=scratch)

    return run


@pytest.fixture
def function(tmp_path):
    """Write the body of a plug-in function; returns the anonymiser."""

    def write(body, **options):
        names = "samples, sample_rate, *, utterance, speaker, seed, **options"
        text = f"import numpy as np\ndef anonymise({names}):\n{textwrap.indent(body, '    ')}\n"
        (tmp_path / "plugin.py").write_text(text)
        return {"function": f"{tmp_path / 'plugin.py'}:anonymise", "options": options}

    return write


@pytest.mark.parametrize("threads", [1, 2])
def test_the_reversed_example_plays_backwards(protect, threads):
    paths = protect({"function": f"{EXAMPLES / 'reversed.py'}:anonymise"}, threads=threads)
    assert len(paths) == 8
    np.testing.assert_allclose(audio.read(paths["s0_1"])[0][::-1], tone(1), atol=1 / 32768)


def test_a_function_is_given_the_utterance_its_speaker_the_options_and_the_seed(protect, function):
    body = """assert (utterance, speaker, sample_rate) == ('s1_0', 's1', 16000)
assert (options, seed) == ({'strength': 3}, 77)
assert samples.dtype == np.float32
return samples"""
    assert protect(function(body, strength=3), only={"s1_0"}, seed=77)


def test_a_function_may_load_torchaudio_for_all_utterances(protect, tmp_path):
    text = "import torchaudio\ndef change(samples, rate, **names):\n    return samples\n"
    (tmp_path / "plugin.py").write_text(text)
    assert len(protect({"function": f"{tmp_path / 'plugin.py'}:change"}, threads=2)) == 8


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("change(samples, sample_rate)", "got an unexpected keyword argument 'utterance'"),
        ("change(samples, *, utterance, speaker, seed)", "too many positional arguments"),
        ("change(samples, rate, most, **names)", "missing a required argument: 'most'"),
    ],
)
def test_a_function_of_another_signature_is_refused(protect, tmp_path, definition, message):
    (tmp_path / "plugin.py").write_text(f"def {definition}:\n    return samples\n")
    call = r"called with \(samples, sample_rate, \*, utterance, speaker, seed\)"
    with pytest.raises(BadInput, match=f"plugin.py:change: {message}: .*{call}"):
        protect({"function": f"{tmp_path / 'plugin.py'}:change"})


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Install a package of one module, whose function ``change`` is offered as 'mine'."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    yield lambda module: install(site, "mine", module, offers="mine = mine:change")
    sys.modules.pop("mine", None)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_package_offers_is_called_like_a_function(protect, offer, threads):
    offer("def change(samples, rate, *, utterance, speaker, seed, by):\n    return by * samples\n")
    call = {"package": "mine", "options": {"by": 0.5}, "version": entry_points.version("mine")}
    paths = protect(call, threads=threads)
    np.testing.assert_allclose(audio.read(paths["s0_1"])[0], tone(1) / 2, atol=1 / 32768)


def test_a_package_that_changed_since_the_plan_is_refused(protect, offer):
    offer("def change(samples, rate, **names):\n    return samples\n")
    with pytest.raises(BadInput, match=r"'mine' is mine 1.0 \(.*was mine 0.9 .*start the run"):
        protect({"package": "mine", "version": "mine 0.9 (123456789abc)"})


@pytest.mark.parametrize("order", ["<", ">"])
def test_samples_of_16_bits_are_kept_whatever_the_order_of_their_bytes(protect, function, order):
    body = f"return np.arange(len(samples)).astype('{order}i2')"
    samples = audio.read(protect(function(body), only={"s0_0"})["s0_0"])[0]
    np.testing.assert_array_equal(32768 * samples, np.arange(len(tone(0)), dtype=np.int16))


def test_samples_beyond_full_scale_are_scaled_not_clipped(protect, function):
    anonymiser = function("return 4 * samples / abs(samples).max()")
    samples = audio.read(protect(anonymiser, only={"s0_0"})["s0_0"])[0]
    np.testing.assert_allclose(samples, tone(0) / np.abs(tone(0)).max(), atol=1e-3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1 / 0", "utterance 's1_1': .*plugin.py:anonymise: ZeroDivisionError"),
        ("return np.mean(samples, axis=5)", r"AxisError: .* \(plugin\.py, line 3\)"),
        ("return None", r"utterance 's1_1': .* not None \(is a 'return' missing\?\)"),
        ("return samples, sample_rate", r"finite samples \(N,\), not a tuple \(with the rate\?\)"),
        ("return samples[:0]", r"must return finite samples \(N,\), not shape \(0,\)"),
        ("return samples * np.nan", "finite: False"),
        ("return (32767 * samples).astype(int)", "or as int16, not ndarray of int64"),
        ("return (128 + 127 * samples).astype(np.uint8)", "not ndarray of uint8"),
        ("return np.fft.ifft(np.fft.fft(samples))", "not ndarray of complex64"),
        ("yield samples", "not generator of object"),
    ],
)
def test_a_functions_mistake_names_the_utterance(protect, function, body, message):
    with pytest.raises(BadInput, match=message):
        protect(function(body))


def test_a_mistake_in_another_process_names_the_utterance(protect, function):
    body = "if utterance == 's2_0':\n    raise ValueError('no')\nreturn samples"
    with pytest.raises(BadInput, match=r"'s2_0'.*ValueError: no"):
        protect(function(body), threads=2)


def test_of_a_function_that_exits_what_it_did_not_protect_is_missing(protect, function):
    body = "if utterance == 's2_0':\n    raise SystemExit(0)\nreturn samples"
    assert "s2_0" not in protect(function(body))


def test_a_process_that_dies_is_noticed(protect, function):
    with pytest.raises(BadInput, match="a process died"):
        protect(function("import os; os._exit(1)"), threads=2)


@pytest.mark.parametrize(
    ("anonymiser", "message"),
    [
        ({"function": "plugin.py"}, "'plugin.py' is not of the form"),
        ({"function": "nowhere.py:anonymise"}, "nowhere.py: not found"),
        ({"function": f"{EXAMPLES / 'reversed.py'}:nothing"}, "has no function 'nothing'"),
        ({"command": "no_such_program"}, "no_such_program: No such file"),
        ({"command": ""}, "is empty"),
        ({"command": "a 'b"}, "No closing quotation"),
    ],
)
def test_what_cannot_be_found_or_read_is_named(protect, anonymiser, message):
    with pytest.raises(BadInput, match=message):
        protect(anonymiser)


def test_the_copy_example_hands_back_the_speech(protect):
    command = f"{sys.executable} {EXAMPLES / 'copy_speech.py'}"
    for name, path in protect({"command": command}).items():
        original, _ = audio.read(path.parents[3] / f"original/{name}.flac")
        np.testing.assert_array_equal(audio.read(path)[0], original)


def test_a_folder_whose_name_begins_as_that_of_ours_is_not_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(call_function, "SCRIPTS", tmp_path / "scripts")
    plugin = tmp_path / "scripts_of_mine" / "mine.py"
    plugin.parent.mkdir()
    plugin.write_text("import numpy as np\n\ndef mine():\n    return np.mean([1], axis=5)\n")
    with pytest.raises(np.exceptions.AxisError) as raised:
        call_function.load_function(f"{plugin}:mine")()
    assert call_function._reason(raised.value).endswith("(mine.py, line 4)")


def test_the_noise_example_hears_nothing_of_the_speech(protect, original):
    anonymiser = {"function": f"{EXAMPLES / 'noise.py'}:anonymise"}
    first, again, other = (protect(anonymiser, seed=seed) for seed in (1, 1, 2))
    for name, path in first.items():
        samples = audio.read(path)[0]
        assert samples.std() == pytest.approx(0.1, rel=0.05)
        np.testing.assert_array_equal(samples, audio.read(again[name])[0])
        for path in (other[name], original.parent / f"{name}.flac"):
            assert abs(np.corrcoef(samples, audio.read(path)[0])[0, 1]) < 0.05
    together = np.corrcoef([audio.read(path)[0] for path in first.values()])
    assert np.abs(together - np.eye(len(first))).max() < 0.05


def test_options_of_a_command_become_arguments_and_no_shell_reads_them():
    options = {"strength": 3, "range": [0.5, 0.9], "fast": True, "slow": False}
    options |= {"name": "a b", "none": None}
    words = programs.words_of("run '{scripts}/my tool' -j{threads} $HOME; *", threads=4)
    words += programs.options_of(options)
    assert words[:5] == ["run", str(Path("scripts/my tool").absolute()), "-j4", "$HOME;", "*"]
    assert words[5:] == ["--strength", "3", "--range", "0.5", "0.9", "--fast", "--name", "a b"]


JOINED = """
import shutil
for row in rows:
    path = f"{paths['--audio-dir']}/{row[0]}.flac"
    shutil.copy(row[3], path)
    row[3] = path
"""


def test_what_a_command_joins_to_the_audio_dir_is_found(original, tmp_path, in_tmp_path):
    Path("my scratch").mkdir()
    anonymiser, scratch = command_that(tmp_path, JOINED), Path("my scratch")
    paths = plugins.protect(anonymiser, read_manifest(original), seed=1, threads=1, scratch=scratch)
    assert len(paths) == 8 and all(path.is_file() for path in paths.values())
    assert {path.parent for path in paths.values()} == {tmp_path / "my scratch/audio"}


def test_a_command_that_writes_over_the_originals_is_refused(protect, tmp_path):
    """Else they would be measured as unprotected speech."""
    written = JOINED + "    import os; os.utime(row[3], (0, 0)); os.replace(row[3], there)\n"
    written = written.replace("    path =", "    there = row[3]; path =")
    with pytest.raises(BadInput, match="flac: the anonymiser changed or"):
        protect(command_that(tmp_path, written))


LAYOUTS = {
    "2020": "wav/{0}/{0}.wav",
    "2022": "wav/{0}.wav",
    "flat": "{0}.flac",
    "relative": "original/{0}.wav",
    "capitals": "any/{0}.WAV",
    "scp": "elsewhere/x{0}.wav",
}


def put(folder, name, layout):
    path = folder / LAYOUTS[layout].format(name)
    audio.write(path, tone(9), RATE)
    if layout == "scp":
        with open(folder / "wav.scp", "a") as file:
            file.write(f"{name} elsewhere/x{name}.wav\n")
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_the_challenges_is_found(protect, tmp_path, layout):
    expected = {name: put(tmp_path / "team", name, layout) for name in ("s0_0", "s3_1")}
    assert protect({"audio": str(tmp_path / "team")}) == expected


def test_protected_speech_of_the_demo_is_found_although_it_is_opus():
    folder = "{resources}/demo_speech/stt_tts_piper/demo"
    heard = Utterance("s39-4", "s39", "m", Path("audio/s39-4.flac"), 3.0)
    (path,) = plugins.protect({"audio": folder}, [heard], seed=1, threads=1, scratch=".").values()
    assert path.name == "s39-4.opus" and len(audio.read(path)[0]) > RATE


def test_speech_that_was_resampled_is_found_by_its_stem(protect, tmp_path):
    folder = tmp_path / "team/wav48"
    expected = {f"{name}_0": folder / name / f"{name}_0.flac" for name in ("s0", "s1")}
    for path in expected.values():
        audio.write(path, tone(9), RATE)
    assert protect({"audio": str(tmp_path / "team")}) == expected
    audio.write(tmp_path / "team/other/s1_0.wav", tone(8), RATE)
    with pytest.raises(BadInput, match=r"'s1_0' has two files: .*other.* and .*wav48"):
        protect({"audio": str(tmp_path / "team")})


def test_the_sets_of_a_part_lie_in_folders_of_their_own(protect, tmp_path):
    expected = {name: put(tmp_path / name, name, "2022") for name in ("s0_0", "s3_1")}
    assert protect({"audio": [str(tmp_path / name) for name in expected]}) == expected
    put(tmp_path / "s3_1", "s0_0", "scp")
    with pytest.raises(BadInput, match="'s0_0' has two files: "):
        protect({"audio": [str(tmp_path / name) for name in expected]})


def test_one_file_by_two_names_is_one_file(protect, tmp_path):
    path = put(tmp_path / "team", "s0_0", "2022")
    (tmp_path / "team" / "wav.scp").write_text(f"s0_0 {path}\n")
    assert protect({"audio": str(tmp_path / "team")}) == {"s0_0": path}


@pytest.mark.parametrize("text", ["s0_0 sph2pipe x |", "s0_0 a.wav\ns0_0 b.wav"])
def test_a_wav_scp_holds_plain_paths_once(protect, tmp_path, text):
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "wav.scp").write_text(text)
    with pytest.raises(BadInput, match=r"wav.scp:\d: "):
        protect({"audio": str(tmp_path / "team")})
