"""Results that are there already: refused, kept, or made again."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.plan import earlier
from voiceprivacy.plan.earlier import keep_state, refuse_other_format
from voiceprivacy.vocabulary import COMPARED, PREVIOUS, RESULTS_FORMAT

pytestmark = pytest.mark.usefixtures("in_tmp_path")
RESULTS = Path("results")
FORMAT = RESULTS / "format"


def test_a_fresh_folder_gets_the_format_and_can_be_carried_on():
    refuse_other_format(RESULTS, remake=False, dry_run=True)
    assert not FORMAT.exists()
    refuse_other_format(RESULTS, remake=False, dry_run=False)
    Path("results/metrics").mkdir()
    refuse_other_format(RESULTS, remake=False, dry_run=False)


@pytest.mark.parametrize("number", [None, 1, 3, 5, "x"])
def test_results_of_another_format_are_refused(number):
    Path("results/checks").mkdir(parents=True)
    if number is not None:
        FORMAT.write_text(f"{number}\n")
    with pytest.raises(BadInput, match=r"--directory NEW.* --remake"):
        refuse_other_format(RESULTS, remake=False, dry_run=False)
    refuse_other_format(RESULTS, remake=True, dry_run=True)
    with pytest.raises(BadInput, match="made by another version"):
        refuse_other_format(RESULTS, remake=False, dry_run=True)
    refuse_other_format(RESULTS, remake=True, dry_run=False)
    assert FORMAT.read_text() == f"{RESULTS_FORMAT}\n"
    refuse_other_format(RESULTS, remake=False, dry_run=False)


# What a finished run found.


def test_what_a_finished_run_found_is_kept_and_that_of_another_is_not():
    kept = RESULTS / PREVIOUS
    keep_state(RESULTS)
    assert not RESULTS.exists()
    RESULTS.mkdir()
    *files, provenance = COMPARED
    for text in ("one", "two"):
        for name in files:
            (RESULTS / name).write_text(text)
        outputs = {name: sha256_of(RESULTS / name) for name in files}
        write_json(RESULTS / provenance, {"outputs": outputs})  # the run is finished
        keep_state(RESULTS)
        assert {path.name for path in kept.iterdir()} == {*COMPARED}
        assert (kept / "evidence.json").read_text() == text
    (RESULTS / "verdict.json").write_text("of a run that was killed")
    keep_state(RESULTS)
    (RESULTS / "provenance.json").unlink()
    keep_state(RESULTS)
    assert (kept / "verdict.json").read_text() == "two"


# Models.


class Reason(str):
    """Why a job runs, in words, with fields."""


class Job(SimpleNamespace):
    """A job of Snakemake's plan; ``why`` are the names of its reason's fields that hold."""

    __hash__ = object.__hash__

    def __init__(self, rule, outputs=(), inputs=(), before=(), **why):
        super().__init__(rule=SimpleNamespace(name=rule), output=outputs, input=inputs)
        self.before = dict.fromkeys(before)
        self.reason = Reason(", ".join(why))
        fields = {"forced": False, "incomplete_output": False, "derived": not why}
        vars(self.reason).update(fields | why)


class Dag:
    """As much of Snakemake's plan as is asked for."""

    def __init__(self, *jobs):
        self.jobs = jobs
        self.dependencies = {job: job.before for job in jobs}

    def needrun_jobs(self):
        return self.jobs

    def needrun(self, job):
        return job in self.jobs

    def reason(self, job):
        return job.reason

    def bfs(self, direction, job):
        yield job
        for earlier_job in direction.get(job, {}):
            yield from self.bfs(direction, earlier_job)


MODEL = ["results/models/ecapa/embedding_model.ckpt", "results/models/ecapa/training.tsv"]


def make(paths):
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()


def test_a_model_that_would_be_trained_again_is_named_with_snakemakes_reason():
    make(MODEL)
    check = Job("validate_corpus", updated_input=True)
    part = Job("prepare_part", before=[check])
    other = Job("prepare_other", updated_input=True)
    train = Job("train_extractor", MODEL, before=[part])
    (line,) = earlier.retrained(Dag(check, part, other, train))
    assert line == "results/models/ecapa would be trained again: validate_corpus: updated_input"
    said = earlier.refusal([line])
    assert "--directory NEW" in said and "--remake" in said


@pytest.mark.parametrize(
    ("job", "is_there"),
    [
        (Job("train_extractor", MODEL), False),
        (Job("train_extractor", MODEL, forced=True), True),
        (Job("train_extractor", MODEL, incomplete_output=True), True),
        (Job("fetch_model", MODEL[:1]), True),
        (Job("train_backend", ["results/backends/plda/ecapa.npz"]), True),
    ],
    ids=["a new one", "asked for", "a training that goes on", "fetched", "a back-end"],
)
def test_other_models_are_made_without_asking(job, is_there):
    make(job.output if is_there else [])
    assert earlier.retrained(Dag(job)) == []
