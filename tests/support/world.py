"""A small world of good input, and the commands that read it: some test spoils every file of it.

Two women and two men say four sentences each (a third of a second). All commands run inside the
folder, with the relative paths of COMMANDS, and write names that begin with out.
"""

import importlib
import itertools
import shlex
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import yaml

from support.runs import write_submission
from support.trees import names_of, write_kaldi, write_lines
from voiceprivacy import seeds
from voiceprivacy.inout import audio, enrolments, manifests, trial_lists
from voiceprivacy.inout.arrays import Embeddings, write_embeddings
from voiceprivacy.inout.scored_trials import write_scores
from voiceprivacy.privacy.matrices.matrix_files import write_matrix
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.running.adapter import run

ROOT = Path(__file__).parents[2]
SPEAKERS = {"anna": "f", "berta": "f", "carl": "m", "david": "m"}
ENROLLED, TRIED = (0, 1), (2, 3)
RATE, SECONDS = 16000, 0.3
PROTECT = "--manifest speech/manifest.tsv --seed 1 --audio-dir out --output-manifest out.tsv"
PART = f"anonymise_part {PROTECT} --anonymiser"
SCORE = "score_trials --enrolment enrolment.npz --trial trial.npz --trials trials.tsv"
SCORE += " --enrolments enrolments.tsv --scores out.tsv --backend"
VERIFY = "assess_verification --metrics out.json --scores"
EMBED = "extract_embeddings --manifest speech/manifest.tsv --embeddings out.npz"
CORPUS = "--checks out.tsv --excluded out.excluded.tsv --source"
KALDI, GIVEN = '{"kaldi": "data"}', '{"given": {"all": "data"}}'
LIBRISPEECH = '{"librispeech": {"root": "libri", "subsets": ["dev"]}}'
VCTK = '{"vctk": {"root": "vctk", "microphone": "mic2"}}'
NAMED = '"root": "data/wav", "pattern": "{speaker}-{utterance}.wav", "speakers": "genders.tsv"'
FOLDER = f'{{"folder": {{{NAMED}}}}}'

COMMANDS = {
    "verification": f"{VERIFY} scores.tsv",
    "verification of Kaldi's files": f"{VERIFY} scores.txt --trials key.txt",
    "verification by speaker": f"{VERIFY} scores.tsv --speakers speakers.tsv",
    "zebra": "assess_zebra --scores scores.tsv --metrics out.json --curves out.tsv",
    "zebra with tags": "assess_zebra --scores scores.tsv --tags tags.yaml --metrics out.json",
    "calibration": "assess_calibration --train scores.tsv --test scores.tsv --metrics out.json",
    "similarity": "assess_similarity --oo oo.npz --op oo.npz --pp oo.npz --metrics out.json",
    "ranks": "assess_ranks --matrix templates.npz --metrics out.json",
    "scoring": f"{SCORE} cosine",
    "scoring by PLDA": f"{SCORE} plda.npz",
    "McAdams": f"anonymise_mcadams {PROTECT}",
    "a plug-in's command": f"""{PART} '{{"command": "{sys.executable} plug.py"}}'""",
    "a plug-in's function": f"""{PART} '{{"function": "mine.py:anonymise"}}'""",
    "a plug-in's audio": f"""{PART} '{{"audio": "submission"}}'""",
    "ready embeddings": f"{EMBED} --ready enrolment.npz",
    "an extractor's command": f"{EMBED} --command '{sys.executable} embed.py'",
    "a model": f"{EMBED} --model model",
    "style": "extract_features --manifest speech/manifest.tsv --transcripts transcripts.tsv"
    " --dictionary words.dic --embeddings out.npz",
    "a Kaldi directory": f"validate_corpus {CORPUS} '{KALDI}' --protocol '{GIVEN}'",
    "a prepared Kaldi directory": f"prepare_part --source '{KALDI}' --protocol '{GIVEN}'"
    " --part trial --manifest out/manifest.tsv --audio-dir out/wav",
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
    names = names_of(SPEAKERS, len(ENROLLED) + len(TRIED))
    data, utterances = folder / "data", []
    write_kaldi(data, SPEAKERS, names, enrolled=len(ENROLLED), path="data/wav/{}.wav".format)
    for speaker, own in names.items():
        for name in own:
            path = data / "wav" / f"{name}.wav"
            audio.write(path, speech(name), RATE)
            utterances.append(manifests.Utterance(name, speaker, SPEAKERS[speaker], path, SECONDS))
    manifests.write_manifest(folder / "speech" / "manifest.tsv", utterances)
    relative = (folder / "speech" / "manifest.tsv").read_text().replace(str(folder), "..")
    (folder / "speech" / "manifest.tsv").write_text(relative)
    write_submission(folder / "submission", data / "wav")
    _scores(folder, names)
    _arrays(folder, names)
    _other_corpora(folder)
    said = [f"{utterance.utterance}\tthe dog goes home" for utterance in utterances]
    write_lines(folder / "transcripts.tsv", ["utterance\ttext", *said])
    write_lines(data / "text", [line.replace("\t", " ") for line in said])
    texts = {"plug.py": PLUG, "embed.py": EMBED_PLUG, "mine.py": FUNCTION, "words.dic": DICTIONARY}
    levels = {"weak": (0, "not much"), "strong": (2, "a lot")}
    tags = {name: {"from_log10": least, "meaning": text} for name, (least, text) in levels.items()}
    texts["tags.yaml"] = yaml.safe_dump(tags, sort_keys=False)
    texts["config.yaml"] = yaml.safe_dump(CONFIG, sort_keys=False)
    for name, text in texts.items():
        (folder / name).write_text(text)
    genders = [f"{speaker}\t{gender}" for speaker, gender in SPEAKERS.items()]
    write_lines(folder / "genders.tsv", ["speaker\tgender", *genders])


def speech(name, seconds=SECONDS):
    """A tone with noise: enough to be no silence."""
    draw = seeds.generator(0, name)
    time = np.arange(round(seconds * RATE)) / RATE
    tone = 0.3 * np.sin(2 * np.pi * draw.uniform(90, 250) * time)
    return (tone + draw.normal(0, 0.02, len(time))).astype(np.float32)


def _scores(folder, names):
    trials, scores = [], []
    for speaker, other, number in itertools.product(names, names, TRIED):
        label = "target" if speaker == other else "nontarget"
        trials.append(trial_lists.Trial(speaker, names[other][number], label))
        scores.append(seeds.generator(0, *trials[-1]).normal() + 2 * (speaker == other))
    trial_lists.write_trials(folder / "trials.tsv", trials)
    enrolled = {speaker: [own[number] for number in ENROLLED] for speaker, own in names.items()}
    enrolments.write_enrolments(folder / "enrolments.tsv", enrolled)
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


def call(command):
    """Run one of COMMANDS in this process and in the working directory; returns its exit code."""
    words = shlex.split(COMMANDS[command])
    try:
        with mock.patch.object(sys, "argv", words):
            run(getattr(importlib.import_module(f"voiceprivacy.jobs.{words[0]}"), words[0]))
    except SystemExit as end:
        return end.code
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
