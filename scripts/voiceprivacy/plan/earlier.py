"""Results that are there already: whether a run may go on with them.

* Results of another format would not be made again by themselves: refused.
* The secret that anonymisers draw from is drawn by the first run, and kept.
* What a finished run found is kept, so that the next one can say what has changed.
* A trained model is made again only with --remake: a small edit must not throw away a week of a
  GPU. What counts is Snakemake's own plan of the run, so every reason is known, and nothing has
  been removed yet.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.foreign import UNEXPECTED
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.secret_seeds import read_secret, secret_in
from voiceprivacy.inout.writing import whole_folder_or_absent, whole_or_absent
from voiceprivacy.vocabulary import COMPARED, PREVIOUS, RESULTS_FORMAT, SECRET_SEED

FORMAT = "format"  # below the results: holds RESULTS_FORMAT
MADE = [
    *("checks", "audio", "trials", "samples", "embeddings", "scores", "metrics", "models"),
    "provenance.json",
]
REMAKE = "VOICEPRIVACY_REMAKE"  # environment: what is refused otherwise is made again
SEED_FILE = "VOICEPRIVACY_SEED_FILE"  # environment: the secret of another run, to repeat it
# What a training that takes hours makes of a model; what is fetched has neither.
TRAINED = re.compile(r"results/models/[^/]+/(training\.tsv|codebook\.npz)")
TWO_WAYS = (
    "run in a new directory (--directory NEW), or make {} again here"
    " (voiceprivacy run --remake ...)"
)


def format_of_results(results: Path) -> int:
    """The format of the results in a folder; our own where there are none.

    The first run writes it before it makes anything. Results that do not say it are older.
    """
    with contextlib.suppress(OSError, ValueError):
        return int((results / FORMAT).read_bytes())
    is_fresh = not any((results / name).exists() for name in MADE)
    return RESULTS_FORMAT if is_fresh else 1


def refuse_other_format(results: Path, *, remake: bool, dry_run: bool) -> None:
    """Refuse to carry on results of another format, which rules would not make again.

    Raises
    ------
    BadInput : the folder holds results of another format, and they are not to be made again
    """
    its_format = format_of_results(results)
    if its_format != RESULTS_FORMAT and not remake:
        raise BadInput(
            f"{results.absolute()}: made by another version (format {its_format}, this one has"
            f" {RESULTS_FORMAT}); {TWO_WAYS.format('everything')}; nothing was changed"
        )
    path = results / FORMAT
    if not dry_run and not (path.exists() and its_format == RESULTS_FORMAT):
        with whole_or_absent(path) as temporary:
            temporary.write_text(f"{RESULTS_FORMAT}\n")


def draw_secret(config: dict[str, Any], results: Path, *, dry_run: bool) -> None:
    """Draw the secret of a run whose config has no seed, once; SEED_FILE may name that of another.

    Raises
    ------
    BadInput : SEED_FILE holds none, or the config has a seed, or the run has another secret
    """
    given = os.environ.get(SEED_FILE)
    wanted = read_secret(given) if given else None
    secret = results / SECRET_SEED
    if given and "seed" in config:
        raise BadInput(f"--seed-file {given}: the config has a seed: leave one of them out")
    if wanted and secret.exists() and read_secret(secret) != wanted:
        raise BadInput(
            f"--seed-file {given}: the speech in {results.absolute()} was made with another"
            f" ({secret}): run in a new directory (--directory NEW)"
        )
    if config["anonymisers"] and "seed" not in config and not dry_run:
        secret_in(secret, wanted)


def keep_state(results: Path) -> None:
    """Copy what is compared of a finished run, before jobs make it again.

    Of a run that was killed or has failed, nothing is: its files are not those of its provenance.
    """
    if not is_whole(results):
        return
    suppressed = contextlib.suppress(BadInput, OSError)
    with suppressed, whole_folder_or_absent(results / PREVIOUS) as folder:
        for name in COMPARED:
            shutil.copyfile(results / name, folder / name)


def is_whole(results: Path) -> bool:
    """Whether what is compared of a run is there, as its provenance says."""
    *files, provenance = COMPARED
    try:
        outputs = read_json(results / provenance)["outputs"]
        return all(sha256_of(results / name) == outputs[name] for name in files)
    except (BadInput, OSError, *UNEXPECTED):
        return False


# Trained models.


def retrained(dag: Any) -> list[str]:
    """What a run would train again though it is there: a line each, with Snakemake's reason.

    Models that a person asks for (--force) and trainings that go on are left out.
    """
    lines = []
    for job in dag.needrun_jobs():
        trained = [path for path in job.output if TRAINED.fullmatch(path)]
        is_there = trained and all(map(os.path.exists, job.output))
        is_wanted = dag.reason(job).forced or dag.reason(job).incomplete_output
        if is_there and not is_wanted:
            causes = "; ".join(dict.fromkeys(_causes(job, dag)))
            lines.append(f"{os.path.dirname(trained[0])} would be trained again: {causes}")
    return sorted(lines)


def _causes(job: Any, dag: Any) -> Iterator[str]:
    """Why a job runs: why it does itself, or those before it that run for no other job."""
    for earlier in dag.bfs(dag.dependencies, job):
        if dag.needrun(earlier) and not dag.reason(earlier).derived:
            yield f"{earlier.rule.name}: {dag.reason(earlier)}"


def refusal(lines: list[str]) -> str:
    """The words that refuse to train models again."""
    ways = TWO_WAYS.format("what depends on it")
    return f"{'; '.join(lines)}; {ways}, or undo the change; no result was changed"
