"""Every mistake in a config is named with its place, and a correct config has none."""

from pathlib import Path

import pytest
from support.plans import problems, voices

from voiceprivacy.errors import BadInput
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.vocabulary import SCRIPTS

SYNTHETIC = {"synthetic": {"speakers": 20, "utterances": 4}}
TRAINING = voices(300, 4, first=20, use="train")
FOLDER = {"root": ".", "pattern": "{speaker}/{utterance}.wav"}
LIBRI = {"librispeech": {"root": "/", "subsets": ["x"], "download": "http://x.org"}}
ATTACKED = {
    "corpora": {"a": SYNTHETIC},
    "extractors": {"small": {"model": "{resources}/ecapa_small"}},
    "backends": {"cosine": {"type": "cosine"}},
}


def corpus(**options):
    return {"corpora": {"a": SYNTHETIC | options}}


def plda(on="b", **options):
    """A corpus to attack, one for training, and a back-end that learns."""
    backend = {"type": "plda", "train": {"corpus": on}} | options
    return ATTACKED | {"corpora": {"a": SYNTHETIC, "b": TRAINING}, "backends": {"p": backend}}


def mixed(*systems):
    return {"corpus": "b", "speech": [*systems]}


def utility(**options):
    return {"utility": {"m": options}}


def anonymiser(**options):
    return {"anonymisers": {"x": options}}


def extractor(**options):
    return {"extractors": {"a": options}}


def averages(**lists):
    return {"report": {"averages": {"all": lists}}}


