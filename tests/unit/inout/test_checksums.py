"""Damage is noticed: a run's files are read as they were written, or are refused by name."""

import random
import shutil
import subprocess

import numpy as np
import pytest
from support.damages import damage
from support.sounds import RATE, tone

from voiceprivacy.inout import arrays, audio, checksums, json_files, tables
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import Trial, Utterance
from voiceprivacy.vocabulary import CHECKED_FORMAT

DAMAGES = 1000
TRIALS = [Trial("a", "a-1", "target"), Trial("a", "b-1", "nontarget"), Trial("b", "b-1", "target")]
SYSTEMS = ("b2", "mine")


def write_speech(results, system, number):
    folder = results / "audio/tiny/trial" / system
    utterances, paths = [], [folder / "wav/0" / f"{name}.flac" for name in ("a-1", "b-1")]
    for shift, path in enumerate(paths):
        audio.write(path, tone(number + shift), RATE)
        utterances.append(Utterance(path.stem, path.stem[0], "fm"[number], path, 0.5))
    digests = checksums.digests_of(paths)
    tables.write_manifest(folder / "manifest.tsv", utterances, digests=digests)


def write_system(results, system, number):
    """Speech, embeddings and scores of a system."""
    write_speech(results, system, number)
    ids, values = np.array(["a-1", "b-1"]), np.arange(6, dtype=np.float32).reshape(2, 3) + number
    path = results / f"embeddings/tiny/trial/{system}/ecapa.npz"
    arrays.write_embeddings(path, Embeddings(ids, values))
    write_what_is_computed(results, system, number)
    for condition in ("op", "pp"):
        scores = [0.25 + number, -1.5, 2.0 + (condition == "pp")]
        path = results / f"scores/tiny/all/{system}/ecapa/cosine/{condition}.tsv"
        tables.write_scores(path, TRIALS, scores)


def write_what_is_computed(results, system, number):
    """Metrics, replicates, curves and a matrix of a system."""
    json_files.write_json(results / f"metrics/ranks/{system}.json", {"op": {"rank": 1.5 + number}})
    arrays.write_npz(results / f"metrics/ranks/{system}.bootstrap.npz", {"op": np.arange(4)})
    tables.write_table(results / f"curves/ranks/{system}.tsv", ["x", "y"], [(1, 0.5), (2, number)])
    ids = np.array(["a-1", "b-1"])
    speakers, scores = np.array(["a", "b"]), np.eye(2) + number
    matrix = arrays.ScoreMatrix(ids, ids, speakers, speakers, scores, ids, ids)
    arrays.write_matrix(results / f"pairs/{system}/op.npz", matrix)


def write_results(results, number_of_format=CHECKED_FORMAT):
    results.mkdir(parents=True)
    (results / "format").write_text(f"{number_of_format}\n")
    tables.write_trials(results / "trials/tiny/all.tsv", TRIALS)
    tables.write_enrolments(
        results / "trials/tiny/all.enrolments.tsv", {"a": ["a-0"], "b": ["b-0"]}
    )
    tables.write_speakers(results / "trials/tiny/all.speakers.tsv", {"a": "a", "a-1": "a"})
    for number, system in enumerate(SYSTEMS):
        write_system(results, system, number)


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory):
    results = tmp_path_factory.mktemp("run") / "results"
    write_results(results)
    return results


@pytest.fixture
def results(undamaged, tmp_path):
    shutil.copytree(undamaged, tmp_path / "results")
    return tmp_path / "results"


def read_speech(manifest):
    values = []
    for utterance in tables.read_manifest(manifest):
        samples, rate = audio.read(utterance.path)
        piece = audio.read_piece(utterance.path, start=100, length=50)
        values.append((*utterance._replace(path=None), samples.tobytes(), rate, piece.tobytes()))
    return values


def read_arrays(path):
    ids, values = arrays.read_embeddings(path)
    return ids.tolist(), values.tobytes()


def read_all_arrays(path):
    matrix = arrays.read_matrix(path)._asdict() if "pairs" in path.parts else {}
    read = matrix or arrays.read_npz(path, [])
    return {name: (array.dtype.str, array.tobytes()) for name, array in read.items()}


def read_scores(path):
    return tables.read_scored_trials(path)


