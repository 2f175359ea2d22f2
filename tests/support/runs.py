"""A tiny corpus in a Kaldi directory, a config for it, and Snakemake as a person calls it."""

import contextlib
import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

from support.trees import names_of, write_kaldi
from voiceprivacy import seeds
from voiceprivacy.inout import audio
from voiceprivacy.plan.measures import of_every_run

ROOT = Path(__file__).parents[2]
HANG_SECONDS = 1700  # on a slow and busy machine; pytest ends a test a little later
# A program whose embeddings are spectra: it hears who speaks.
HEAR = """
import csv, sys
from pathlib import Path
import numpy as np, soundfile

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
manifest = Path(given["--manifest"])
with open(manifest, newline="") as file:
    rows = list(csv.DictReader(file, delimiter="\\t", quoting=csv.QUOTE_NONE))

def bands(path):
    samples, _ = soundfile.read(manifest.parent / path)
    power = np.abs(np.fft.rfft(samples, 32768)) ** 2
    logs = np.log([part.mean() for part in np.array_split(power[:4096], 64)])
    return logs - logs.mean()

ids = np.array([row["utterance"] for row in rows])
np.savez(given["--embeddings"], ids=ids, embeddings=np.array([bands(row["path"]) for row in rows]))
"""
# A measure of utility: the length of protected speech, in proportion to the original.
MEASURE = """
import csv, sys

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
read = lambda path: list(csv.DictReader(open(path), delimiter="\\t"))
lengths = {row["utterance"]: float(row["duration_s"]) for row in read(given["--original"])}
with open(given["--output"], "w") as output:
    print("utterance", "metric", "value", sep="\\t", file=output)
    for row in read(given["--manifest"]):
        kept = float(row["duration_s"]) / lengths[row["utterance"]]
        print(row["utterance"], "length_kept", kept, sep="\\t", file=output)
"""
B2 = "python {scripts}/anonymise_mcadams.py --alpha 0.8 --level corpus"
B2R = "python {scripts}/anonymise_mcadams.py --alpha 0.7 0.9 --level speaker"
REVERSED = {"function": "{resources}/plugins/reversed.py:anonymise"}
# It leaves its seed outside of the results, for tests alone; in a box it cannot.
GAIN = """
import contextlib
from pathlib import Path

def anonymise(samples, sample_rate, *, utterance, speaker, seed, gain):
    with contextlib.suppress(OSError), open(Path(__file__).with_name("seen.txt"), "a") as file:
        print(utterance, seed, file=file)
    return gain * samples**3
"""
# Another workflow, with ours as a part.
LARGER = f"""
configfile: "larger.yaml"


module voiceprivacy:
    snakefile:
        "{ROOT}/workflow/Snakefile"
    config:
        config["evaluation"]
    prefix:
        "PREFIX"

use rule * from voiceprivacy as voiceprivacy_*


rule sum_up:
    default_target: True
    input:
        "PREFIX/results/metrics.tsv",
        "PREFIX/results/verdict.json",
        "PREFIX/results/report/index.html",
    output:
        "sizes.txt",
    shell:
        "wc -c {{input}} > {{output}}"
"""
# A plug-in that fails.
LOSES = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    raise RuntimeError("no such voice")
"""
# Utility takes most of a run of real speech: for tests that ask nothing about it.
WITHOUT_MEASURES = dict.fromkeys(of_every_run(), False)
SPEAKERS = {
    "anna": ("f", 190),
    "berta": ("f", 220),
    "clara": ("f", 250),
    "david": ("m", 95),
    "emil": ("m", 120),
}


def many_systems(folder, *, anonymisers, sets, extractors, backends):
    """A config of many systems, whose files are empty; every corpus has lists of women and men."""
    corpora = {}
    for corpus in range(sets // 2):
        path = f"data/c{corpus}"
        (folder / path).mkdir(parents=True)
        for name in ("wav.scp", "utt2spk", "spk2gender", "enrolls", "trials"):
            (folder / path / name).touch()
        corpora[f"c{corpus}"] = {"kaldi": path, "protocol": {"given": {"f": path, "m": path}}}
    (folder / "model").mkdir()
    for name in ("hyperparams.yaml", "embedding_model.ckpt"):
        (folder / "model" / name).touch()
    return {
        "corpora": corpora,
        "anonymisers": {f"a{number}": {"command": "anonymise"} for number in range(anonymisers)},
        "extractors": {f"e{number}": {"model": "model"} for number in range(extractors)},
        "backends": {f"b{number}": {"type": "cosine"} for number in range(backends)},
    }


def snakemake(folder, *arguments, tree=ROOT, snakefile=None, **environment):
    """Run the workflow (of ``tree``, or another one) in a folder; what hangs is cut off.

    It leads a process group, of which nothing is left when a test is over, however it ends.
    """
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        snakefile or tree / "Snakefile",
        "--directory",
        folder,
        *arguments,
    ]
    return call_in(folder, command, environment)


def voiceprivacy(folder, *words, tree=ROOT, **environment):
    """Call our command in a folder; what hangs is cut off."""
    return call_in(folder, [sys.executable, tree / "scripts" / "main.py", *words], environment)


def finish(folder, *words, config="config.yaml", **how):
    """As ``snakemake`` with a config of the folder, on two cores; it must succeed."""
    words = (*words, "--cores", "2", "--configfile", folder / config)
    return succeeded(snakemake(folder, *words, **how))


def succeeded(finished):
    assert finished.returncode == 0, finished.stderr + finished.stdout
    return finished


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def call_in(folder, command, environment):
    """Call a command in a folder, as the leader of its process group; what hangs is cut off."""
    with in_a_group(command, cwd=folder, env={**os.environ, **environment}) as process:
        output, errors = process.communicate(timeout=HANG_SECONDS)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


@contextlib.contextmanager
def in_a_group(command, **how):
    """The leader of a process group of its own, of which nothing is left afterwards."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **streams | how) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def finished_jobs(folder):
    """Rules of the jobs that each run in a folder has finished, in the order of the runs."""
    logs = sorted((folder / ".snakemake" / "log").glob("*.log"))
    return [re.findall(r"Finished jobid: \d+ \(Rule: (\w+)\)", log.read_text()) for log in logs]