NUL = "a\0b"
RECALLS = {"type": "emotion", "definition": "vpc2024", "corpora": ["no"]}
VOICE = ATTACKED["extractors"] | {"voice": {"package": "resemblyzer"}}
ANONYMISED = {"corpus": "b", "speech": "anonymised"}
TRAINED = {"train": {"corpus": "b"}, "recipe": "ecapa_small"}
SEMI = {"train": ANONYMISED, "recipe": "ecapa_small"}
TWO = {"anonymisers": {"x": {"command": "x"}, "y": {"command": "y"}}}
LEARNING = TWO | {"corpora": {"a": SYNTHETIC, "b": TRAINING}}
F_COMMON = {"enrol_trial": {"lists": ["f_common"]}}
PARTS = {"enrolment": "/", "trial": ["/"]}
JENSEN = {"type": "jensen_shannon", "extractors": ["small"]}
FUSION = {"type": "fusion", "of": ["a/b", "c/d"], "train": {"corpus": "t"}}
MISTAKES = [
    # Keys and values.
    ({"corpora": {"a": {"kaldi": "~/a"}}}, "corpora.a.kaldi: ~/a: not found"),
    ({"report": {"cece": "op"}}, "report.cece: 'op' is not a list"),
    ({"qqq": 1}, "qqq: 'qqq' is not a key"),
    ({"extractors": {"m": {"model": "m", "sandbox": True}}}, "extractors.m.sandbox: True is not"),
    ({"seed": 10**400}, "seed: "),
    ({"attackers": "lader"}, "attackers: 'lader' is none of ladder: did you mean 'ladder'?"),
    ({"attackers": "ladder"}, "attackers: needs a corpus with 'use: train'"),
    (utility(type="voice", sample=3, utterances=3), "utility.m.utterances: of this type all"),
    (ATTACKED | {"atlas": {"channels": ["phones"]}}, "atlas.channels: channel 'phones' needs"),
    ({"corpora": {"a": {"synthetic": {"speakers": 2}}}}, "corpora.a.synthetic: 'utterances' is"),
    ({"seed": 4.0}, "seed: 4.0 is not of type 'integer': write 4"),
    ({"report": {"cece": 4.0}}, "report.cece: 4.0 is not a list: [...]"),
    ({"utility": {"closed_text": False}}, "utility.closed_text: false leaves out a measure"),
    ({"report": {"speech_per_attack": {}}}, "report.speech_per_attack: is no longer a key"),
    ({"corpora": {"a": LIBRI}}, "corpora.a.librispeech.download: 'http://x.org' does not match"),
    (anonymiser(container="b.sif", audio="b"), "anonymisers.x.container: 'b.sif' is not allowed"),
    # Corpora, lists and averages.
    (
        corpus(protocol={"rank_sampling": {"observations": 2}}) | averages(a={"f": 1}),
        "report.averages.all.a.f: a has no trial list 'f'",
    ),
    (corpus(protocol=F_COMMON), "corpora.a.protocol.enrol_trial.lists: only vctk"),
    (corpus(use="utility", protocol={"all_pairs": {}}), "corpora.a.protocol: a corpus"),
    (corpus(channel=1), "corpora.a.channel: speech that is made"),
    (corpus() | {"verdict": {"low_percent": 11}}, "verdict.low_percent: is more"),
    (corpus() | {"verdict": {"open_percent": 4}}, "verdict.low_all_recordings_percent: is more"),
    ({"corpora": {"a": {"kaldi": PARTS}}}, "corpora.a: needs a protocol"),
    (corpus() | averages(b={"f": 1}), "report.averages.all.b: there is no corpus 'b' to evaluate"),
    # What attackers learn from.
    (ATTACKED | extractor(f0={}), "extractors.a: no back-end compares it"),
    (plda(extractors=["x"]), "backends.p.extractors: 'x' is not an extractor"),
    (ATTACKED | {"backends": {"j": JENSEN}}, "backends.j.extractors: embeddings of 'small' are"),
    (plda(unprotected=True), "backends.p.train: 'speech' is missing"),
    (corpus(use="train", protocol={"all_pairs": {}}), "corpora.a.protocol: a corpus"),
    (ATTACKED | extractor(units={"corpus": "a"}), "extractors.a.units.corpus: corpus 'a' is not"),
    (plda(on="bb"), "backends.p.train.corpus: there is no corpus 'bb': did you mean 'b'?"),
    (plda(on="a"), "backends.p.train.corpus: corpus 'a' is not for training"),
    (TWO | plda(train={"corpus": "b", "anonymisers": ["x"]}), "backends.p.train: 'speech' is"),
    (TWO | plda(train=mixed("x", "z")), "backends.p.train.speech.1: there is no system 'z'"),
    (plda(train={"corpus": "b", "speech": "x"}), "backends.p.train.speech: 'x' is none of"),
    (plda(train=mixed("others")) | anonymiser(command="x"), "backends.p.train.speech: 'others'"),
    (LEARNING | extractor(**SEMI | {"train": mixed("x")}), "extractors.a.train.speech: a network"),
    (plda(train=mixed("original"), unprotected=True), "backends.p.train.speech: ['original'] is"),
    (plda(train=mixed("original"), type="procrustes"), "backends.p.train.speech: ['original'] is"),
    (
        TWO | plda(train=mixed("original") | {"anonymisers": ["x"]}),
        "backends.p.train.anonymisers: goes with 'others'",
    ),
    (
        plda(train=mixed("others")) | {"anonymisers": {"others": {"command": "x"}}},
        "anonymisers.others: means all but",
    ),
    ({"backends": {"a_without_b": {"type": "cosine"}}}, "backends.a_without_b: "),
    (
        plda(train=ANONYMISED | {"anonymisers": ["x_draw2"]}) | anonymiser(command="x", draws=2),
        "backends.p.train.anonymisers: there is no anonymiser 'x_draw2'",
    ),
    (extractor(f0=None), "extractors.a.f0: is empty"),
    (utility(type="whisper", model="base", language="de"), "utility.m.language: whisper does not"),
    (plda(lda_dim=150), "backends.p.lda_dim: 150 dimensions, and embeddings of 'small' have 128"),
    (plda(type="speechbrain_plda", rank=129), "backends.p.rank: 129 dimensions"),
    ({"corpora": {"a": {"folder": FOLDER}}} | extractor(style={}), "extractors.a: reads"),
    (utility(type="whisper", model="x" * 300), "utility.m.model: xxx"),
    # What is not there.
    (extractor(model="speechbrain/x"), "extractors.a.model: speechbrain/x: not found"),
    (anonymiser(package="b"), "anonymisers.x.package: no installed package"),
    (extractor(command="a", env="mine"), f"extractors.a.env: {SCRIPTS.parent}/envs/mine.yaml: not"),
    (ATTACKED | anonymiser(audio="to/{set}/{part}"), "anonymisers.x.audio: to/a/enrolment: not"),
    (
        ATTACKED | extractor(embeddings="npz/{corpus}/{part}/{anonymiser}.npz"),
        "extractors.a.embeddings: npz/a/enrolment/original.npz: not found",
    ),
    (LEARNING | extractor(embeddings="{corpus}/{part}.npz"), "extractors.a.embeddings: lacks"),
    (anonymiser(command="a", sweep={"seed": [1, 2]}), "anonymisers.x_seed_1.options.seed: "),
    ({"attacks": {"t": {"scores": __file__}}}, f"attacks.t.scores: {__file__}: is one file"),
    ({"attacks": {"t": {"scores": "."}}}, "attacks.t.scores: .: is a folder without"),
]


