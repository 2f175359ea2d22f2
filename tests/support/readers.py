"""Every reader of foreign files and a good file for each, to be spoilt by those who fuzz them."""

import contextlib
import json
from pathlib import Path

import numpy as np
import soundfile

from support import exchange, result_folders, verdicts, world
from voiceprivacy.anonymise import plugins
from voiceprivacy.attack.backends import recipes
from voiceprivacy.attack.extractors import style
from voiceprivacy.corpora import checks, listing, parts
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import (
    arrays,
    audio,
    enrolments,
    json_files,
    manifests,
    scored_trials,
    tables,
    trial_lists,
)
from voiceprivacy.inout.foreign import not_ours
from voiceprivacy.models.folders import Hyperparameters
from voiceprivacy.organise import recomputed, records
from voiceprivacy.plan import configuration
from voiceprivacy.privacy.matrices.matrix_files import read_matrix
from voiceprivacy.privacy.rows import SystemInterval
from voiceprivacy.privacy.scores import tags
from voiceprivacy.report import (
    described_corpora,
    expected,
    listen,
    measured,
    metrics,
    uncertainty,
    utility_tables,
)
from voiceprivacy.tools.changes import change_lines
from voiceprivacy.utility import measures

SECONDS = 10  # of a processor, for one reading
GIVEN = {"given": {"all": "data"}}
KALDI, LIBRISPEECH = {"kaldi": "data"}, {"librispeech": {"root": "libri", "subsets": ["dev"]}}
VCTK = {"vctk": {"root": "vctk", "microphone": "mic2"}}
NAMED = {"root": "data/wav", "pattern": "{speaker}-{utterance}.wav"}
FOLDER = {"folder": NAMED | {"speakers": "genders.tsv"}}
REPOSITORY = Path("exchanged")
EXCHANGED = f"results/x/2026/{exchange.PROTOCOL}/one@1"

WORDS = (
    b"\0 \n \r\n \t \t\t nan inf 1e999 -1 1_0 .. / ../x ' \" \\ {} [] & * &a & [*a] % - -- ; "
    b"2001-99-99 !new: !ref"
)
TEXTS = ("\u2028", "\x85", "\ufeff", "é", "日本", "9" * 5000, "a" * 300, "[" * 400)
TOKENS = [*WORDS.split(b" "), *(text.encode() for text in TEXTS)]
TOKENS += [b"!!python/object:os.system ", b"!ref <n_mels>", b"\xff", b"\xe9", bytes(8)]
TOKENS += [b"\xff" * 8, b"\x7f\xff\xff\xff"]


def check_corpus(source, protocol):
    """Errors of a corpus are findings; they too are lines."""
    for finding in checks.examine(source, protocol, 16000).findings:
        assert "\n" not in str(finding)


def read_config(path):
    config = configuration.read(path)
    problems = configuration.problems(config)
    for problem in problems:
        configuration.located(problem, [path])
        assert str(problem)
    if not problems:
        configuration.check(config)


def read_hyperparameters(path):
    read = Hyperparameters(path)
    for field in read.nodes:
        with contextlib.suppress(BadInput):
            read.get(field)


# Results of others.

RESULTS = Path("theirs")
TABLES, LISTED = RESULTS / "report" / "tables", ("speech", "trials")
ATTACK = "demo/f/b2/ecapa/cosine"


def read_foreign(*reads):
    """A reader of results as compare calls it."""

    def reader(path):
        with not_ours(path):
            for read in reads:
                read(path)

    return reader


def compared(path):
    """Results of others with themselves."""
    change_lines(RESULTS, RESULTS)


def read_comparisons(path):
    numbers = metrics.read_metrics(RESULTS / "metrics.tsv")
    uncertainty.read_comparisons(RESULTS / "comparisons", numbers)


def result_of(*names):
    return "/".join([str(RESULTS), *names])


