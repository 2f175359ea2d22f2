"""Input functions and parameters of the rules of report.smk only."""


def scores_of_all_systems(wildcards):
    attack = Attack(wildcards.corpus, wildcards.trials, wildcards.extractor, wildcards.backend)
    systems = plan.attackers.systems(wildcards.extractor, wildcards.backend)
    return [
        f"results/scores/{attack.path(system)}/{condition}.tsv"
        for system in systems
        for condition in plan.speech.conditions(system)
    ]


def labels_of_all_systems(wildcards):
    systems = plan.attackers.systems(wildcards.extractor, wildcards.backend)
    return [
        f"{system}/{condition}"
        for system in systems
        for condition in plan.speech.conditions(system)
    ]


def colour(wildcards):
    """An anonymiser's colour, the only thing of the others that a picture of one needs."""
    return colours.palette([*config["anonymisers"], wildcards.anonymiser])[wildcards.anonymiser]


def protected_systems(wildcards):
    return [system for system in systems(wildcards) if system != "original"]


def of_all_sets(family, kind):
    """Input function: curves of all systems (or anonymisers only) on all trial lists, those of a system together."""
    of = {"systems": systems, "anonymisers": protected_systems}[kind]

    def files(wildcards):
        attacker = f"{wildcards.extractor}/{wildcards.backend}"
        return [
            f"results/curves/{family}/{corpus}/{trials}/{system}/{attacker}.tsv"
            for system in of(wildcards)
            for corpus, trials in plan.speech.all_trial_lists()
        ]

    return files


def all_sets(wildcards):
    return [f"{corpus} {trials}" for corpus, trials in plan.speech.all_trial_lists()]


def all_trial_manifests(wildcards):
    return [
        f"results/audio/{corpus}/trial/original/manifest.tsv"
        for corpus, _ in plan.speech.all_trial_lists()
    ]


def trial_features(wildcards):
    """Features of the trial part of all systems."""
    folder = f"results/embeddings/{wildcards.corpus}/trial"
    return [
        f"{folder}/{system}/{wildcards.extractor}.npz"
        for system in ["original", *plan.speech.anonymisers]
    ]


def feature_of(wildcards):
    return plan.attackers.feature(wildcards.extractor)


def all_layouts(wildcards):
    return [f"results/paper/{layout}.svg" for layout in plan.outputs.layouts()]


def all_papers(wildcards):
    pictures, tables = plan.outputs.papers()
    files = [
        f"{picture}.{ending}" for picture in pictures for ending in ("pdf", "png", "svg", "tex")
    ]
    return files + [f"{table}.{ending}" for table in tables for ending in ("md", "tsv", "tex")]


def of_all_systems(kind, family, ending):
    """Input function: one file of a family for each system under the wildcards' attack."""

    def files(wildcards):
        before, after = "{0.corpus}/{0.trials}".format(
            wildcards
        ), "{0.extractor}/{0.backend}".format(wildcards)
        return [
            f"results/{kind}/{family}/{before}/{system}/{after}.{ending}"
            for system in systems(wildcards)
        ]

    return files


def all_metrics(wildcards):
    return plan.outputs.metrics() + plan.given.metrics()


def all_utility(wildcards):
    return plan.utility.tables()


def expected(wildcards):
    return ours(config["expected"])


def expected_comparison(wildcards):
    return "results/report/tables/expected.tsv" if "expected" in config else []


def expected_argument(wildcards):
    return ["--expected", expected_comparison(wildcards)] if "expected" in config else []


def all_manifests(wildcards):
    return plan.speech.manifests()


def all_trials(wildcards):
    return plan.speech.trials()


def all_checks(wildcards):
    return plan.speech.checks()


def described_corpora(wildcards):
    """The two tables that describe_corpora makes of a run with a corpus."""
    tables = [f"results/report/tables/{name}.tsv" for name in ("speech", "trials")]
    return tables if plan.speech.manifests() else []


def corpora_arguments(wildcards):
    """Arguments that hand write_report what is known of the corpora."""
    if not plan.speech.manifests():
        return []
    speech, lists = described_corpora(wildcards)
    return ["--speech", speech, "--lists", lists, "--checks", *plan.speech.checks()]


def all_figures(wildcards):
    return plan.outputs.figures()


def used_files(wildcards):
    return plan.outputs.used_files()


def for_papers(path):
    """Outputs of a picture besides the svg that the page shows."""
    return {ending: f"results/report/figures/{path}.{ending}" for ending in ("pdf", "png")}


def folder_of_tables(wildcards, output):
    return Path(output.tsv).parent


def config_as_used(wildcards):
    return json.dumps(config)


def all_intervals(wildcards):
    return plan.outputs.intervals() + plan.given.intervals()


def all_comparisons(wildcards):
    return plan.outputs.comparisons()


def parts_of_page(wildcards):
    """Captions, style and sections that the template of the page includes."""
    return sorted(
        str(path) for path in PAGE.rglob("*") if path.is_file() and path.name != "index.html.j2"
    )