@pytest.mark.parametrize(
    ("config", "expected"), MISTAKES, ids=[words.partition(": ")[0] for _, words in MISTAKES]
)
def test_a_mistake_is_named_with_its_place(config, expected):
    assert any(problem.startswith(expected) for problem in problems(config))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"backends": {"a": FUSION}}, "backends.a.type: 'fusion' is no longer a type"),
        (extractor(train={"corpus": "b"}), "extractors.a: 'recipe' is missing"),
        (
            utility(**RECALLS, labels="{set}", model="{resources}/ecapa_small"),
            "utility.m.corpora: there is no corpus 'no' to evaluate",
        ),
        (
            LEARNING | {"extractors": {"a": SEMI | {"start": "voice"}} | VOICE},
            "extractors.a.start: extractor 'voice' has no network",
        ),
        (LEARNING | extractor(**TRAINED, start="a"), "extractors.a.start: extractor 'a' starts"),
        # A folder for a file, a file for a folder, and a character that ends paths.
        (anonymiser(function="folder.py:anonymise"), "anonymisers.x.function: folder.py: is a"),
        (ATTACKED | anonymiser(audio="file.txt"), "anonymisers.x.audio: file.txt: is a file"),
        (ATTACKED | extractor(model="file.txt"), "extractors.a.model: file.txt: is a file"),
        (anonymiser(command=NUL), "anonymisers.x.command: 'a\\x00b'"),
        (anonymiser(command="x", options={"x": NUL}), "anonymisers.x.options.x: 'a\\x00b'"),
        (anonymiser(command="x", sandbox=True, reads=[NUL]), "anonymisers.x.reads.0: 'a\\x00b'"),
        (ATTACKED | extractor(model=NUL), "extractors.a.model: 'a\\x00b'"),
    ],
)
def test_a_mistake_is_named_once(config, expected, in_tmp_path):
    """Not with what follows from it, and not for every anonymiser."""
    Path("folder.py").mkdir()
    Path("file.txt").touch()
    (problem,) = problems(config)
    assert problem.startswith(expected)


def test_nothing_is_planned_of_a_config_that_contradicts_itself():
    config = configuration.read(SCRIPTS.parent / "config" / "config.yaml")
    config["backends"]["semi"]["train"]["corpus"] = "demo_trian"
    [problem] = problems(config)
    assert problem.startswith("backends.semi.train.corpus: there is no corpus 'demo_trian'")


def test_scores_of_several_attackers_are_a_mistake_with_a_line(tmp_path):
    path = tmp_path / "c.yaml"
    for attacker in ("asv_anon_mine", "asv_orig"):
        folder = tmp_path / "exp" / attacker / "libri_enrolls_mine-libri_trials_f_mine"
        folder.mkdir(parents=True)
        (folder / "scores").touch()
    path.write_text(f"attacks:\n  team7:\n    scores: {tmp_path}/exp\n")
    (problem,) = configuration.problems(configuration.read(path))
    words = configuration.with_line(problem, [path])
    assert words.startswith(f"{path}:3: attacks.team7.scores: {tmp_path}/exp/asv_orig/")
    assert words.endswith("exp/asv_anon_mine")