READERS = {
    "speech/manifest.tsv": manifests.read_manifest,
    "trials.tsv": trial_lists.read_trials,
    "enrolments.tsv": enrolments.read_enrolments,
    "speakers.tsv": enrolments.read_speakers,
    "scores.tsv": scored_trials.read_scored_trials,
    "scores.txt": lambda path: scored_trials.read_scored_trials(path, key="key.txt"),
    "key.txt": lambda path: scored_trials.read_scored_trials("scores.txt", key=path),
    "excluded.tsv": parts.read_excluded,
    "oo.npz": read_matrix,
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
    "transcripts.tsv": manifests.read_transcripts,
    "words.dic": style.read_dictionary,
    "tags.yaml": tags.read_tags,
    "config.yaml": read_config,
    "hyperparams.yaml": read_hyperparameters,
    "metrics.json": json_files.read_json,
    "data/wav/anna-0.wav": audio.read,
    "speech.flac": audio.read,
    "float.wav": audio.read,
    result_of("metrics.tsv"): read_foreign(compared),
    result_of("comparisons/demo/mean/ecapa/cosine.systems.tsv"): read_foreign(read_comparisons),
    result_of("provenance.json"): read_foreign(compared),
    result_of("verdict.json"): read_foreign(compared),
    result_of("evidence.json"): read_foreign(compared),
    result_of("report/listen/demo.json"): read_foreign(lambda path: listen.read_examples([path])),
    result_of("report/tables/speech.tsv"): read_foreign(
        lambda path: described_corpora.read_corpora(path, TABLES / "trials.tsv", [])
    ),
    result_of("checks/demo.tsv"): read_foreign(
        lambda path: described_corpora.read_corpora(
            *(TABLES / f"{name}.tsv" for name in LISTED), [path]
        )
    ),
    result_of("metrics/utility/demo.tsv"): read_foreign(
        lambda path: utility_tables.utility_section(measured.read_utility([path]))
    ),
    result_of(f"metrics/verification/{ATTACK}.intervals.json"): read_foreign(
        lambda _: metrics.read_metrics(RESULTS / "metrics.tsv")
    ),
    result_of(f"metrics/verification/{ATTACK}.bootstrap.npz"): lambda path: arrays.read_npz(
        path, []
    ),
    f"{REPOSITORY}/{EXCHANGED}.json": lambda path: records.read_record(Path(path), REPOSITORY),
    f"{REPOSITORY}/{EXCHANGED}{records.SCORES}": lambda path: recomputed.read_scored(
        path, exchange.listed(), path
    ),
    f"{REPOSITORY}/protocols/{exchange.PROTOCOL}{records.TRIALS}": recomputed.read_listed,
    "expected.tsv": expected.read_expected,
    "measured.tsv": lambda path: measures.read_measured(path, ["a", "b"]),
}


def build(folder):
    """Write a good file for every reader below a folder."""
    world.build(folder)
    soundfile.write(folder / "speech.flac", world.speech("x"), world.RATE)
    stereo = np.stack([world.speech("x", 0.02)] * 2, axis=1)
    soundfile.write(folder / "float.wav", stereo, 44100, subtype="FLOAT")
    numbers = '{"op": {"eer_percent": 1.5, "worst_case_log10": "inf"}}\n'
    (folder / "metrics.json").write_text(numbers)
    (folder / "excluded.tsv").write_text("utterance\twhy\na\tnamed in exclude\n")
    (folder / "submission" / "wav.scp").write_text("anna-0 anna-0.wav\n")
    said = "11-100-0000 THE DOG\n11-100-0001 GOES\n"
    (folder / "libri/dev/11/100/11-100.trans.txt").write_text(said)
    _results(folder)
    exchange.write_protocol(folder / REPOSITORY)
    exchange.write_result(folder / REPOSITORY, "x", "one", laboratory="A", strength=1.0)
    (folder / "measured.tsv").write_text("utterance\tmetric\tvalue\na\twer\t5\nb\twer\t1e1\n")
    model = world.ROOT / "workflow/resources/ecapa_small/hyperparams.yaml"
    (folder / "hyperparams.yaml").write_bytes(model.read_bytes())


def _results(folder):
    """Results of others."""
    theirs = result_folders.write_state(folder / RESULTS)
    result_folders.write_what_else_a_page_shows(theirs)
    json_files.write_json(theirs / "verdict.json", verdicts.usual())
    path = theirs / "provenance.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | result_folders.FULL_PROVENANCE))
    key = "\t".join(["demo", "f", "b2", "ecapa", "cosine", "pp", "eer_percent"])
    header = "\t".join(expected.EXPECTED)
    limits = theirs / "comparisons/demo/mean/ecapa/cosine.systems.tsv"
    row = SystemInterval("pp", "eer_percent", "b2", 1.5, 0.5, 2.5)
    tables.write_table(limits, SystemInterval._fields, [row])
    (folder / "expected.tsv").write_text(f"{header}\n{key}\t11.5\t0.5\ta paper\n")