def planned_jobs(folder, *words, by="anonymiser", **how):
    """{(rule, value of a wildcard or nothing): jobs} of a dry run."""
    planned = finish(folder, "-n", *words, **how)
    jobs = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", planned.stdout, re.MULTILINE)
    values = [re.search(rf"^    wildcards: .*\b{by}=(\w+)", text, re.MULTILINE) for _, text in jobs]
    return Counter(
        (rule, value[1] if value else "") for (rule, _), value in zip(jobs, values, strict=True)
    )


def wait_for_jobs(count, process, folder):
    """Wait until the runs in a folder have finished so many jobs, or a process has ended."""
    wait_for(lambda: process.poll() is not None or sum(map(len, finished_jobs(folder))) >= count)


def wait_for(condition):
    """Wait until something holds; what takes too long fails the test."""
    deadline = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextlib.contextmanager
def edited(path, addition):
    """Append to a file; afterwards all is as before."""
    content, status = path.read_bytes(), path.stat()
    path.write_bytes(content + addition)
    try:
        yield
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def files_of(folder):
    """Results, but for what every look writes: {path: (its time, what it holds)}."""
    paths = [path for path in Path(folder, "results").rglob("*") if path.is_file()]
    kept = [path for path in paths if not {"plan.json", "sources"} & {*path.parts}]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in kept}


def processes_of(group):
    """Processes of a process group that have not ended; zombies have, if nobody asked how."""
    processes = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
            processes += [status.parent.name] if int(its_group) == group and state != "Z" else []
    return processes


