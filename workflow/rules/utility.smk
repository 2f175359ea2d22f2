"""What protected speech is still good for: pitch correlation, and measures of one's own."""


rule measure_pitch:
    """Correlation of the pitch of original and protected speech, utterance by utterance."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        script=SCRIPTS / "measure_pitch.py",
    output:
        measures=f"results/utility/{{corpus}}/{{part}}/{{anonymiser}}/{PITCH}.tsv",
    log:
        "results/logs/measure_pitch/{corpus}/{part}/{anonymiser}.log",
    benchmark:
        "results/benchmarks/measure_pitch/{corpus}/{part}/{anonymiser}.tsv"
    conda:
        "../../envs/speechbrain.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        code=code("measure_pitch"),
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --original {input.original:q}"
        " --output {output.measures:q}"
        " > {log:q} 2>&1"


rule measure_utility:
    """A measure of the config on one anonymiser, or on the original speech itself; what it writes is checked."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        original="results/audio/{corpus}/{part}/original/manifest.tsv",
        files=measure_files,
        script=SCRIPTS / "measure_utility.py",
    output:
        measures="results/utility/{corpus}/{part}/{anonymiser}/{measure}.tsv",
    log:
        "results/logs/measure_utility/{corpus}/{part}/{anonymiser}/{measure}.log",
    benchmark:
        "results/benchmarks/measure_utility/{corpus}/{part}/{anonymiser}/{measure}.tsv"
    wildcard_constraints:
        measure=one_of(config["utility"]),
    conda:
        measure_environment
    threads: 4
    resources:
        mem_mb=8000,
        runtime=measure_job_runtime,
        measure_runtime=measure_field("runtime"),
        gpu=measure_field("gpu"),
    params:
        code=code("measure_utility"),
        command=measure_command,
        sandbox=measure_sandbox,
    shell:
        "python {input.script:q}"
        " --command {params.command:q}"
        " --manifest {input.manifest:q}"
        " --original {input.original:q}"
        " --threads {threads}"
        " --runtime {resources.measure_runtime:q}"
        " {params.sandbox:q}"
        " --output {output.measures:q}"
        " > {log:q} 2>&1"


rule assess_utility:
    """Means of all measures of a corpus by anonymiser and trial list, with intervals."""
    input:
        measures=measures,
        manifest="results/audio/{corpus}/trial/original/manifest.tsv",
        trials=trial_lists,
        script=SCRIPTS / "assess_utility.py",
    output:
        metrics="results/metrics/utility/{corpus}.tsv",
    log:
        "results/logs/assess_utility/{corpus}.log",
    benchmark:
        "results/benchmarks/assess_utility/{corpus}.tsv"
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("assess_utility"),
        options=measure_options,
        bootstrap=plan.n_replicates,
        seed=config["report"]["seed"],
    shell:
        "python {input.script:q}"
        " --measures {input.measures:q}"
        " --manifest {input.manifest:q}"
        " --trials {input.trials:q}"
        " --options {params.options:q}"
        " --bootstrap {params.bootstrap:q}"
        " --seed {params.seed:q}"
        " --metrics {output.metrics:q}"
        " > {log:q} 2>&1"
