"""What an attacker does with the speech: embeddings, back-ends and scores."""


def extractor_files(wildcards):
    """What embeddings depend on: a model that a rule makes, or the user's files."""
    entry = plan.attackers.extractors[wildcards.extractor]
    if "embeddings" in entry:
        embedded = "{0.corpus}/{0.part}/{0.anonymiser}".format(wildcards)
        return plan.sources.file("extractors", wildcards.extractor, embedded)
    return model_files(wildcards.extractor)


def extraction(wildcards):
    part = wildcards.get("part", "")  # none in a job of both parts: of a model nothing differs
    return plan.attackers.extraction(
        wildcards.extractor, wildcards.corpus, part, wildcards.anonymiser
    )


def embedding_runtime(wildcards):
    """Minutes of a job: those of a command and some to spare, or four hours for each part."""
    entry = plan.attackers.extractors[wildcards.extractor]
    n_parts = 1 if "part" in wildcards.keys() else 2
    return entry["runtime"] + 15 if "command" in entry else 240 * n_parts


def embedding_memory(wildcards, attempt):
    return plan.attackers.extractors[wildcards.extractor]["mem_mb"] * attempt


rule extract_embeddings:
    """Embed every utterance of one part as one system speaks it."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        files=extractor_files,
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
        lambda wildcards: environment_file(extractor_field("env")(wildcards))
    threads: speech_threads
    resources:
        mem_mb=embedding_memory,
        runtime=embedding_runtime,
        command_runtime=extractor_field("runtime"),
        gpu=gpus,
    params:
        code=lambda wildcards: code("extract_embeddings") + paths_behind(extraction(wildcards)),
        how=extraction,
    shell:
        "python -P -m voiceprivacy.jobs.extract_embeddings"
        " --manifest {input.manifest:q}"
        " {params.how:q}"
        " --threads {threads}"
        " --runtime {resources.command_runtime:q}"
        " --memory {resources.mem_mb:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"


ruleorder: extract_embeddings_of_both_parts > extract_embeddings


# Both parts of a system are needed wherever it is attacked: a model is started once for them. Alone
# are training speech and second runs, and the embeddings of commands and files.
use rule extract_embeddings as extract_embeddings_of_both_parts with:
    input:
        manifest=[
            "results/audio/{corpus}/enrolment/{anonymiser}/manifest.tsv",
            "results/audio/{corpus}/trial/{anonymiser}/manifest.tsv",
        ],
        files=extractor_files,
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


def transcripts(wildcards):
    return f"results/audio/{wildcards.corpus}/{wildcards.part}/original/transcripts.tsv"


def codebook(wildcards):
    return f"results/models/{wildcards.extractor}/codebook.npz"


def feature_files(wildcards):
    """What a feature depends on besides the speech."""
    feature = plan.attackers.feature(wildcards.extractor)
    if feature == "units":
        return [codebook(wildcards), *extractor_sources(wildcards)]
    if feature == "style":
        return [transcripts(wildcards), *extractor_sources(wildcards)]
    if feature == "words":
        weights = plan.attackers.training_transcripts(wildcards.extractor)
        said = filter(None, [transcripts(wildcards), weights])
        return [*said, *extractor_sources(wildcards)]
    return []


def feature_arguments(wildcards):
    feature = plan.attackers.feature(wildcards.extractor)
    if feature == "units":
        return ["--codebook", codebook(wildcards), *encoder_argument(wildcards)]
    if feature == "style":
        entry = plan.attackers.extractors[wildcards.extractor]
        dictionary = option("--dictionary", entry["style"].get("dictionary"))
        return ["--transcripts", transcripts(wildcards), *dictionary]
    if feature == "words":
        weights = plan.attackers.training_transcripts(wildcards.extractor)
        weighted = [*option("--training-transcripts", weights), *encoder_argument(wildcards)]
        return ["--transcripts", transcripts(wildcards), "--words", *weighted]
    return [f"--{feature}"]


def feature_environment(wildcards):
    is_text = plan.attackers.feature(wildcards.extractor) in ("style", "words")
    needs_network = plan.attackers.encoder(wildcards.extractor) or not is_text
    return environment_file("speechbrain" if needs_network else "evaluate")


rule extract_features:
    """A feature of every utterance that no network makes: pitch, sounds, time, pauses, words."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        files=feature_files,
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
        feature_environment
    resources:
        mem_mb=feature_memory,
        runtime=feature_runtime,
    params:
        code=code(
            "extract_features",
            "voiceprivacy/attack/extractors/histograms",
            "voiceprivacy/attack/extractors/timing",
            "voiceprivacy/attack/extractors/contour",
            "voiceprivacy/attack/extractors/background",
        ),
        feature=feature_arguments,
    shell:
        "python -P -m voiceprivacy.jobs.extract_features"
        " --manifest {input.manifest:q}"
        " {params.feature:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"


def backend_model(wildcards):
    return plan.attackers.backend_file(wildcards.backend, wildcards.extractor) or []


def backend_argument(wildcards):
    return backend_model(wildcards) or backend_entry(wildcards)["type"]


def embeddings(part, wildcards):
    """Embeddings of a part by whose speech they are: {original, run0 or run1: file}."""
    folder = f"results/embeddings/{wildcards.corpus}/{part}"
    is_second_run = plan.speech.first_run(wildcards.anonymiser)
    cece, own = config["report"]["cece"], plan.speech.conditions(wildcards.anonymiser)
    systems = plan.speech.spoken(part, wildcards.anonymiser, cece if is_second_run else own)
    return {whose: f"{folder}/{name}/{wildcards.extractor}.npz" for whose, name in systems.items()}


def embedding_files(part):
    """Input function: the embeddings that the conditions of a system compare."""
    return lambda wildcards: list(embeddings(part, wildcards).values())


def embedding_arguments(part):
    """Parameter: the same as WHOSE=FILE."""
    return lambda wildcards: [
        f"{whose}={file}" for whose, file in embeddings(part, wildcards).items()
    ]


def scores(*conditions):
    """Outputs: scores of a list, by condition."""
    folder = "results/scores/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}"
    return [f"{folder}/{condition}.tsv" for condition in conditions]


def matrices(kind, *conditions):
    """Outputs: pairs or templates, by condition; large, so removed after use unless kept."""
    files = kept_matrices(kind, *conditions)
    return files if config["report"]["keep_matrices"] else list(map(temp, files))


def kept_matrices(kind, *conditions):
    """Outputs: pairs or templates, by condition, that stay."""
    folder = f"results/{kind}/{{corpus}}/{{trials}}/{{anonymiser}}/{{extractor}}/{{backend}}"
    return [f"{folder}/{condition}.npz" for condition in conditions]


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
        enrolment=embedding_files("enrolment"),
        trial=embedding_files("trial"),
        enrolment_manifest="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial_manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials="results/trials/{corpus}/{trials}.tsv",
        release="results/trials/{corpus}/{trials}.release.tsv",
        enrolments="results/trials/{corpus}/{trials}.enrolments.tsv",
        backend=backend_model,
    output:
        scores=scores("op", "pp", "rr"),
        pairs=[],
        templates=[],
    log:
        "results/logs/score_system/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/score_system/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=ONCE,
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("score_system"),
        enrolment=embedding_arguments("enrolment"),
        trial=embedding_arguments("trial"),
        backend=backend_argument,
    shell:
        "python -P -m voiceprivacy.jobs.score_system"
        " --enrolment {params.enrolment:q}"
        " --trial {params.trial:q}"
        " --enrolment-manifest {input.enrolment_manifest:q}"
        " --trial-manifest {input.trial_manifest:q}"
        " --trials {input.trials:q}"
        " --release {input.release:q}"
        " --enrolments {input.enrolments:q}"
        " --backend {params.backend:q}"
        " --scores {output.scores:q}"
        " --pairs {output.pairs:q}"
        " --templates {output.templates:q}"
        " > {log:q} 2>&1"


use rule score_system as score_repeated_system with:
    output:
        scores=scores("op", "pp", "p0p1", "rr"),
        pairs=[],
        templates=[],
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


# Of a second run, only the conditions that C_ECE is measured on.
use rule score_system as score_second_run with:
    output:
        scores=scores(*config["report"]["cece"]),
        pairs=[],
        templates=[],
    wildcard_constraints:
        trials=TRIAL_LISTS,
        anonymiser=SECOND_RUNS,


