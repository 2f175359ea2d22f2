"""A small world of good input, and the commands that read it: some test spoils every file of it.

Two women and two men say four sentences each (a third of a second). All commands run inside the
folder, with the relative paths of COMMANDS, and write names that begin with out.
"""

import importlib
import shlex
import sys
from pathlib import Path

import numpy as np
import yaml

from support.runs import write_submission
from support.trees import names_of, write_kaldi, write_lines
from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.arrays import Embeddings, ScoreMatrix, write_embeddings, write_matrix
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.inout.tables import (
    Trial,
    Utterance,
    write_enrolments,
    write_manifest,
    write_trials,
)
from voiceprivacy.running.adapter import run

ROOT = Path(__file__).parents[2]
SPEAKERS = {"anna": "f", "berta": "f", "carl": "m", "david": "m"}
ENROLLED, TRIED = (0, 1), (2, 3)
RATE, SECONDS = 16000, 0.3
PART = (
    "--manifest speech/manifest.tsv --seed 1 --audio-dir out --output-manifest out.tsv --anonymiser"
)
EMBED = "extract_embeddings --manifest speech/manifest.tsv --embeddings out.npz"
CORPUS = "--checks out.tsv --excluded out.excluded.tsv --source"
KALDI, GIVEN = '{"kaldi": "data"}', '{"given": {"all": "data"}}'
LIBRISPEECH = '{"librispeech": {"root": "libri", "subsets": ["dev"]}}'
VCTK = '{"vctk": {"root": "vctk", "microphone": "mic2"}}'
FOLDER = (
    '{"folder": {"root": "data/wav", "pattern": "{speaker}-{utterance}.wav", '
    '"speakers": "genders.tsv"}}'
)

COMMANDS = {
    "verification": "assess_verification --scores scores.tsv --metrics out.json",
    "verification of Kaldi's files": "assess_verification --scores scores.txt --trials key.txt"
    " --metrics out.json",
    "verification by speaker": "assess_verification --scores scores.tsv --speakers speakers.tsv"
    " --metrics out.json",
    "zebra": "assess_zebra --scores scores.tsv --metrics out.json --curves out.tsv",
    "zebra with tags": "assess_zebra --scores scores.tsv --tags tags.yaml --metrics out.json",
    "calibration": "assess_calibration --train scores.tsv --test scores.tsv --metrics out.json",
    "similarity": "assess_similarity --oo oo.npz --op oo.npz --pp oo.npz --metrics out.json",
    "ranks": "assess_ranks --matrix templates.npz --metrics out.json",
    "scoring": "score_trials --enrolment enrolment.npz --trial trial.npz --trials trials.tsv "
    "--enrolments enrolments.tsv --backend cosine --scores out.tsv",
    "scoring by PLDA": "score_trials --enrolment enrolment.npz --trial trial.npz"
    " --trials trials.tsv --enrolments enrolments.tsv --backend plda.npz --scores out.tsv",
    "McAdams": "anonymise_mcadams --manifest speech/manifest.tsv --seed 1 --audio-dir out"
    " --output-manifest out.tsv",
    "a plug-in's command": f"""anonymise_part {PART} '{{"command": "{sys.executable} plug.py"}}'""",
    "a plug-in's function": f"""anonymise_part {PART} '{{"function": "mine.py:anonymise"}}'""",
    "a plug-in's audio": f"""anonymise_part {PART} '{{"audio": "submission"}}'""",
    "ready embeddings": f"{EMBED} --ready enrolment.npz",
    "an extractor's command": f"{EMBED} --command '{sys.executable} embed.py'",
    "a model": f"{EMBED} --model model",
    "style": "extract_features --manifest speech/manifest.tsv --transcripts transcripts.tsv"
    " --dictionary words.dic --embeddings out.npz",
    "a Kaldi directory": f"validate_corpus {CORPUS} '{KALDI}' --protocol '{GIVEN}'",
    "a prepared Kaldi directory": f"prepare_part --source '{KALDI}' --protocol '{GIVEN}'"
    " --part trial"
    " --manifest out/manifest.tsv --audio-dir out/wav",
    "LibriSpeech": f"validate_corpus {CORPUS} '{LIBRISPEECH}'",
    "VCTK": f"validate_corpus {CORPUS} '{VCTK}'",
    "a folder": f"validate_corpus {CORPUS} '{FOLDER}'",
    "a config": "validate --config config.yaml",
}

