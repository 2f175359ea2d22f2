"""Results that are there already: whether a run may go on with them, and what of them is lost.

* Results of another format would not be made again by themselves: refused.
* A trained model is made again only with --remake: a small edit must not throw away a week of a
  GPU. What counts is Snakemake's own plan of the run, so every reason is known, and nothing has
  been removed yet.
* Protected speech that somebody has deleted is made again where it is needed.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import BadInput, counted, whole_or_absent
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.plan.seen import JUST_NOW_NS
from voiceprivacy.plan.sources import Sources
from voiceprivacy.vocabulary import FORMAT_FILE, RESULTS_FORMAT, SHARDS

RESULTS = Path("results")
FORMAT = RESULTS / FORMAT_FILE  # RESULTS_FORMAT, of results that are not finished
MADE = ["checks", "audio", "trials", "samples", "embeddings", "scores", "metrics", "models"]
REMAKE = "VOICEPRIVACY_REMAKE"  # environment: what is refused otherwise is made again
MODELS = "results/models/"  # what takes hours to train; back-ends take minutes
FOLDERS = Path(".snakemake", "folders.json")  # of speech that was there: {manifest: {path: time}}
TWO_WAYS = (
    "run in a new directory (--directory NEW), or make {} again here"
    " (voiceprivacy run --remake ...)"
)


def format_of_results(directory: Path = Path()) -> int:
    """The format of the results that lie below a directory; our own where there are none.

    Finished results say their format in provenance.json. Others have a file of their own for it,
    which the first run writes before it makes anything. Results without either are older.
    """
    provenance = directory / RESULTS / "provenance.json"
    if provenance.exists():
        # One that was killed before it wrote its checksum: the run writes both anew.
        return read_json(provenance, checked=False).get("format", 1)
    if (its_format := _format_said(directory)) is not None:
        return its_format
    is_fresh = not any((directory / RESULTS / folder).exists() for folder in MADE)
    return RESULTS_FORMAT if is_fresh else 1


def refuse_other_format(*, remake: bool, dry_run: bool) -> None:
    """Refuse to carry on results of another format, which rules would not make again.

    Raises
    ------
    BadInput : results/ holds results of another format, and they are not to be made again
    """
    its_format = format_of_results()
    if its_format != RESULTS_FORMAT and not remake:
        raise BadInput(
            f"{RESULTS.absolute()}: made by another version (format {its_format}, this one has"
            f" {RESULTS_FORMAT}); {TWO_WAYS.format('everything')}; nothing was changed"
        )
    # What is made again has the number of before until all is made, which provenance.json says.
    if not dry_run and _format_said() != its_format:
        with whole_or_absent(FORMAT) as temporary:
            temporary.write_text(f"{its_format}\n")


def _format_said(directory: Path = Path()) -> int | None:
    """The number in the file of the format; None where it is missing or damaged."""
    try:
        return int((directory / FORMAT).read_bytes())
    except (OSError, ValueError):
        return None


# What Snakemake overlooks.


def look_behind_ancient(dag_class: Any) -> None:
    """Have Snakemake's plan of a run ask jobs behind ancient() whether they have changed.

    Snakemake asks no job that comes after one that runs, because it will run anyway. But jobs that
    read all files of it as ancient() do not. So their own changes would be forgotten in this run:
    the check of all speakers runs, and a back-end with another parameter stays as it was. Where
    this Snakemake has no such methods, nothing is changed.
    """
    walk, update = (getattr(dag_class, name, None) for name in ("bfs", "update_needrun"))
    if walk is None or update is None or getattr(walk, "looks_behind", False):
        return
    updating: set[int] = set()  # plans in which Snakemake marks what it need not ask

    def walk_to_what_follows(self: Any, direction: Any, *jobs: Any, **options: Any) -> Any:
        if id(self) in updating and direction is self.depending:
            direction = _NotAncient(direction)
        return walk(self, direction, *jobs, **options)

    async def update_needrun(self: Any, *arguments: Any, **options: Any) -> Any:
        updating.add(id(self))
        try:
            return await update(self, *arguments, **options)
        finally:
            updating.discard(id(self))

    walk_to_what_follows.looks_behind = True  # type: ignore[attr-defined]
    dag_class.bfs, dag_class.update_needrun = walk_to_what_follows, update_needrun


class _NotAncient:
    """Which jobs read what of a job: {job: files}, without those to whom all of it is ancient()."""

    def __init__(self, depending: Any) -> None:
        self.depending = depending

    def __getitem__(self, job: Any) -> dict[Any, Any]:
        reading = self.depending[job].items()
        return {other: files for other, files in reading if not all(map(_is_ancient, files))}


def _is_ancient(file: Any) -> bool:
    return bool(file.is_ancient)


# Trained models.


def retrained(dag: Any, sources: Sources) -> list[str]:
    """What a run would train again though it is there: a line each, with the reason.

    Models that a person asks for (--force) and trainings that go on are left out.

    Parameters
    ----------
    dag : Snakemake's plan of the run
    sources : those of the run, after they were looked at
    """
    lines = []
    for job in dag.needrun_jobs(exclude_finished=False):  # of a dry run, too
        models = [str(path) for path in job.output if str(path).startswith(MODELS)]
        reason = dag.reason(job)
        is_there = models and all(os.path.exists(path) for path in models)
        is_wanted = reason.forced or reason.incomplete_output
        if job.rule.name.startswith("train_") and is_there and not is_wanted:
            causes = "; ".join(dict.fromkeys(_causes(job, dag, sources)))
            lines.append(f"{os.path.dirname(models[0])} would be trained again: {causes}")
    return sorted(lines)


def refusal(lines: list[str]) -> str:
    """The words that refuse to train models again."""
    return (
        f"{'; '.join(lines)}; {TWO_WAYS.format('what depends on it')}, or undo the change;"
        " nothing was changed"
    )


def _causes(job: Any, dag: Any, sources: Sources) -> list[str]:
    """Why a job runs: sources that have changed, or else the first rules that do not stand."""
    changed, others = [], []
    for earlier in [job, *_before(job, dag)]:
        reason, read = dag.reason(earlier), set(map(str, earlier.input))
        for source, files in sources.changed.items():
            if read.intersection(sources.file(source)):
                changed.append(_changed(source, files))
        if not reason.derived:
            others.append(f"{earlier.rule.name}: {', '.join(reason.get_names())}")
    return changed or others


def _before(job: Any, dag: Any) -> list[Any]:
    """All jobs before a job that run too."""
    jobs = [earlier for earlier in dag.bfs(dag.dependencies, job) if dag.needrun(earlier)]
    return [earlier for earlier in jobs if earlier is not job]


def _changed(source: str, files: list[str]) -> str:
    if not files:  # one is gone
        return f"{source} has changed"
    more = f" and {counted(len(files) - 1, 'other file')}" if len(files) > 1 else ""
    return f"{source} has changed ({files[0]}{more})"


# Speech of the run's own that somebody has deleted.


def make_lost_speech_again(*, dry_run: bool) -> list[str]:
    """Remove manifests whose speech is gone, so that it is made again as soon as a job needs it.

    A manifest is read only if its time is new, or that of a folder of its speech.

    Returns
    -------
    list of str : the manifests; a dry run leaves them
    """
    whole = _read_folders()
    lost, now = [], {}
    for manifest in sorted(RESULTS.glob("audio/*/*/*/manifest.tsv")):
        name, folder = str(manifest), manifest.parent
        if name in whole and _times(whole[name]) == whole[name]:
            now[name] = whole[name]
            continue
        missing = _missing_speech(manifest)
        if not missing:
            if times := _times([name, *_folders_of_speech(folder)]):
                now[name] = times
            continue
        lost.append(name)
        if not dry_run:
            for shard in {path.parent.name for path in missing}:
                (folder / SHARDS / f"{shard}.tsv").unlink(missing_ok=True)
            manifest.unlink()
    if not dry_run and now != whole:
        with whole_or_absent(FOLDERS) as temporary:
            temporary.write_text(json.dumps(now))
    return lost


def _read_folders() -> dict[str, dict[str, int]]:
    with contextlib.suppress(OSError, ValueError):
        return dict(json.loads(FOLDERS.read_text()))
    return {}


def _folders_of_speech(folder: Path) -> list[str]:
    """wav/ beside a manifest, and its shards."""
    wav = folder / "wav"
    if not wav.is_dir():
        return []
    return [str(wav), *[child.path for child in os.scandir(wav) if child.is_dir()]]


def _times(paths: Iterable[str]) -> dict[str, int]:
    """Times of change of a manifest and its folders; nothing if one is gone or changed just now."""
    try:
        times = {path: os.stat(path).st_mtime_ns for path in paths}
    except OSError:
        return {}
    return times if max(times.values()) < time.time_ns() - JUST_NOW_NS else {}


def _missing_speech(manifest: Path) -> list[Path]:
    """Files below a manifest's folder that it names and that are gone."""
    folder = os.path.abspath(manifest.parent)
    with contextlib.suppress(BadInput):  # whoever reads it says what is wrong with it
        paths = [utterance.path for utterance in read_manifest(manifest)]
        own = [path for path in paths if os.path.abspath(path).startswith(f"{folder}/")]
        return [path for path in own if not path.exists()]
    return []
