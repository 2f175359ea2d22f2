"""Speech that is given away: no id, no date and no order in it; the key finds everything again."""

import itertools
from contextlib import nullcontext

import numpy as np
import pytest
import soundfile
from scipy.signal import butter, resample, sosfilt
from support.calls import flags, refused, succeeds

from voiceprivacy.anonymise.functions.mcadams import anonymise
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance, read_manifest, write_manifest
from voiceprivacy.inout.tables import read_table
from voiceprivacy.organise.publishing import KEY, publish, telling_names

SPEAKERS = ("annamaria", "bertholda", "charlotte")


@pytest.fixture
def manifest(tmp_path):
    """Protected speech with metadata in its FLAC and WAV, the second speaker's at another rate."""
    write_speech(tmp_path / "original", seed=1)
    return write_speech(tmp_path / "b2", seed=0)


def write_speech(folder, *, seed):
    utterances = []
    for (index, speaker), number in itertools.product(enumerate(SPEAKERS), range(4)):
        name = f"{speaker}-{number:04d}"
        path = folder / "wav" / f"{name}{'.flac' if number % 2 else '.wav'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        rate, count = (8000 if index == 1 else 16000), 400 + 100 * index + number
        with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
            file.title, file.artist, file.comment = name, speaker, "alpha 0.8123"
            draw = np.random.default_rng([seed, index, number])
            file.write(draw.integers(-9999, 9999, count).astype(np.int16))
        utterances.append(Utterance(name, speaker, "f", path, count / rate))
    (folder / "manifest.alphas.tsv").write_text("utterance\tspeaker\talpha\n")
    write_manifest(folder / "manifest.tsv", utterances)
    return folder / "manifest.tsv"


def test_nothing_of_ids_or_metadata_is_in_the_folder_and_the_key_restores_all(manifest, tmp_path):
    published = publish([manifest], tmp_path / "out", tmp_path / "key.tsv")
    files = sorted((tmp_path / "out").rglob("*"))
    assert len(files) == 12
    assert {(path.suffix, len(path.stem)) for path in files} == {(".wav", 16)}
    content = b"".join(path.name.encode() + path.read_bytes() for path in files)
    made = b"".join(path.read_bytes() for path in manifest.parent.rglob("*.wav"))
    assert any(speaker.encode() in made for speaker in SPEAKERS)
    known = ("-0001", "0.8123", "alpha", "LIST", "INFO", "manifest", "flac", str(tmp_path))
    assert [one for one in (*SPEAKERS, *known) if one.encode() in content] == []
    for path in files:
        assert path.stat().st_size == 44 + 2 * soundfile.info(path).frames
    rows = read_table(tmp_path / "key.tsv", KEY)
    names = [line.utterance for line in read_manifest(manifest)]
    assert [row["utterance"] for row in rows] == names
    assert [row["published"] for row in rows] == [name for name, _ in published]
    for row in rows:
        mine, rate = audio.read(tmp_path / "out" / row["published"])
        source, source_rate = audio.read(row["path"])
        assert rate == source_rate and np.array_equal(mine, source)
    assert (tmp_path / "key.tsv").stat().st_mode & 0o077 == 0


def test_dates_and_permissions_are_all_the_same_of_several_parts_that_share_ids(manifest, tmp_path):
    publish([manifest, manifest], tmp_path / "out", tmp_path / "key.tsv", threads=3)
    assert len(list((tmp_path / "out").iterdir())) == 24
    stats = [path.stat() for path in (tmp_path / "out", *(tmp_path / "out").iterdir())]
    assert {stat.st_mtime for stat in stats} == {946684800.0}
    assert len({stat.st_mode for stat in stats[1:]}) == 1