PLUG = """
import shutil, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
header, *rows = [line.rstrip("\\n").split("\\t") for line in open(given["--manifest"])]
# here
with open(given["--output-manifest"], "w") as file:
    file.writelines("\\t".join(row) + "\\n" for row in [header, *rows])
"""
EMBED_PLUG = """
import sys
import numpy as np
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
ids = [line.split("\\t")[0] for line in open(given["--manifest"])][1:]
embeddings = np.ones((len(ids), 3))
# here
np.savez(given["--embeddings"], ids=np.array(ids), embeddings=embeddings)
"""
FUNCTION = """
def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    # here
    return samples
"""
DICTIONARY = "%\n1\tarticles\n2\tverbs\n%\nthe\t1\ngo*\t2\n"
CONFIG = {
    "corpora": {"mine": {"kaldi": "data"}},
    "anonymisers": {"b2": {"function": "mine.py:anonymise"}},
    "extractors": {"ready": {"embeddings": "{anonymiser}.npz"}},
    "backends": {"cosine": {"type": "cosine"}},
}


def build(folder):
    """Write the whole world into a folder."""
    names = names_of(SPEAKERS, len(ENROLLED) + len(TRIED))
    _data(folder / "data", names)
    utterances = []
    for speaker, own in names.items():
        for name in own:
            path = folder / "data" / "wav" / f"{name}.wav"
            utterances.append(Utterance(name, speaker, SPEAKERS[speaker], path, SECONDS))
    (folder / "speech").mkdir()
    write_manifest(folder / "speech" / "manifest.tsv", utterances)
    relative = (folder / "speech" / "manifest.tsv").read_text().replace(str(folder), "..")
    (folder / "speech" / "manifest.tsv").write_text(relative)
    write_submission(folder / "submission", folder / "data" / "wav")
    _scores(folder, names)
    _arrays(folder, names)
    _other_corpora(folder)
    said = [f"{utterance.utterance}\tthe dog goes home" for utterance in utterances]
    write_lines(folder / "transcripts.tsv", ["utterance\ttext", *said])
    texts = {"plug.py": PLUG, "embed.py": EMBED_PLUG, "mine.py": FUNCTION, "words.dic": DICTIONARY}
    texts["tags.yaml"] = (
        "{weak: {from_log10: 0, meaning: not much}, strong: {from_log10: 2, meaning: a lot}}\n"
    )
    texts["config.yaml"] = yaml.safe_dump(CONFIG, sort_keys=False)
    for name, text in texts.items():
        (folder / name).write_text(text)
    genders = [f"{speaker}\t{gender}" for speaker, gender in SPEAKERS.items()]
    write_lines(folder / "genders.tsv", ["speaker\tgender", *genders])


def _path(name):
    return f"data/wav/{name}.wav"


def _data(folder, names):
    write_kaldi(folder, SPEAKERS, names, enrolled=len(ENROLLED), path=_path)
    said = []
    for own in names.values():
        for name in own:
            audio.write(folder / "wav" / f"{name}.wav", speech(name), RATE)
            said.append(f"{name} the dog goes home")
    write_lines(folder / "text", said)


def speech(name, seconds=SECONDS):
    """A tone with noise: enough to be no silence."""
    draw = seeds.generator(0, name)
    time = np.arange(round(seconds * RATE)) / RATE
    return (
        0.3 * np.sin(2 * np.pi * draw.uniform(90, 250) * time) + draw.normal(0, 0.02, len(time))
    ).astype(np.float32)