@pytest.mark.parametrize(
    "config",
    [
        plda(lda_dim=128),
        plda(lda_dim=150) | {"extractors": {"voice": VOICE["voice"]}},  # has more
        # How many dimensions a program has, its embeddings will say.
        plda(lda_dim=900) | {"extractors": {"mine": {"command": "python mine.py"}}},
        {"corpora": {"a": SYNTHETIC}, "extractors": {"said": {"style": {}}}},  # has transcripts
    ],
)
def test_what_embeddings_and_transcripts_allow_is_no_problem(config):
    assert problems(config) == []
    assert problems(configuration.check(config)) == [], "as a finished run keeps it"


def test_what_belongs_to_somebody_elses_scores_must_be_there(tmp_path):
    """Brackets in a path are no pattern: the scores are there."""
    folder = tmp_path / "scores [of team 7]"
    folder.mkdir()
    (folder / "b2_op.tsv").touch()
    attack = {"scores": f"{folder}/{{anonymiser}}_{{condition}}.tsv"}
    attack |= {"key": f"{folder}/{{trials}}.key", "speakers": f"{folder}/map.tsv"}
    assert problems({"attacks": {"team7": attack}}) == [
        f"attacks.team7.key: {folder}/all.key: not found",
        f"attacks.team7.speakers: {folder}/map.tsv: not found",
    ]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (("given/b2_op.tsv", "b2_op.tsv"), "cannot be read (Too many levels of symbolic links)"),
        (("given/b2_op.tsv", "nowhere"), "is a link to what is not there"),
        (("given/b2_op.tsv", "/dev/zero"), "is a pipe, a socket or a device, not a file"),
        (("given/b2_op.tsv", "../results/scores/op.tsv"), configuration.OWN_RESULT),
        (("given", "results/scores"), configuration.OWN_RESULT),
        (("given/b2_op.tsv", "../elsewhere.tsv"), None),
    ],
)
def test_links_to_others_scores_lead_to_no_results(in_tmp_path, link, reason):
    Path("elsewhere.tsv").touch()
    path, target = map(Path, link)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)
    for path in map(Path, ("given/b2_op.tsv", "results/scores/op.tsv", "results/scores/b2_op.tsv")):
        if not path.is_symlink():
            path.parent.resolve().mkdir(parents=True, exist_ok=True)
            path.touch()
    messages = problems({"attacks": {"team7": {"scores": "given/{anonymiser}_{condition}.tsv"}}})
    expected = f"attacks.team7.scores: given/b2_op.tsv: {reason}"
    assert messages == ([] if reason is None else [expected])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid", "is a pointer of Git LFS"),
        (b"\n<!DOCTYPE html>\n<html>", "is a web page"),
    ],
)
def test_weights_that_were_never_fetched_are_named(in_tmp_path, content, said):
    Path("m").mkdir()
    Path("m/hyperparams.yaml").touch()
    Path("m/embedding_model.ckpt").write_bytes(content)
    [problem] = problems(ATTACKED | extractor(model="m"))
    assert problem.startswith(f"extractors.a.model: m/embedding_model.ckpt: {said}")


def test_a_wrong_name_gets_the_nearest_file_or_folder_that_is_there(in_tmp_path):
    Path("submissions/team7").mkdir(parents=True)
    Path("submissions/team7/b2-op.tsv").touch()
    attack = {"scores": "submissions/team7/{anonymiser}_{condition}.tsv"}
    [scores] = problems({"attacks": {"z": attack}})
    assert scores.endswith("the nearest is called submissions/team7/b2-op.tsv")
    [audio] = problems(ATTACKED | anonymiser(audio="submission"))
    assert audio.endswith(": submission: not found: did you mean 'submissions'?")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("exclude: [ok, 1_3]", "exclude.1: YAML reads 1_3 as 13, "),
        ("exclude: [null]", "exclude.0: YAML reads null as None, "),
        ("exclude:\n    -", "exclude.0: is empty"),
        ("gender: no", "gender: YAML reads no as False, "),
        ("recording: 1_0", "recording: YAML reads 1_0 as 10, "),
        ("sample_rate: 16e3", "sample_rate: '16e3' is text: write 16000 "),
        ("sample_rate: 16k", "sample_rate: '16k' is not of type 'integer'"),
        ("sample_rate: '1.5'", "sample_rate: '1.5' is not of type 'integer'"),
        ("exclude: '12'", "exclude: '12' is not a list"),
        ("pipes: 'true'", "pipes: 'true' is text: write true "),
        ("segments: {seconds: '1.5'}", "segments.seconds: '1.5' is text: write 1.5 "),
        ("segments: {seconds: '1e-5'}", "segments.seconds: '1e-5' is text: write 1.0e-05 "),
    ],
)
def test_values_that_yaml_reads_otherwise_than_as_text_are_named(tmp_path, wrong, said):
    """And numbers that are text, with what to write."""
    path = tmp_path / "c.yaml"
    path.write_text(f"corpora:\n  a:\n    synthetic: {{speakers: 4, utterances: 4}}\n    {wrong}\n")
    (problem,) = configuration.problems(configuration.read(path))
    _, line, words = configuration.located(problem, [path])
    assert line == (5 if wrong.endswith("-") else 4)
    assert words.startswith(f"corpora.a.{said}")


def test_keys_that_are_one_to_python_are_refused_where_they_stand(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("corpora:\n  1: {}\n  true: {}\n")
    with pytest.raises(BadInput, match=r"c\.yaml:3: key 'true' occurs twice"):
        configuration.read(path)


def test_each_key_that_is_missing_is_named():
    said = problems({"corpora": {"a": {"librispeech": {"download": False}}}})
    assert [line.rpartition(": ")[2] for line in said] == [
        "'root' is missing",
        "'subsets' is missing",
    ]


def test_variables_are_replaced_whatever_an_entry_is_called_and_stay_in_what_programs_get(
    monkeypatch,
):
    monkeypatch.setenv("HERE", "/speech")
    system = {"root": "${HERE}", "download": "${HERE}"}
    config = {"corpora": {"download": system}, "anonymisers": {"command": {"command": "${HERE}"}}}
    system = {"root": "/speech", "download": "${HERE}"}
    assert defaults.resolved(config) == config | {"corpora": {"download": system}}


def test_options_of_functions_are_read_as_keys_are_and_those_of_commands_are_text():
    speech = {"corpora": {"a": SYNTHETIC}}
    function = {"function": "{resources}/plugins/reversed.py:anonymise"}
    for system in (
        function | {"options": {"gain": "1e-4"}},
        function | {"options": {"of": [0.5, ".1e-3"]}},
        function | {"sweep": {"gain": [0.5, "1e-4"]}},
        {"package": "installed", "options": {"gain": "1e-4"}},
    ):
        (problem,) = problems(speech | {"anonymisers": {"a": system}})
        assert "is text: write 0.0001 without quotes" in problem
    system = {"command": "x", "options": {"gain": "1e-4"}}
    assert problems(speech | {"anonymisers": {"a": system}}) == []


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("seed: 0012", "seed: YAML reads 0012 as 10, "),
        ("seed: -010", "seed: YAML reads -010 as -8, "),
        ("runtime: 1:40", "runtime: YAML reads 1:40 as 100, "),
        ("x: {at: [0], id: 0_01_3}", "id: YAML reads 0_01_3 as 11, "),
        ("exclude: [ok, 12:30]", "exclude.1: YAML reads 12:30 as 750, "),
        ("seconds: [1, 010]", "seconds.1: YAML reads 010 as 8, "),
    ],
)
def test_a_number_that_yaml_counts_otherwise_than_people_is_refused(tmp_path, written, said):
    """Octal digits and minutes: a seed of 0012 was 10 without a word, and so was an option."""
    path = tmp_path / "c.yaml"
    path.write_text(f"a: 0.05\nb: 0\nc: '0012'\n{written}\n")
    with pytest.raises(BadInput) as error:
        configuration.read(path)
    assert str(error.value).startswith(f"{path}:4: {said}")
