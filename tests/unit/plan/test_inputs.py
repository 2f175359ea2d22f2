"""What rules ask of a plan: wildcards go where they belong, and what is not there is left out."""

import ast
import re

import pytest
import yaml
from snakemake.iocontainers import Wildcards
from support.plans import CORPORA, ECAPA
from support.runs import ROOT

from voiceprivacy.plan import configuration
from voiceprivacy.plan.inputs.attackers import AttackerInputs
from voiceprivacy.plan.inputs.results import AttackInputs, UtilityInputs
from voiceprivacy.plan.inputs.speech import AnonymiserInputs, Threads
from voiceprivacy.plan.inputs.wildcards import ask, ask_option, command, one_of, tables
from voiceprivacy.plan.plan import Plan
from voiceprivacy.running import fingerprints
from voiceprivacy.vocabulary import RESOURCES, SCRIPTS

CONFIG = {
    "corpora": CORPORA,
    "anonymisers": {"b2r": {"command": "python b2r.py", "runs": 2, "shards": 3}},
    "extractors": {"ecapa": ECAPA, "f0": {"f0": {}}, "words": {"words": {"corpus": "others"}}},
    "backends": {
        "cosine": {"type": "cosine"},
        "js": {"type": "jensen_shannon"},
        "plda": {"type": "plda", "train": {"corpus": "others"}, "extractors": ["ecapa"]},
    },
    "utility": {"mine": {"command": "python mine.py", "better": "higher", "mem_mb": 500}},
    "semi_informed": False,
}


@pytest.fixture
def plan(in_tmp_path):
    return Plan(configuration.check(CONFIG))


def of_job(**names):
    return Wildcards(fromdict={"corpus": "demo", "trials": "f", "anonymiser": "b2r"} | names)


def test_a_method_is_asked_for_its_wildcards_and_one_without_names_never_matches():
    answer = ask(lambda part, corpus: f"{corpus} {part}")
    assert answer(of_job(part="trial", trials="m")) == "demo trial"
    assert ask(lambda corpus: None)(of_job()) == []
    assert one_of([]) == "(?!)"
    assert one_of(["a", "b", "a"]) == "a|b"


def test_outputs_and_options_with_a_value_are_flags_called_as_the_rule_calls_them():
    assert ask_option("--start", lambda corpus: None)(of_job()) == []
    assert ask_option("--start", lambda corpus: corpus)(of_job()) == ["--start", "demo"]
    output = Wildcards(fromdict={"metrics": "m.tsv", "rank_curves": "c.tsv"})
    assert tables("metrics")(of_job(), output) == ["--rank-curves", "c.tsv"]
    made = command("plot scores", also="--top 3", options="width", input="trial_list", params="job")
    assert made == (
        "python -P -m voiceprivacy.jobs.plot scores --trial-list {input.trial_list:q}"
        " --job {params.job:q} {params.width:q} --top 3 > {log:q} 2>&1"
    )


def test_a_second_run_waits_for_the_first_and_is_scored_where_calibration_is_measured(plan):
    anonymisers = AnonymiserInputs(plan)
    first, second = of_job(part="trial"), of_job(part="trial", anonymiser="b2r_run1")
    assert anonymisers.first_run(first) == []
    assert anonymisers.first_run(second) == ["results/audio/demo/trial/b2r/manifest.tsv"]
    assert anonymisers.shards("{anonymiser}/{shard}")(second) == [f"b2r_run1/{n}" for n in range(3)]
    compared = AttackerInputs(plan).compared_arguments("enrolment")
    folder = "results/embeddings/demo/enrolment"
    job = of_job(anonymiser="b2r_run1", extractor="ecapa")
    assert compared(job) == [f"original={folder}/original/ecapa.npz"]
    words = compared(of_job(extractor="ecapa"))
    assert [word.split("=")[0] for word in words] == ["original", "run0"]


def test_jobs_take_half_of_the_cores_and_have_more_memory_when_they_are_tried_again(plan):
    for cores, few in ((1, 1), (2, 1), (6, 3), (64, 4), (None, 4)):
        assert Threads(lambda n_cores=cores: n_cores).few(of_job()) == few
    assert UtilityInputs(plan).memory(of_job(measure="mine"), attempt=3) == 1500
    attackers = AttackerInputs(plan)
    assert attackers.feature_memory(of_job(extractor="f0"), attempt=3) == 3 * 4000
    assert attackers.training_memory(of_job(extractor="ecapa"), attempt=3) == 3 * 8000


def test_no_profile_overrides_memory_that_a_rule_works_out():
    """A training with a large encoder asked a cluster for half of what it needs."""
    profile = yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    worked_out = r"\nrule (\w+):(?:(?!\nrule ).)*?mem_mb=\w+\.\w+,"
    names = re.findall(worked_out, rules, re.DOTALL)
    assert {"train_extractor", "train_units", "extract_features"} <= {*names}
    assert not profile["set-resources"].keys() & {*names}


