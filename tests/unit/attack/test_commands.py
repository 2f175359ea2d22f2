"""The attack room's commands from end to end, each in a process of its own, and how they fail."""

import itertools

import numpy as np
import pytest
from support import calls

from voiceprivacy.corpora.release import release_pairs
from voiceprivacy.inout import manifests, trial_lists
from voiceprivacy.inout.arrays import Embeddings, read_embeddings, write_embeddings
from voiceprivacy.inout.enrolments import write_enrolments
from voiceprivacy.inout.scored_trials import read_scored_trials
from voiceprivacy.privacy.matrices.matrix_files import read_matrix


def succeeds(name, **options):
    return calls.succeeds(name, *calls.flags(**options))


def fails(name, **options):
    """The one line on stderr of a command that stops with exit code 2."""
    said = calls.refused(name, *calls.flags(**options))
    [line] = [line for line in said.splitlines() if "utterance/s" not in line]
    assert line.startswith("error: ")
    return line


@pytest.fixture(scope="module")
def files(ecapa, tones, tmp_path_factory):
    """A folder with embeddings of the tones, a trial list and its enrolments."""
    folder = tmp_path_factory.mktemp("files")
    succeeds("extract_embeddings", manifest=tones, model=ecapa, embeddings=folder / "e.npz")
    speakers = sorted({utterance.speaker for utterance in manifests.read_manifest(tones)})
    enrolled = {speaker: [f"{speaker}-0", f"{speaker}-1"] for speaker in speakers}
    write_enrolments(folder / "enrolments.tsv", enrolled)
    trials = [
        (enrolled, f"{tried}-{index}", "target" if enrolled == tried else "nontarget")
        for enrolled, tried, index in itertools.product(speakers, speakers, (2, 3))
    ]
    trial_lists.write_trials(folder / "trials.tsv", trials)
    return folder


def test_several_manifests_are_embedded_as_one_after_the_other(files, tones, ecapa, tmp_path):
    few = tones.with_name("few.tsv")
    manifests.write_manifest(few, manifests.read_manifest(tones)[:3])
    written = [tmp_path / "all.npz", tmp_path / "few.npz"]
    succeeds("extract_embeddings", manifest=[tones, few], model=ecapa, embeddings=written)
    alone = read_embeddings(files / "e.npz")
    for path, n_utterances in zip(written, (16, 3), strict=True):
        ids, embeddings = read_embeddings(path)
        assert ids.tolist() == alone.ids[:n_utterances].tolist()
        np.testing.assert_array_equal(embeddings, alone.embeddings[:n_utterances])
    line = fails("extract_embeddings", manifest=[tones, few], model=ecapa, embeddings=written[:1])
    assert "--embeddings: must name one file for each" in line
    given = {"ready": "e.npz", "revision": "0a1b2", "embeddings": "x"}
    assert fails("extract_embeddings", manifest=few, **given).endswith("need --model")


def listed(files):
    return {"trials": files / "trials.tsv", "enrolments": files / "enrolments.tsv"}


def scored(files, path, backend="cosine", **changed):
    given = {"enrolment": files / "e.npz", "trial": files / "e.npz"} | changed
    succeeds("score_trials", **given, **listed(files), backend=backend, scores=path)
    return read_scored_trials(path).classes


def test_plda_is_trained_and_scores(files, tones):
    backend = files / "plda.npz"
    trained = {"embeddings": files / "e.npz", "manifest": tones, "backend": backend}
    shown = succeeds("train_backend", **trained, lda_dim=2)
    assert shown == "plda of 2 dimensions from 16 utterances of 4 speakers\n"
    scores = scored(files, files / "plda.tsv", backend)
    assert len(scores["target"]) == 8
    assert len(scores["nontarget"]) == 24
    assert scores["target"].mean() > scores["nontarget"].mean()


def test_embeddings_that_are_all_zero_are_said(files, tmp_path):
    """An extractor failed: nobody is like them, as if they were well protected."""
    ids, embeddings = read_embeddings(files / "e.npz")
    embeddings[3] = 0
    write_embeddings(tmp_path / "e.npz", Embeddings(ids, embeddings))
    options = {"enrolment": files / "e.npz", "trial": tmp_path / "e.npz", "backend": "cosine"}
    options |= {"scores": tmp_path / "s.tsv", **listed(files)}
    done = calls.here("score_trials", *calls.flags(**options))
    zero = f"{tmp_path}/e.npz: 1 embedding is all zero, such as that of '{ids[3]}'"
    assert done.returncode == 0 and zero in done.stderr


def test_a_rotation_is_trained_and_undone(files, tones, tmp_path):
    """Of speech whose embeddings were only turned, all is as of the original speech."""
    embedded = read_embeddings(files / "e.npz")
    rolled = np.roll(embedded.embeddings, 1, axis=1)
    write_embeddings(tmp_path / "turned.npz", Embeddings(embedded.ids, rolled))
    backend = tmp_path / "rotation.npz"
    kind = {"type": "procrustes", "manifest": tones, "backend": backend}
    turned = {"embeddings": tmp_path / "turned.npz", "original": files / "e.npz"}
    shown = succeeds("train_backend", **kind, **turned, held_out=tmp_path / "held_out.json")
    assert shown.startswith("Rotation of 10 dimensions from 16 utterances of 4 speakers\n")
    assert shown.count("\n") == 2 and "not judged on speakers held out" in shown
    original = scored(files, tmp_path / "oo.tsv", backend)
    protected = {"trial": tmp_path / "turned.npz", "protected": ["trial"]}
    undone = scored(files, tmp_path / "op.tsv", backend, **protected)
    for label, values in original.items():
        np.testing.assert_allclose(undone[label], values, atol=0.05)
    assert "procrustes needs" in fails("train_backend", **kind, embeddings=files / "e.npz")


