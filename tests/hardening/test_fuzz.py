"""Every reader of foreign files, given nonsense: it reads it or raises BadInput in one line.

What is fed is random bytes, random text, and good files with some places changed. The draws are the
same in every run (but for --hypothesis-profile=explore); HYPOTHESIS_MAX_EXAMPLES takes more of
them. While a reader works, the process may take MEMORY more than it has.
"""

import contextlib
import os
import resource
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
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

EXAMPLES = int(os.environ.get("HYPOTHESIS_MAX_EXAMPLES", "60"))
MEMORY = 2**29
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
PLACES = st.tuples(
    st.floats(0, 1), st.integers(0, 30), st.sampled_from(TOKENS) | st.binary(max_size=6)
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The good world, with what else is read."""
    folder = tmp_path_factory.mktemp("fuzz")
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
    return folder


@contextlib.contextmanager
def limited_memory():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def changed(good, edits):
    for fraction, removed, new in edits:
        start = round(fraction * len(good))
        good = good[:start] + new + good[start + removed :]
    return good


@pytest.mark.parametrize("name", READERS)
def test_nonsense_is_read_or_refused_in_one_line(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    path, read = Path(name), READERS[name]
    good = path.read_bytes()
    contents = st.one_of(
        st.lists(PLACES, min_size=1, max_size=4).map(lambda edits: changed(good, edits)),
        st.lists(PLACES, min_size=1, max_size=4).map(lambda edits: changed(good, edits)),
        st.binary(max_size=300),
        st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    )

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(content=contents)
    @example(content=b"")
    def feed(content):
        path.write_bytes(content)
        began = time.process_time()
        try:
            with limited_memory():
                read(path)
        except BadInput as error:
            assert str(error)
            assert "\n" not in str(error)
        assert time.process_time() - began < SECONDS

    try:
        read(path)
        feed()
    finally:
        path.write_bytes(good)
