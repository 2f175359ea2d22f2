"""What an attacker does with the speech: embeddings, back-ends and scores."""


rule extract_embeddings:
    """Embed every utterance of one part as one system speaks it."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        files=attackers.model,
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_embeddings/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_embeddings/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(plan.attackers.networks()),
    priority: BY_ATTACKERS
    conda:
        attackers.extractors.environment
    threads: speech_threads.few
    resources:
        mem_mb=attackers.extractors.memory,
        runtime=attackers.extraction_runtime,
        command_runtime=attackers.extractors.field("runtime"),
        gpu=attackers.extractors.gpus,
    params:
        code=attackers.extraction_code,
        how=attackers.extraction,
    shell:
        command(
            "extract_embeddings",
            also="--threads {threads} --runtime {resources.command_runtime:q}"
            " --memory {resources.mem_mb:q}",
            input="manifest",
            output="embeddings",
            options="how",
        )


ruleorder: extract_embeddings_of_both_parts > extract_embeddings


# Both parts of a system are needed wherever it is attacked: a model is started once for them. Alone
# are training speech and second runs, and the embeddings of commands and files.
use rule extract_embeddings as extract_embeddings_of_both_parts with:
    input:
        manifest=[
            "results/audio/{corpus}/enrolment/{anonymiser}/manifest.tsv",
            "results/audio/{corpus}/trial/{anonymiser}/manifest.tsv",
        ],
        files=attackers.model,
    output:
        embeddings=[
            "results/embeddings/{corpus}/enrolment/{anonymiser}/{extractor}.npz",
            "results/embeddings/{corpus}/trial/{anonymiser}/{extractor}.npz",
        ],
    log:
        "results/logs/extract_embeddings/{corpus}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_embeddings/{corpus}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        anonymiser=one_of(["original", *plan.speech.anonymisers]),
        extractor=one_of(filter(plan.attackers.embeds_both_parts, plan.attackers.networks())),


rule extract_features:
    """A feature of every utterance that no network makes: pitch, sounds, time, pauses, words."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        files=attackers.feature_files,
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_features/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_features/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=one_of(filter(plan.attackers.feature, plan.attackers.extractors)),
    priority: BY_ATTACKERS
    conda:
        attackers.feature_environment
    resources:
        mem_mb=attackers.feature_memory,
        runtime=attackers.feature_runtime,
    params:
        code=code(
            "extract_features",
            "voiceprivacy/attack/extractors/histograms",
            "voiceprivacy/attack/extractors/timing",
            "voiceprivacy/attack/extractors/contour",
            "voiceprivacy/attack/extractors/background",
            "voiceprivacy/models/whisper",
        ),
        feature=attackers.feature_arguments,
    shell:
        command("extract_features", input="manifest", output="embeddings", options="feature")


# Scores and matrices of a system by condition; matrices are large: without keep_matrices they go.
SCORES = "results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
PAIRS = "results/pairs/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz"
TEMPLATES = "results/templates/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.npz"
LEAKED = ["po"] if defaults.leaks(config) else []  # for known leaks
until_used = list if config["report"]["keep_matrices"] else temp
ONCE = one_of(name for name in plan.speech.anonymisers if name not in plan.speech.repeated)
TWICE = one_of(plan.speech.repeated)
SECOND_RUNS = one_of(filter(plan.speech.first_run, plan.speech.protected))
WITH_GALLERY = one_of(filter(plan.speech.has_gallery, plan.speech.evaluated))
WITHOUT_GALLERY = one_of(
    corpus for corpus in plan.speech.evaluated if not plan.speech.has_gallery(corpus)
)


rule score_system:
    """Score all conditions of one system: a trial list, or what is named of its matrices."""
    input:
        enrolment=attackers.compared("enrolment"),
        trial=attackers.compared("trial"),
        enrolment_manifest="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial_manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials="results/trials/{corpus}/{trials}.tsv",
        release="results/trials/{corpus}/{trials}.release.tsv",
        enrolments="results/trials/{corpus}/{trials}.enrolments.tsv",
        backend=attackers.backend,
    output:
        scores=expand(SCORES, condition=["op", "pp", *LEAKED, "rr"], allow_missing=True),
        pairs=[],
        templates=[],
    log:
        "results/logs/score_system/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/score_system/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=ONCE,
    priority: TO_VERDICT
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("score_system"),
        enrolment=attackers.compared_arguments("enrolment"),
        trial=attackers.compared_arguments("trial"),
        backend=attackers.backend_argument,
    shell:
        command(
            "score_system",
            input="enrolment_manifest trial_manifest trials release enrolments",
            output="scores pairs templates",
            params="enrolment trial backend",
        )