def _scores(folder, names):
    trials = [
        Trial(speaker, own[number], "target" if speaker == other else "nontarget")
        for speaker in names
        for other, own in names.items()
        for number in TRIED
    ]
    scores = [
        seeds.generator(0, *trial).normal() + 2 * (trial.label == "target") for trial in trials
    ]
    write_trials(folder / "trials.tsv", trials)
    enrolled = {speaker: [own[number] for number in ENROLLED] for speaker, own in names.items()}
    write_enrolments(folder / "enrolments.tsv", enrolled)
    write_scores(folder / "scores.tsv", trials, scores)
    scored = zip(trials, map(float, scores), strict=True)
    kaldi = [f"{trial.enrolment} {trial.trial} {score!r}" for trial, score in scored]
    write_lines(folder / "scores.txt", kaldi)
    write_lines(folder / "key.txt", map(" ".join, trials))
    speakers = [f"{speaker}\t{speaker}" for speaker in names]
    speakers += [f"{name}\t{speaker}" for speaker, own in names.items() for name in own]
    write_lines(folder / "speakers.tsv", ["id\tspeaker", *speakers])


def _arrays(folder, names):
    ids = np.array([name for own in names.values() for name in own])
    draw = np.random.default_rng(0)
    for name in ("enrolment", "trial"):
        vectors = draw.normal(size=(len(ids), 4)).astype(np.float32)
        write_embeddings(folder / f"{name}.npz", Embeddings(ids, vectors))
    for system in ("original", "b2"):  # of the config
        write_embeddings(folder / f"{system}.npz", Embeddings(ids, vectors))
    speakers = np.array([name.partition("-")[0] for name in ids])
    scores = draw.normal(size=(len(ids), len(ids))) + 3 * (speakers[:, None] == speakers)
    write_matrix(folder / "oo.npz", ScoreMatrix(ids, ids, speakers, speakers, scores, ids, ids))
    columns = np.array(list(names))
    fields = (ids, columns, speakers, columns, scores[:, ::4], ids, columns)
    write_matrix(folder / "templates.npz", ScoreMatrix(*fields))
    plda = {"mean": np.zeros(4), "between": np.eye(4), "within": np.eye(4)}
    np.savez(folder / "plda.npz", **plda, length_norm=np.array("kaldi"))


def _other_corpora(folder):
    lines = [";ID |SEX| SUBSET", "11 | F | dev | 8 | Some One", "12 | M | dev | 8 | Some Other"]
    for speaker in ("11", "12"):
        for number in range(2):
            path = folder / "libri" / "dev" / speaker / "100" / f"{speaker}-100-000{number}.flac"
            audio.write(path, speech(speaker), RATE)
    (folder / "libri" / "SPEAKERS.TXT").write_text("\n".join(lines) + "\n")
    recorded = folder / "vctk" / "wav48_silence_trimmed" / "p225" / "p225_001_mic2.flac"
    audio.write(recorded, speech("p225"), 48000)
    (folder / "vctk" / "speaker-info.txt").write_text("ID AGE GENDER ACCENTS\np225 23 F English\n")


def call(command, *, debug=False):
    """Run one of COMMANDS in this process and in the working directory; returns its exit code."""
    job, *arguments = shlex.split(COMMANDS[command]) + ["--debug"] * debug
    before = sys.argv
    sys.argv = [job, *arguments]
    try:
        run(getattr(importlib.import_module(f"voiceprivacy.jobs.{job}"), job))
    except SystemExit as end:
        return end.code
    finally:
        sys.argv = before
    return 0


def contents(folder):
    """{relative path: bytes} of all files below a folder but huge ones, and its folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        if path.is_file() and path.stat().st_size < 2**30
        else None
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }
