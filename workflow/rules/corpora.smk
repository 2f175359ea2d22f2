"""Speech as it is: checked, divided into parts, and the trials that will be scored."""


rule fetch_subset:
    """Download a part of a published corpus into its root, unless it lies there."""
    output:
        done="results/downloads/{corpus}/{subset}.tsv",
    log:
        "results/logs/fetch_subset/{corpus}/{subset}.log",
    priority: FIRST
    localrule: True
    conda:
        "../../envs/torch.yaml"
    params:
        code=code_alone("fetch_subset"),
        kind=ask(plan.speech.corpus_kind),
        root=ask(plan.speech.download_root),
        address=ask_option("--address", plan.speech.download_address),
    shell:
        command(
            "fetch_subset",
            output="done",
            params="kind root",
            wildcards="subset",
            options="address",
        )


rule validate_corpus:
    """Check a corpus and its trial lists before any hour is spent."""
    input:
        files=plan.sources.behind("corpora/{corpus}"),
        downloads=ask(plan.speech.downloads),
    output:
        checks="results/checks/{corpus}.tsv",
        excluded="results/checks/{corpus}.excluded.tsv",
        speakers="results/checks/{corpus}.speakers.tsv",
    log:
        "results/logs/validate_corpus/{corpus}.log",
    benchmark:
        "results/benchmarks/validate_corpus/{corpus}.tsv"
    priority: FIRST
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=corpora.code("validate_corpus"),
        source=in_json(plan.speech.source),
        protocol=in_json(plan.speech.protocol),
        sample_rate=ask(plan.speech.sample_rate),
        # Where all scores are given, no attacker of the run compares utterances.
        not_compared=[] if plan.attackers.extractors else ["--not-compared"],
    shell:
        command(
            "validate_corpus",
            output="checks excluded speakers",
            params="source protocol sample_rate",
            options="not_compared",
        )


rule compare_speakers:
    """Check training speech before any training: nobody is evaluated, and it is enough."""
    input:
        files=[file for name in plan.speech.corpora for file in plan.sources.file("corpora", name)],
        checks=plan.speech.checks(),
    output:
        checks="results/checks/training/speakers.tsv",
    log:
        "results/logs/compare_speakers.log",
    benchmark:
        "results/benchmarks/compare_speakers.tsv"
    priority: FIRST
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=corpora.code_of("compare_speakers", [*plan.speech.attacked, *plan.speech.training]),
        evaluated=in_json(plan.speech.attacked_sources),
        training=in_json(plan.speech.training_sources),
        learnt=in_json(plan.attackers.fewest_utterances),
        least=in_json(plan.attackers.least_speech),
    shell:
        command("compare_speakers", output="checks", params="evaluated training learnt least")


rule compare_sounds:
    """Check that no protected recording is somebody's original, and that no attacker learnt it."""
    input:
        manifests=ask(plan.speech.compared_manifests),
        training=plan.speech.training_manifests(),
    output:
        checks="results/checks/sounds/{corpus}.tsv",
    log:
        "results/logs/compare_sounds/{corpus}.log",
    benchmark:
        "results/benchmarks/compare_sounds/{corpus}.tsv"
    priority: EARLY
    conda:
        "../../envs/torch.yaml"
    threads: speech_threads.few
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        code=code("compare_sounds"),
    shell:
        command(
            "compare_sounds",
            also="--threads {threads}",
            input="manifests training",
            output="checks",
        )