use rule score_system as score_repeated_system with:
    output:
        scores=expand(SCORES, condition=["op", "pp", *LEAKED, "p0p1", "rr"], allow_missing=True),
        pairs=[],
        templates=[],
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


# Of a second run, only the conditions that C_ECE is measured on.
use rule score_system as score_second_run with:
    output:
        scores=expand(SCORES, condition=config["report"]["cece"], allow_missing=True),
        pairs=[],
        templates=[],
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=SECOND_RUNS,


# The matrices of the original speech are kept, so that one job scores all of it. If they were
# removed after use, a change of one anonymiser would score them again, and then all others.
use rule score_system as score_original with:
    output:
        scores=expand(SCORES, condition=["oo", "rr"], allow_missing=True),
        pairs=expand(PAIRS, condition=["oo"], allow_missing=True),
        templates=expand(TEMPLATES, condition=["oo"], allow_missing=True),
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser="original",


# Corpora of which every utterance is tried against every other have no templates.
use rule score_system as score_original_in_pairs with:
    output:
        scores=expand(SCORES, condition=["oo", "rr"], allow_missing=True),
        pairs=expand(PAIRS, condition=["oo"], allow_missing=True),
        templates=[],
    wildcard_constraints:
        corpus=WITHOUT_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser="original",


# Matrices have a job of their own: whoever measures something else on them needs them again, and
# must not score the trial list again.
use rule score_system as score_matrices with:
    output:
        scores=[],
        pairs=until_used(expand(PAIRS, condition=["op", "pp"], allow_missing=True)),
        templates=until_used(expand(TEMPLATES, condition=["op", "pp"], allow_missing=True)),
    log:
        "results/logs/score_matrices/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/score_matrices/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=ONCE,
    priority: 0


use rule score_matrices as score_matrices_of_repeated with:
    output:
        scores=[],
        pairs=until_used(expand(PAIRS, condition=["op", "pp"], allow_missing=True)),
        templates=until_used(expand(TEMPLATES, condition=["op", "pp", "p0p1"], allow_missing=True)),
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


use rule score_matrices as score_matrices_of_pairs with:
    output:
        scores=[],
        pairs=until_used(expand(PAIRS, condition=["op", "pp"], allow_missing=True)),
        templates=[],
    wildcard_constraints:
        corpus=WITHOUT_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=one_of(plan.speech.anonymisers),


rule score_samples:
    """Score the tests of a sampled gallery against its templates (for ranks)."""
    input:
        enrolment=attackers.enrolment,
        trial=attackers.trial,
        samples="results/samples/{corpus}/{trials}.tsv",
        backend=attackers.backend,
    output:
        matrix=until_used([TEMPLATES]),
    log:
        "results/logs/score_samples/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.log",
    benchmark:
        "results/benchmarks/score_samples/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}/{condition}.tsv"
    wildcard_constraints:
        trials=GALLERIES,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("score_samples"),
        backend=attackers.backend_argument,
        protected=attackers.protected_sides,
    shell:
        command(
            "score_samples",
            input="enrolment trial samples",
            output="matrix",
            params="backend",
            options="protected",
        )


rule take_scores:
    """Check the scores of somebody else's attack and take them over."""
    input:
        files=plan.sources.behind(
            "attacks/{extractor}/{corpus}/{trials}/{anonymiser}/{condition}",
            "attacks/{extractor}",
        ),
        trials=ask(scored.given_list),
    output:
        scores="results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/given/{condition}.tsv",
    log:
        "results/logs/take_scores/{corpus}/{trials}/{anonymiser}/{extractor}/given/{condition}.log",
    wildcard_constraints:
        extractor=one_of(config["attacks"]),
    priority: EARLY
    localrule: True
    conda:
        "../../envs/evaluate.yaml"
    params:
        code=code("take_scores"),
        given=ask(plan.given.file),
        trials=ask_option("--trials", scored.given_key),
    shell:
        command("take_scores", output="scores", params="given", options="trials")