def lists(files, tones):
    """What score_system reads beside embeddings."""
    sides = {"enrolment_manifest": tones, "trial_manifest": tones}
    return {**sides, **listed(files), "backend": "cosine"}


def test_scores_pairs_and_templates_of_a_system_agree(files, tones, tmp_path):
    scores = scored(files, files / "cosine.tsv")
    systems = [f"{whose}={files / 'e.npz'}" for whose in ("original", "run0")]
    written = {"scores": tmp_path / "op.tsv", "pairs": tmp_path / "pp.npz"}
    written["templates"] = tmp_path / "op.npz"
    given = {"enrolment": systems, "trial": systems, **lists(files, tones)}
    assert succeeds("score_system", **given, **written).count("\n") == 3
    assert written["scores"].read_bytes() == (files / "cosine.tsv").read_bytes()
    pairs, templates = (read_matrix(written[kind]) for kind in ("pairs", "templates"))
    assert pairs.scores.shape == (8, 8) and pairs.row_speakers[0] == "s0"
    np.testing.assert_allclose(pairs.scores, pairs.scores.T, atol=1e-15)
    np.testing.assert_allclose(np.diag(pairs.scores), 1, atol=1e-15)
    same = np.equal.outer(templates.row_speakers, templates.column_speakers)
    for label, own in (("target", same), ("nontarget", ~same)):
        in_order = np.sort(templates.scores[own])
        np.testing.assert_allclose(in_order, np.sort(scores[label]), atol=1e-15)


def test_a_release_is_linked_with_itself_each_pair_once(files, tones, tmp_path):
    ids, embeddings = read_embeddings(files / "e.npz")
    write_embeddings(tmp_path / "alike.npz", Embeddings(ids, np.ones_like(embeddings)))
    given = {
        "enrolment": [f"original={tmp_path / 'alike.npz'}"],
        "trial": [f"original={tmp_path / 'alike.npz'}", f"run0={files / 'e.npz'}"],
        **lists(files, tones),
    }
    assert "rr.tsv: needs --release" in fails("score_system", **given, scores=[tmp_path / "rr.tsv"])
    speaker_of = {line.utterance: line.speaker for line in manifests.read_manifest(tones)}
    pairs = release_pairs(trial_lists.read_trials(files / "trials.tsv"), speakers=speaker_of)
    trial_lists.write_trials(tmp_path / "release.tsv", pairs)
    given["release"] = tmp_path / "release.tsv"
    succeeds("score_system", **given, scores=[tmp_path / "rr.tsv"])
    pairs = read_scored_trials(tmp_path / "rr.tsv").classes
    assert len(pairs["target"]) == 4 and len(pairs["nontarget"]) == 8 * 7 / 2 - 4
    assert np.ptp(pairs["nontarget"]) > 1e-9  # of the protected speech


def test_each_condition_compares_its_own_speech(files, tones, tmp_path):
    """By hand: every side of every speech points along an axis, or between the two."""
    ids, _ = read_embeddings(files / "e.npz")
    points = {"e_run0": [1, 0], "e_original": [1, 1]}
    points |= {"t_run0": [0, 1], "t_run1": [3, 4], "t_original": [3, 0]}
    sides = {"enrolment": [], "trial": []}
    for name, point in points.items():
        embeddings = np.tile(np.array(point, dtype=np.float32), (len(ids), 1))
        write_embeddings(tmp_path / f"{name}.npz", Embeddings(ids, embeddings))
        side = "enrolment" if name.startswith("e") else "trial"
        sides[side].append(f"{name[2:]}={tmp_path / name}.npz")
    expected = {"oo": 0.5**0.5, "op": 0.5**0.5, "pp": 0, "p0p1": 0.6, "po": 1}
    written = [tmp_path / f"{condition}.tsv" for condition in expected]
    succeeds("score_system", **sides, **lists(files, tones), scores=written)
    for path, score in zip(written, expected.values(), strict=True):
        np.testing.assert_allclose(read_scored_trials(path).classes["target"], score, atol=1e-6)


@pytest.mark.parametrize(
    ("names", "more", "reason"),
    [
        (["xx.tsv"], {}, "xx.tsv: is not named by a condition"),
        (["pp.tsv"], {}, "--enrolment: has no embeddings of 'run0'"),
        (["oo.tsv", "rr.tsv"], {"release": "none"}, "none: not found"),
    ],
)
def test_a_condition_that_cannot_be_scored_is_one_line(files, tones, tmp_path, names, more, reason):
    """And others are not scored either."""
    sides = dict.fromkeys(("enrolment", "trial"), f"original={files / 'e.npz'}")
    wanted = {**lists(files, tones), "scores": [tmp_path / name for name in names], **more}
    assert reason in fails("score_system", **sides, **wanted)
    assert not any(tmp_path.iterdir())
