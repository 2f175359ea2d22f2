"""Which files a chunk of a large run makes, and which rules the last graph does without."""

from types import SimpleNamespace

import pytest

from voiceprivacy.plan.chunks import CHUNK, Chunk, chunk_of, files, rules_of_one_system

SYSTEMS = ["original", "b2", "f", "metrics", "mine"]  # the third has the name of a trial list
OF_SYSTEMS = [
    f"results/{kind}/c/f/{system}/ecapa/cosine.{ending}"
    for system in SYSTEMS
    for kind, ending in (
        ("metrics/zebra", "json"),
        ("metrics/zebra", "intervals.json"),
        ("curves/law", "tsv"),
        ("evidence", "json"),
    )
]
TOGETHER = [
    "results/metrics/inference/ecapa.tsv",
    "results/comparisons/utility/c.tsv",
    "results/curves/effort/c/f.tsv",
    "results/verdict.json",
    "metrics.tsv",
]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_every_file_of_a_system_is_in_one_chunk_and_no_other_file_is_in_any(count):
    chunks = [
        files(Chunk(number, count), SYSTEMS, [*OF_SYSTEMS, *TOGETHER, *OF_SYSTEMS])
        for number in range(1, count + 1)
    ]
    made = [path for chunk in chunks for path in chunk]
    assert sorted(made) == sorted(OF_SYSTEMS)
    systems = [{path.split("/")[-3] for path in chunk} for chunk in chunks]
    assert sum(map(len, systems)) == len(SYSTEMS)
    assert max(map(len, systems)) - min(map(len, systems)) <= 1


def test_the_launcher_says_which_chunk_a_run_is():
    assert chunk_of({}) is None
    assert not chunk_of({CHUNK: "2/2"}).is_last
    assert chunk_of({CHUNK: "3/2"}).is_last


def test_the_last_graph_keeps_the_rules_that_are_of_several_systems():
    both, attacker = {"anonymiser", "backend", "corpus"}, {"corpus", "backend"}
    rules = [
        SimpleNamespace(name="score_system", wildcard_names=both),
        SimpleNamespace(name="fuse_system", wildcard_names=both),
        SimpleNamespace(name="assess_ranks", wildcard_names=both),
        SimpleNamespace(name="assess_atlas", wildcard_names={"anonymiser", "condition"}),
        SimpleNamespace(name="compare_anonymisers", wildcard_names=attacker),
        SimpleNamespace(name="plot_scores", wildcard_names=both),
        SimpleNamespace(name="collect_metrics", wildcard_names=set()),
    ]
    of_one = ["score_system", "fuse_system", "assess_ranks", "assess_atlas"]
    assert rules_of_one_system(rules) == of_one
