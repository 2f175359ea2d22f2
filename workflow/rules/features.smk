"""Attackers without a network: histograms of pitch, of vector-quantised frames and of linguistic style."""


rule extract_f0:
    """Histogram of the fundamental frequency of every utterance."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        script=SCRIPTS / "extract_f0.py",
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_f0/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_f0/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=features("f0"),
    conda:
        "../../envs/speechbrain.yaml"
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        code=code("extract_f0"),
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"


rule extract_units:
    """Histogram of vector-quantised frames of every utterance."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        codebook="results/models/{extractor}/codebook.npz",
        encoder=encoder_files,
        script=SCRIPTS / "extract_units.py",
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_units/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_units/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=features("units"),
    conda:
        "../../envs/speechbrain.yaml"
    resources:
        mem_mb=units_memory,
        runtime=units_runtime,
    params:
        code=code("extract_units"),
        encoder=encoder_argument,
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --codebook {input.codebook:q}"
        " {params.encoder:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"


rule extract_style:
    """Linguistic style of every utterance, from its transcript, which protection leaves as it is."""
    input:
        manifest="results/audio/{corpus}/{part}/{anonymiser}/manifest.tsv",
        transcripts="results/audio/{corpus}/{part}/original/transcripts.tsv",
        dictionary=dictionary,
        script=SCRIPTS / "extract_style.py",
    output:
        embeddings="results/embeddings/{corpus}/{part}/{anonymiser}/{extractor}.npz",
    log:
        "results/logs/extract_style/{corpus}/{part}/{anonymiser}/{extractor}.log",
    benchmark:
        "results/benchmarks/extract_style/{corpus}/{part}/{anonymiser}/{extractor}.tsv"
    wildcard_constraints:
        extractor=features("style"),
    conda:
        "../../envs/evaluate.yaml"
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("extract_style"),
        dictionary=dictionary_argument,
    shell:
        "python {input.script:q}"
        " --manifest {input.manifest:q}"
        " --transcripts {input.transcripts:q}"
        " {params.dictionary:q}"
        " --embeddings {output.embeddings:q}"
        " > {log:q} 2>&1"