def reader_of(path):
    """What reads a file of the results, and the file that it reads."""
    name = path.name.removesuffix(".sha256")
    readers = {
        "all.tsv": tables.read_trials,
        "all.enrolments.tsv": tables.read_enrolments,
        "all.speakers.tsv": tables.read_speakers,
        "ecapa.npz": read_arrays,
        "op.tsv": read_scores,
        "pp.tsv": read_scores,
    }
    if "curves" in path.parts:
        return lambda table: tables.read_table(table, ["x", "y"]), path.with_name(name)
    if name.endswith(".json"):
        return json_files.read_json, path.with_name(name)
    if name.endswith(".npz") and name not in readers:
        return read_all_arrays, path.with_name(name)
    if name in readers:
        return readers[name], path.with_name(name)
    folder = path.parent if path.suffix == ".tsv" else path.parents[2]
    return read_speech, folder / "manifest.tsv"


def test_a_thousand_damages_change_no_number(results):
    files = sorted(path for path in results.rglob("*") if path.is_file() and path.name != "format")
    kept = {path: path.read_bytes() for path in files}
    values = {path: reader_of(path)[0](reader_of(path)[1]) for path in files}
    draw, refused = random.Random(17), 0
    for number in range(DAMAGES):
        path = draw.choice(files)
        damaged = damage(kept[path], draw)
        path.write_bytes(damaged)
        read, named = reader_of(path)
        try:
            assert read(named) == values[path], f"damage {number} of {path}"
        except BadInput as error:
            refused += 1
            folder = path.relative_to(results).parent
            assert path.name in str(error) or str(folder) in str(error), error
            assert "run again" in str(error)
        path.write_bytes(kept[path])
    # What is left of a damage that changes nothing: the same byte drawn once more.
    assert refused > 0.98 * DAMAGES


SCORES = "scores/tiny/all/{}/ecapa/cosine/{}.tsv"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SCORES.format("b2", "op"), SCORES.format("b2", "pp")),
        (SCORES.format("b2", "op"), SCORES.format("mine", "op")),
        ("embeddings/tiny/trial/b2/ecapa.npz", "embeddings/tiny/trial/mine/ecapa.npz"),
        ("audio/tiny/trial/b2/wav/0/a-1.flac", "audio/tiny/trial/b2/wav/0/b-1.flac"),
        ("audio/tiny/trial/b2/wav", "audio/tiny/trial/mine/wav"),
        ("audio/tiny/trial/b2/manifest.tsv", "audio/tiny/trial/mine/manifest.tsv"),
        ("audio/tiny/trial/b2", "audio/tiny/trial/mine"),
        ("scores/tiny/all/b2", "scores/tiny/all/mine"),
    ],
)
@pytest.mark.parametrize("with_checksums", [True, False])
def test_what_was_exchanged_is_refused(results, one, other, with_checksums):
    """Each file with its checksum, so that both agree, or without."""
    endings = ["", ".sha256"] if with_checksums else [""]
    for ending in endings:
        first, second = results / f"{one}{ending}", results / f"{other}{ending}"
        if first.exists():
            first.rename(results / "between")
            second.rename(first)
            (results / "between").rename(second)
    path = results / one
    if "audio" in one:
        path = results / "audio/tiny/trial/b2/manifest.tsv"
    elif path.is_dir():
        path = next(path.rglob("*.tsv"))
    read, named = reader_of(path)
    with pytest.raises(BadInput, match=r"remove .* and run again"):
        read(named)


@pytest.mark.parametrize(
    "name",
    [
        "trials/tiny/all.tsv",
        "trials/tiny/all.enrolments.tsv",
        "trials/tiny/all.speakers.tsv",
        "embeddings/tiny/trial/b2/ecapa.npz",
        SCORES.format("b2", "op"),
        "metrics/ranks/b2.json",
        "metrics/ranks/b2.bootstrap.npz",
        "curves/ranks/b2.tsv",
        "pairs/b2/op.npz",
    ],
)
def test_a_file_of_a_run_without_its_checksum_is_refused(results, name):
    checksums.sidecar_path(results / name).unlink()
    read, path = reader_of(results / name)
    with pytest.raises(BadInput, match=rf"{path.name}.sha256 is missing: remove \S+ and run again"):
        read(path)