# The matrices of the original speech are kept, so that one job scores all of it. If they were
# removed after use, a change of one anonymiser would score them again, and then all others.
use rule score_system as score_original with:
    output:
        scores=scores("oo", "rr"),
        pairs=kept_matrices("pairs", "oo"),
        templates=kept_matrices("templates", "oo"),
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser="original",


# Corpora of which every utterance is tried against every other have no templates.
use rule score_system as score_original_in_pairs with:
    output:
        scores=scores("oo", "rr"),
        pairs=kept_matrices("pairs", "oo"),
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
        pairs=matrices("pairs", "op", "pp"),
        templates=matrices("templates", "op", "pp"),
    log:
        "results/logs/score_matrices/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.log",
    benchmark:
        "results/benchmarks/score_matrices/{corpus}/{trials}/{anonymiser}/{extractor}/{backend}.tsv"
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=ONCE,


use rule score_matrices as score_matrices_of_repeated with:
    output:
        scores=[],
        pairs=matrices("pairs", "op", "pp"),
        templates=matrices("templates", "op", "pp", "p0p1"),
    wildcard_constraints:
        corpus=WITH_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=TWICE,


use rule score_matrices as score_matrices_of_pairs with:
    output:
        scores=[],
        pairs=matrices("pairs", "op", "pp"),
        templates=[],
    wildcard_constraints:
        corpus=WITHOUT_GALLERY,
        trials=TRIAL_LISTS,
        anonymiser=one_of(plan.speech.anonymisers),


def one_embedding(part):
    """Input function: embeddings of a part as one condition compares them."""

    def file(wildcards):
        enrolment, trial = plan.speech.of_condition(wildcards.condition, wildcards.anonymiser)
        system = enrolment if part == "enrolment" else trial
        return f"results/embeddings/{wildcards.corpus}/{part}/{system}/{wildcards.extractor}.npz"

    return file


def protected_sides(wildcards):
    """The sides of a condition that are protected speech, where the back-end asks for them."""
    if backend_entry(wildcards)["type"] != "procrustes":
        return []
    sides = zip(("enrolment", "trial"), CONDITIONS[wildcards.condition])
    return ["--protected", *(side for side, speech in sides if speech != "original")]


rule score_samples:
    """Score the tests of a sampled gallery against its templates (for ranks)."""
    input:
        enrolment=one_embedding("enrolment"),
        trial=one_embedding("trial"),
        samples="results/samples/{corpus}/{trials}.tsv",
        backend=backend_model,
    output:
        matrix=matrices("templates", "{condition}"),
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
        backend=backend_argument,
        protected=protected_sides,
    shell:
        "python -P -m voiceprivacy.jobs.score_samples"
        " --enrolment {input.enrolment:q}"
        " --trial {input.trial:q}"
        " {params.protected:q}"
        " --samples {input.samples:q}"
        " --backend {params.backend:q}"
        " --matrix {output.matrix:q}"
        " > {log:q} 2>&1"


def given_file(wildcards):
    return plan.given.file(given_attack(wildcards), wildcards.anonymiser, wildcards.condition)


def given_sources(wildcards):
    """Fingerprints of that file, and of the key and the speakers of the attack."""
    scored = "{0.corpus}/{0.trials}/{0.anonymiser}/{0.condition}".format(wildcards)
    attack = ("attacks", wildcards.extractor)
    return plan.sources.file(*attack, scored) + plan.sources.file(*attack)


def given_key(wildcards):
    """The key of a score file in Kaldi's format."""
    key = plan.config["attacks"][wildcards.extractor].get("key")
    if key is None:
        return []
    return key.replace("{corpus}", wildcards.corpus).replace("{trials}", wildcards.trials)


def given_list(wildcards):
    """The list of ours that scores must be of; those within a release have one of their own."""
    attack = given_attack(wildcards)
    if wildcards.condition in WITHIN_RELEASE:
        return plan.given.release(attack) or []
    return plan.given.trials(attack) or []


rule take_scores:
    """Check the scores of somebody else's attack and take them over."""
    input:
        files=given_sources,
        trials=given_list,
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
        given=given_file,
        trials=lambda wildcards: option("--trials", given_key(wildcards) or given_list(wildcards)),
    shell:
        "python -P -m voiceprivacy.jobs.take_scores"
        " --given {params.given:q}"
        " {params.trials:q}"
        " --scores {output.scores:q}"
        " > {log:q} 2>&1"