def test_a_key_in_the_folder_is_refused_on_whatever_way_and_one_outside_is_not(manifest, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for inside in ("b2/../out/key.tsv", "link/out/key.tsv"):
        with pytest.raises(BadInput, match="lies in the folder that is given away"):
            publish([manifest], tmp_path / "out", tmp_path / inside)
        assert not (tmp_path / "out").exists()
    publish([manifest], tmp_path / "out", tmp_path / "out/../key.tsv")
    assert (tmp_path / "key.tsv").is_file()


def test_the_order_of_the_names_is_drawn_and_no_seed_gives_it_again(manifest, tmp_path):
    orders = []
    for number in range(2):
        np.random.seed(0)
        published = publish([manifest], tmp_path / f"out{number}", tmp_path / f"key{number}.tsv")
        orders.append([name for name, _ in published])
    assert not set(orders[0]) & set(orders[1])
    assert any(order != sorted(order) for order in orders)  # else by chance: 1 in 12! squared


def changed(manifest, change):
    """A manifest whose speech is other speech, changed."""
    utterances, folder = [], manifest.parents[1] / "changed"
    for line in read_manifest(manifest):
        samples, rate = audio.read(line.path)
        utterances.append(line._replace(path=folder / f"{line.utterance}.wav"))
        audio.write(utterances[-1].path, change(samples), rate)
    write_manifest(folder / "manifest.tsv", utterances)
    return folder / "manifest.tsv"


@pytest.mark.parametrize(
    "change",
    [
        lambda samples: -0.5 * samples,
        lambda samples: np.concatenate([np.zeros(700, np.float32), samples]),
        lambda samples: samples + np.float32(0.01) * np.sin(np.arange(len(samples))),
    ],
    ids=["quieter and turned round", "later", "with a hum"],
)
def test_original_speech_is_refused_whatever_its_folder_is_called(manifest, tmp_path, change):
    original = changed(tmp_path / "original" / "manifest.tsv", change)
    with pytest.raises(BadInput, match=r"is the original speech, or nearly .*12 files of 12"):
        publish([original], tmp_path / "out", tmp_path / "key.tsv")
    assert not (tmp_path / "out").exists() and not (tmp_path / "key.tsv").exists()


def test_one_original_among_protected_speech_is_refused_under_another_name(manifest, tmp_path):
    first, *others = read_manifest(manifest)
    last = read_manifest(tmp_path / "original" / "manifest.tsv")[-1]
    write_manifest(manifest, [first._replace(path=last.path), *others])
    with pytest.raises(BadInput, match=r"is the original speech, or nearly .*1 file of 12"):
        publish([manifest], tmp_path / "out", tmp_path / "key.tsv")


def test_an_original_is_refused_where_two_parts_share_its_name(manifest, tmp_path):
    original = tmp_path / "original" / "manifest.tsv"
    quieter = changed(original, lambda samples: 0.5 * samples)
    with pytest.raises(BadInput, match=r"is the original speech, or nearly .*12 files of 12"):
        publish([quieter], tmp_path / "out", tmp_path / "key.tsv", originals=[original, manifest])


def test_speech_without_its_original_is_not_published_unseen(manifest, tmp_path):
    original = (tmp_path / "original").rename(tmp_path / "elsewhere") / "manifest.tsv"
    with pytest.raises(BadInput, match=r"--original"):
        publish([manifest], tmp_path / "out", tmp_path / "key.tsv")
    outputs = {"audio_dir": tmp_path / "out", "key": tmp_path / "key.tsv"}
    succeeds("publish_audio", *flags(manifest=manifest, original=original, **outputs))
    write_manifest(original, read_manifest(original)[1:])
    with pytest.raises(BadInput, match="utterance 'annamaria-0000': has no original in"):
        publish([manifest], tmp_path / "out2", tmp_path / "key2.tsv", originals=[original])


def test_existing_folders_and_keys_are_refused(manifest, tmp_path):
    (tmp_path / "key.tsv").write_text("mine")
    with pytest.raises(BadInput, match=r"key.tsv: is there already"):
        publish([manifest], tmp_path / "out", tmp_path / "key.tsv")
    (tmp_path / "out").mkdir()
    with pytest.raises(BadInput, match=r"out: is there already"):
        publish([manifest], tmp_path / "out", tmp_path / "other.tsv")
    assert (tmp_path / "key.tsv").read_text() == "mine" and not list((tmp_path / "out").iterdir())


def test_what_is_too_loud_for_16_bits_keeps_its_shape(manifest, tmp_path):
    """It was clipped without a word."""
    (first, *_) = read_manifest(manifest)
    loud = 3 * soundfile.read(first.path)[0] / soundfile.read(first.path)[0].max()
    soundfile.write(first.path, loud, 16000, subtype="FLOAT")
    (name, _), *_ = publish([manifest], tmp_path / "out", tmp_path / "key.tsv")
    assert audio.likeness(audio.read(tmp_path / "out" / name)[0], loud) > 0.9999


def test_a_full_disk_is_one_of_the_machine(manifest, tmp_path, monkeypatch):
    monkeypatch.setattr(soundfile, "write", lambda path, *rest, **options: open(path, "w").close())
    with pytest.raises(OSError, match="is the disk full"):
        publish([manifest], tmp_path / "out", tmp_path / "key.tsv")


def test_a_broken_file_leaves_nothing_behind(manifest, tmp_path):
    (manifest.parent / "wav" / "bertholda-0000.wav").write_text("no audio")
    outputs = {"audio_dir": tmp_path / "out", "key": tmp_path / "key.tsv"}
    said = refused("publish_audio", *flags(manifest=manifest, **outputs))
    assert "bertholda-0000.wav: cannot be read as audio" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b2", "original"]


REFUSED = pytest.raises(BadInput, match="speeds and noise are not found")


def telephone(samples):
    return sosfilt(butter(6, [300, 3400], "band", fs=16000, output="sos"), samples)


@pytest.fixture(scope="module")
def spoken():
    """Ten seconds of a made-up voice: harmonics whose formants and level move."""
    rate, seconds = 16000, 10
    random = np.random.default_rng(0)
    times = np.arange(rate * seconds) / rate
    slow = [resample(random.normal(size=seconds * 5), rate * seconds) for _ in range(4)]
    phase = 2 * np.pi * np.cumsum(120 + 15 * slow[0]) / rate
    samples = np.zeros(len(times))
    for harmonic in range(1, 60):
        frequency = 120 * harmonic
        level = sum(
            np.exp(-(((frequency - centre - 250 * move) / 200) ** 2))
            for centre, move in zip((500, 1500, 2500), slow[1:], strict=True)
        )
        samples += level * np.cos(harmonic * phase)
    samples *= np.clip(1 + slow[3], 0.02, None)
    return (samples + 1e-3 * random.normal(size=len(samples))) / np.abs(samples).max() / 2


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (lambda samples: samples[::-1], REFUSED),
        (telephone, REFUSED),
        (lambda samples: telephone(samples)[::-1], REFUSED),
        (lambda samples: np.append(samples[0], samples[1:] - 0.97 * samples[:-1]), REFUSED),
        (lambda samples: np.append(samples[:80_000], -samples[80_000:]), REFUSED),
        (lambda samples: anonymise(samples, 16000, alpha=0.8), nullcontext()),
        (lambda samples: anonymise(samples, 16000, alpha=0.9), nullcontext()),
    ],
    ids=["backwards", "telephone", "both", "pre-emphasis", "half negated", "b2", "weak b2"],
)
def test_a_changed_original_is_refused_and_b2_is_not(spoken, tmp_path, change, outcome):
    for name, samples in (("original", spoken), ("b2", change(spoken))):
        audio.write(tmp_path / name / "a.wav", np.asarray(samples, np.float32), 16000)
        line = Utterance("a", "anna", "f", tmp_path / name / "a.wav", 10.0)
        write_manifest(tmp_path / name / "manifest.tsv", [line])
    with outcome:
        publish([tmp_path / "b2/manifest.tsv"], tmp_path / "o", tmp_path / "key")


def test_names_that_say_who_speaks_or_the_sex_are_a_warning(manifest, tmp_path):
    outputs = {"audio_dir": tmp_path / "out", "key": tmp_path / "key.tsv"}
    said = succeeds("publish_audio", *flags(manifest=manifest, **outputs))
    assert "warning: 12 names of 12, such as 'annamaria-0000', say who speaks" in said
    lines = [Utterance(name, "s1", "f", "a", 1.0) for name in ("x_female_1", "x1-s1", "x_m_2")]
    telling = telling_names([("a", line) for line in lines])
    assert [line.utterance for line in telling] == ["x_female_1", "x1-s1"]