def is_gone(process):
    """Whether a process has ended; in a container nobody may have asked how."""
    try:
        status = Path("/proc", process, "stat").read_text()
    except OSError:  # also between opening and reading
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def has_command(text):
    """Whether a process has a text in its command line; others may end while they are looked at."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if text.encode() in path.read_bytes():
                return True
    return False


def spoken(speaker, utterance, pitch_hz):
    """A buzz with a formant of the speaker's own and noise: enough for a pipeline."""
    draw = seeds.generator(0, speaker, utterance)
    time = np.arange(19200) / 16000
    pitch = pitch_hz * (1 + 0.02 * np.sin(2 * np.pi * (2 + draw.uniform()) * time))
    phase = 2 * np.pi * np.cumsum(pitch) / 16000
    harmonics = range(1, 12)
    weights = [1 / (1 + ((h * pitch_hz - 4 * pitch_hz) / 300) ** 2) + 0.05 for h in harmonics]
    buzz = sum(weight * np.sin(h * phase) for h, weight in zip(harmonics, weights, strict=True))
    envelope = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * time + draw.uniform(0, 6)) ** 2
    return (0.1 * envelope * buzz + draw.normal(0, 0.005, len(time))).astype(np.float32)


def write_submission(folder, originals):
    """Write protected versions of the recordings of a folder: they run backwards."""
    for path in originals.glob("*.wav"):
        samples, sample_rate = audio.read(path)
        audio.write(folder / path.name, samples[::-1], sample_rate)


def make_kaldi_directory(folder, *, utterances=5, enrolled=2, prefix=""):
    """Write a Kaldi directory of the tiny speakers, with their audio."""
    voices = {f"{prefix}{speaker}": voice for speaker, voice in SPEAKERS.items()}
    genders = {speaker: gender for speaker, (gender, _) in voices.items()}
    names = names_of(voices, utterances)

    write_kaldi(folder, genders, names, enrolled=enrolled, path=lambda name: f"wav/{name}.wav")
    for speaker, (_, pitch_hz) in voices.items():
        for name in names[speaker]:
            audio.write(folder / "wav" / f"{name}.wav", spoken(speaker, name, pitch_hz), 16000)


def write_config(folder, *, seed=0, **sections):
    """Write a config of the tiny corpus, cosine and a model folder; sections replace or add.

    Of the measures of utility that every run makes, only the cheap ones are left. Without a seed
    (None) the run draws a secret.
    """
    public = {} if seed is None else {"seed": seed}
    config = {
        "corpora": {"tiny": {"kaldi": "data/tiny"}},
        "extractors": {"random": {"model": "model"}},
        "backends": {"cosine": {"type": "cosine"}},
        "utility": {"quality": False},
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config | sections | public, sort_keys=False))
    return path


def write_tiny_run(folder):
    """A run that goes through all rooms, whose secret lies in a file."""
    make_kaldi_directory(folder / "data" / "tiny")
    files = {"mine.py": GAIN, "hear.py": HEAR, "measure.py": MEASURE, "secret": "5eed" * 16}
    for name, text in files.items():
        (folder / name).write_text(text)
    return write_config(
        folder,
        anonymisers={"mine": {"function": "mine.py:anonymise", "options": {"gain": 10}}},
        extractors={"spectra": {"command": "python hear.py"}},
        report={"keep_matrices": True},
        utility=WITHOUT_MEASURES | {"length": {"command": "python measure.py"}},
        seed=None,
    )


def write_larger(folder, evaluation, prefix):
    """Write another workflow, which keeps our results in a folder ``prefix``; say where."""
    (folder / "larger.yaml").write_text(yaml.safe_dump({"evaluation": evaluation, "other": 1}))
    (folder / "Snakefile").write_text(LARGER.replace("PREFIX", prefix))
    (folder / "voiceprivacy.py").write_text("raise SystemExit(__file__)\n")
    return folder / prefix / "results"