def test_words_depend_on_the_transcripts_that_weigh_them_and_backends_on_their_file(plan):
    attackers = AttackerInputs(plan)
    assert attackers.feature_files(of_job(part="trial", extractor="words")) == [
        f"results/audio/{part}/original/transcripts.tsv" for part in ("demo/trial", "others/train")
    ]
    assert attackers.feature_files(of_job(part="trial", extractor="f0")) == []
    jobs = [of_job(backend=name, extractor="ecapa") for name in ("cosine", "plda")]
    arguments = [attackers.backend_argument(job) for job in jobs]
    assert arguments == ["cosine", "results/backends/plda/ecapa.npz"], "what is trained has a file"


def test_scores_of_others_have_a_list_where_the_config_has_it_and_speakers_of_their_own(
    tmp_path, in_tmp_path
):
    """Of our list, and of one that only they know."""
    for name in ("demo_f_b2r_op", "theirs_all_b2r_op", "speakers"):
        (tmp_path / f"{name}.tsv").touch()
    team = {"scores": "{corpus}_{trials}_{anonymiser}_{condition}.tsv", "speakers": "speakers.tsv"}
    team["key"] = "{resources}/controls.yaml"
    extractors = CONFIG["extractors"] | {"style": {"style": {"dictionary": team["key"]}}}
    changed = {**CONFIG, "attacks": {"team": team}, "extractors": extractors}
    given = Plan(configuration.check(changed))
    file = f"{RESOURCES}/controls.yaml"  # in jobs no placeholder is left
    assert given.given.key("team", "demo", "f") == file
    said = AttackerInputs(given).feature_arguments(of_job(part="trial", extractor="style"))
    assert said[-2:] == ["--dictionary", file]
    scored = AttackInputs(given)
    ours = of_job(extractor="team", backend="given")
    theirs = of_job(extractor="team", backend="given", corpus="theirs", trials="all")
    assert scored.under(given.speech.scored)(ours) == ["op"]
    assert ask(scored.lists)(ours)[:2] == ["--trials", "results/trials/demo/f.tsv"]
    assert ask(scored.lists)(theirs) == []
    assert scored.speakers(theirs) == ["results/sources/attacks/team.sha256"]
    assert scored.speakers_argument(theirs) == ["--speakers", "speakers.tsv"]
    own = of_job(extractor="ecapa", backend="plda")
    assert scored.speakers(own) == "results/trials/demo/f.speakers.tsv"
    assert scored.under(given.speech.scored)(own) == ["op", "pp", "p0p1", "rr"]


def commands_of_rules():
    """(job, its command) of every rule."""
    for path in sorted(ROOT.glob("workflow/rules/*.smk")):
        for text in re.findall(r"shell:\s+(command\([^()]*\))", path.read_text()):
            made = eval(text, {"command": command})
            yield re.search(r"jobs\.(\w+)", made)[1], made


@pytest.mark.parametrize(("job", "made"), list(commands_of_rules()))
def test_a_rule_gives_its_job_flags_that_it_has(job, made):
    if job == "plot":  # its pictures have flags of their own
        return
    tree = ast.parse((ROOT / f"scripts/voiceprivacy/jobs/{job}.py").read_text())
    function = next(node for node in tree.body if getattr(node, "name", "") == job)
    names = [argument.arg for argument in function.args.kwonlyargs]
    defaults = dict(zip(names, function.args.kw_defaults, strict=True))
    flags = {flag.replace("-", "_") for flag in re.findall(r"--([\w-]+)", made)}
    assert flags <= {*names}
    assert flags >= {name for name, default in defaults.items() if not default}


@pytest.mark.parametrize("path", sorted(ROOT.glob("workflow/rules/*.smk")), ids=lambda p: p.stem)
def test_a_rule_file_defines_no_function(path):
    """What a rule asks is tested here; common.smk says how a run begins and ends."""
    text = path.read_text()
    assert "lambda" not in text
    assert path.stem == "common" or "def " not in text


@pytest.mark.parametrize(
    ("edited", "extractor", "is_noticed"),
    [
        ("attack/extractors/networks", "ecapa", True),
        ("attack/extractors/ecapa_ssl", "ecapa", True),
        ("attack/extractors/networks", "theirs", False),
        ("attack/extractors/packages", "shipped", True),
        ("attack/extractors/packages", "ecapa", False),
    ],
)
def test_modules_that_load_late_count(in_tmp_path, monkeypatch, edited, extractor, is_noticed):
    """The job imports them inside functions, by the kind of the extractor."""
    more = {"theirs": {"command": "python embed.py"}, "shipped": {"package": "resemblyzer"}}
    config = CONFIG | {"extractors": CONFIG["extractors"] | more}
    attackers = AttackerInputs(Plan(configuration.check(config)))
    wildcards = of_job(extractor=extractor, part="trial")
    before, digest = attackers.extraction_code(wildcards), fingerprints._digest
    changed = SCRIPTS / f"voiceprivacy/{edited}.py"
    monkeypatch.setattr(
        fingerprints,
        "_digest",
        lambda file, name: "other" if file == changed else digest(file, name),
    )
    assert (attackers.extraction_code(wildcards) != before) == is_noticed
