"""Every reader of foreign files and a good file for each, to be spoilt by those who fuzz them."""

import contextlib

import numpy as np
import soundfile

from support import world
from voiceprivacy.anonymise import plugins
from voiceprivacy.attack.backends import recipes
from voiceprivacy.attack.extractors import style
from voiceprivacy.attack.extractors.folders import Hyperparameters
from voiceprivacy.corpora import checks, listing, parts
from voiceprivacy.inout import arrays, audio, files, stamps, tables
from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.privacy.scores import zebra

SECONDS = 10  # of a processor, for one reading
GIVEN = {"given": {"all": "data"}}
KALDI, LIBRISPEECH = {"kaldi": "data"}, {"librispeech": {"root": "libri", "subsets": ["dev"]}}
VCTK = {"vctk": {"root": "vctk", "microphone": "mic2"}}
FOLDER = {
    "folder": {
        "root": "data/wav",
        "pattern": "{speaker}-{utterance}.wav",
        "speakers": "genders.tsv",
    }
}

WORDS = (
    b"\0 \n \r\n \t \t\t nan inf 1e999 -1 1_0 .. / ../x ' \" \\ {} [] & * &a & [*a] % - -- ; "
    b"2001-99-99 !new: !ref"
)
TOKENS = (
    WORDS.split(b" ")
    + [
        text.encode()
        for text in ("\u2028", "\x85", "\ufeff", "é", "日本", "9" * 5000, "a" * 300, "[" * 400)
    ]
    + [
        b"!!python/object:os.system ",
        b"!ref <n_mels>",
        b"\xff",
        b"\xe9",
        bytes(8),
        b"\xff" * 8,
        b"\x7f\xff\xff\xff",
    ]
)


def check_corpus(source, protocol):
    """Errors of a corpus are findings; they too are lines."""
    for finding in checks.check(source, protocol, 16000):
        assert "\n" not in str(finding)


def read_config(path):
    config = configuration.read(path)
    problems = configuration.problems(config)
    for problem in problems:
        configuration.line_of(path, problem.place)
        assert str(problem)
    if not problems:
        configuration.check(config)


def read_hyperparameters(path):
    read = Hyperparameters(path)
    for field in read.nodes:
        with contextlib.suppress(BadInput):
            read.get(field)


READERS = {
    "speech/manifest.tsv": tables.read_manifest,
    "trials.tsv": tables.read_trials,
    "enrolments.tsv": tables.read_enrolments,
    "speakers.tsv": tables.read_speakers,
    "scores.tsv": tables.read_scores,
    "scores.txt": lambda path: tables.read_scores(path, key="key.txt"),
    "key.txt": lambda path: tables.read_scores("scores.txt", key=path),
    "stamps.tsv": lambda path: stamps.refuse_changed(
        "manifest.tsv", tables.read_manifest("speech/manifest.tsv")
    ),
    "excluded.tsv": parts.read_excluded,
    "oo.npz": arrays.read_matrix,
    "trial.npz": arrays.read_embeddings,
    "plda.npz": recipes.read_recipe,
    "data/wav.scp": lambda path: check_corpus(KALDI, {}),
    "data/utt2spk": lambda path: check_corpus(KALDI, GIVEN),
    "data/spk2gender": lambda path: check_corpus(KALDI, GIVEN),
    "data/enrolls": lambda path: check_corpus(KALDI, GIVEN),
    "data/trials": lambda path: check_corpus(KALDI, GIVEN),
    "data/text": lambda path: listing.read_transcripts(KALDI),
    "libri/SPEAKERS.TXT": lambda path: check_corpus(LIBRISPEECH, {}),
    "libri/dev/11/100/11-100.trans.txt": lambda path: listing.read_transcripts(LIBRISPEECH),
    "vctk/speaker-info.txt": lambda path: check_corpus(VCTK, {}),
    "genders.tsv": lambda path: check_corpus(FOLDER, {}),
    "submission/wav.scp": lambda path: plugins.find_audio(["submission"], []),
    "transcripts.tsv": style.read_transcripts,
    "words.dic": style.read_dictionary,
    "tags.yaml": zebra.read_tags,
    "config.yaml": read_config,
    "hyperparams.yaml": read_hyperparameters,
    "metrics.json": files.read_json,
    "data/wav/anna-0.wav": audio.read,
    "speech.flac": audio.read,
    "float.wav": audio.read,
}


def build(folder):
    """Write a good file for every reader below a folder."""
    world.build(folder)
    soundfile.write(folder / "speech.flac", world.speech("x"), world.RATE)
    soundfile.write(
        folder / "float.wav",
        np.stack([world.speech("x", 0.02)] * 2, axis=1),
        44100,
        subtype="FLOAT",
    )
    (folder / "metrics.json").write_text(
        '{"op": {"eer_percent": 1.5, "worst_case_log10": "inf"}}\n'
    )
    (folder / "excluded.tsv").write_text("utterance\twhy\na\tnamed in exclude\n")
    stamps.write_stamps(
        folder / "manifest.tsv", tables.read_manifest(folder / "speech/manifest.tsv")
    )
    (folder / "submission" / "wav.scp").write_text("anna-0 anna-0.wav\n")
    (folder / "libri/dev/11/100/11-100.trans.txt").write_text(
        "11-100-0000 THE DOG\n11-100-0001 GOES\n"
    )
    model = world.ROOT / "workflow/resources/ecapa_small/hyperparams.yaml"
    (folder / "hyperparams.yaml").write_bytes(model.read_bytes())