@pytest.mark.parametrize("lost", ["checksums.tsv", "a row"])
def test_speech_of_a_run_without_checksums_is_refused(results, lost):
    folder = results / "audio/tiny/trial/b2"
    table = folder / "checksums.tsv"
    lines = table.read_text().splitlines(keepends=True)
    if lost == "a row":
        table.write_text("".join(lines[:-1]))
    else:
        table.unlink()
    with pytest.raises(BadInput, match=r"checksums.tsv.*remove \S+manifest.tsv and run again"):
        tables.read_manifest(folder / "manifest.tsv")


def test_lost_speech_says_what_makes_it_again(results):
    path = results / "audio/tiny/trial/b2/wav/0/a-1.flac"
    path.unlink()
    with pytest.raises(BadInput, match=r"not found: remove \S+b2/manifest.tsv and run again"):
        audio.read(path)
    shard = results / "audio/tiny/trial/b2/shards/0.tsv"
    shard.parent.mkdir()
    shard.touch()
    with pytest.raises(
        BadInput, match=r"not found: remove \S+shards/0.tsv and \S+b2/manifest.tsv and run"
    ):
        audio.header(path)


def test_results_of_an_older_version_need_no_checksums(tmp_path):
    results = tmp_path / "results"
    write_results(results, CHECKED_FORMAT - 1)
    for path in [*results.rglob("*.sha256"), *results.rglob("checksums.tsv")]:
        path.unlink()
    for path in results.rglob("*.*"):
        if path.is_file():
            read, named = reader_of(path)
            read(named)


def test_elsewhere_none_is_written_and_one_that_is_there_is_checked(results, tmp_path):
    path = tmp_path / "op.tsv"
    tables.write_scores(path, TRIALS, [1.0, 2.0, 3.0])
    utterance = Utterance("a-1", "a", "f", tmp_path / "a-1.flac", 0.5)
    tables.write_manifest(tmp_path / "manifest.tsv", [utterance])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"results", "op.tsv", "manifest.tsv"}
    tables.read_scores(path)
    of_run = results / SCORES.format("b2", "op")
    shutil.copy(f"{of_run}.sha256", f"{path}.sha256")
    with pytest.raises(BadInput, match=r"op.tsv: is damaged.*or remove \S+op.tsv.sha256"):
        tables.read_scores(path)
    shutil.copy(of_run, path)
    tables.read_scores(path)
    tables.write_scores(path, TRIALS, [1.0, 2.0, 3.0])  # its checksum goes with it
    tables.read_scores(path)


def test_speech_that_was_copied_elsewhere_is_checked_where_its_table_is(results, tmp_path):
    folder = tmp_path / "elsewhere"
    shutil.copytree(results / "audio/tiny/trial/b2", folder)
    assert read_speech(folder / "manifest.tsv")
    audio.write(folder / "wav/0/a-1.flac", tone(5), RATE)
    with pytest.raises(BadInput, match=r"a-1\.flac: is damaged"):
        read_speech(folder / "manifest.tsv")


def test_what_is_killed_before_its_new_checksum_is_written_leaves_no_older_one(
    results, monkeypatch
):
    """Else provenance.json would be refused when the next run begins."""
    path = results / "provenance.json"
    json_files.write_json(path, {"format": 1})
    assert checksums.sidecar_path(path).exists()

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(checksums, "_write_sidecar", killed)
    with pytest.raises(KeyboardInterrupt):
        json_files.write_json(path, {"format": 2})
    assert json_files.read_json(path, checked=False) == {"format": 2}


def test_scratch_folders_of_a_run_have_none(results):
    path = results / "scores/.op.0123/op.tsv"
    tables.write_scores(path, TRIALS, [1.0, 2.0, 3.0])
    assert [file.name for file in path.parent.iterdir()] == ["op.tsv"]
    tables.read_scores(path)


def test_results_may_lie_behind_a_link_and_be_moved(results, tmp_path):
    results.rename(tmp_path / "far")
    results.symlink_to(tmp_path / "far")
    assert read_speech(results / "audio/tiny/trial/b2/manifest.tsv")
    tables.read_trials(results / "trials/tiny/all.tsv")
    tables.read_trials(tmp_path / "far/trials/tiny/all.tsv")


def test_sha256sum_reads_the_checksums(results):
    sidecars = list(results.rglob("*.sha256"))
    for sidecar in sidecars:
        subprocess.run(["sha256sum", "--check", "--quiet", sidecar], cwd=results, check=True)
    assert len(sidecars) == 9 + 4 * len(SYSTEMS)