rule prepare_part:
    """List the utterances of one part; what is not mono at the right rate is converted."""
    input:
        files=plan.sources.behind("corpora/{corpus}"),
        checks="results/checks/{corpus}.tsv",
        excluded="results/checks/{corpus}.excluded.tsv",
    output:
        manifest="results/audio/{corpus}/{part}/original/manifest.tsv",
        positions="results/audio/{corpus}/{part}/original/positions.tsv",
    log:
        "results/logs/prepare_part/{corpus}/{part}.log",
    benchmark:
        "results/benchmarks/prepare_part/{corpus}/{part}.tsv"
    wildcard_constraints:
        part="enrolment|trial",
    priority: EARLY
    conda:
        "../../envs/torch.yaml"
    threads: speech_threads.few
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        code=corpora.code("prepare_part"),
        source=in_json(plan.speech.source),
        protocol=in_json(plan.speech.protocol),
        sample_rate=ask(plan.speech.sample_rate),
        audio_dir=f"{RESULTS}/audio/{{corpus}}/{{part}}/original/wav",
    shell:
        command(
            "prepare_part",
            also="--threads {threads}",
            input="excluded",
            output="manifest",
            params="source protocol sample_rate audio_dir",
            wildcards="part",
        )


# In training, every utterance has a speaker of its own, so that anonymisers draw for each. Whoever
# trains on the protected speech joins the true speakers back.
use rule prepare_part as prepare_training_part with:
    output:
        manifest="results/audio/{corpus}/{part}/original/manifest.tsv",
        pseudo_manifest="results/audio/{corpus}/{part}/original/pseudo_manifest.tsv",
        positions="results/audio/{corpus}/{part}/original/positions.tsv",
    wildcard_constraints:
        part="train",


rule list_samples:
    """Write which observations are the tests and the templates of a sampled gallery."""
    input:
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
    output:
        samples="results/samples/{corpus}/{trials}.tsv",
        seconds="results/samples/{corpus}/{trials}.seconds.json",
    log:
        "results/logs/list_samples/{corpus}/{trials}.log",
    benchmark:
        "results/benchmarks/list_samples/{corpus}/{trials}.tsv"
    wildcard_constraints:
        trials=GALLERIES,
    priority: EARLY
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("list_samples"),
        options=in_json(plan.speech.rank_sampling),
        gallery=ask(plan.speech.gallery),
    shell:
        command(
            "list_samples",
            also="--gender {params.gallery.gender:q} --test {params.gallery.test:q}"
            " --template {params.gallery.template:q}",
            input="manifest",
            output="samples seconds",
            params="options",
        )


rule list_transcripts:
    """Write what is said in every utterance of one part."""
    input:
        files=plan.sources.behind("corpora/{corpus}", "corpora/{corpus}/transcripts"),
        manifest="results/audio/{corpus}/{part}/original/manifest.tsv",
    output:
        transcripts="results/audio/{corpus}/{part}/original/transcripts.tsv",
    log:
        "results/logs/list_transcripts/{corpus}/{part}.log",
    benchmark:
        "results/benchmarks/list_transcripts/{corpus}/{part}.tsv"
    priority: EARLY
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=corpora.code("list_transcripts"),
        source=in_json(plan.speech.transcribed),
    shell:
        command("list_transcripts", input="manifest", output="transcripts", params="source")


rule list_trials:
    """Write which models are enrolled by which utterances, and which trials are scored."""
    input:
        files=plan.sources.behind("corpora/{corpus}"),
        enrolment="results/audio/{corpus}/enrolment/original/manifest.tsv",
        trial="results/audio/{corpus}/trial/original/manifest.tsv",
    output:
        output_trials="results/trials/{corpus}/{trials}.tsv",
        output_enrolments="results/trials/{corpus}/{trials}.enrolments.tsv",
        output_speakers="results/trials/{corpus}/{trials}.speakers.tsv",
        output_release="results/trials/{corpus}/{trials}.release.tsv",
    log:
        "results/logs/list_trials/{corpus}/{trials}.log",
    benchmark:
        "results/benchmarks/list_trials/{corpus}/{trials}.tsv"
    priority: EARLY
    conda:
        "../../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=corpora.code("list_trials"),
        source=in_json(plan.speech.source),
        protocol=in_json(plan.speech.protocol),
        recording=ask_option("--recording", plan.speech.recording),
    shell:
        command(
            "list_trials",
            input="enrolment trial",
            output="output_trials output_enrolments output_speakers output_release",
            params="source protocol",
            wildcards="trials",
            options="recording",
        )
