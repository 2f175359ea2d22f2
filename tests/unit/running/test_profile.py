"""The profile for clusters: every rule of which a run has many jobs travels in a group."""

import re
from pathlib import Path

import yaml

WORKFLOW = Path("workflow")
ALONE = {  # one job of a whole run, or one that takes hours
    "collect_metrics",
    "describe_corpora",
    "embed_audio",
    "paper",
    "plot_all_matrices",
    "plot_all_profiles",
    "plot_features",
    "train_backend",
    "train_extractor",
    "train_units",
    "write_report",
}


def rules():
    """{rule: its text} of all rule files; a variant has that of the rule that it varies too."""
    text = "\n".join(path.read_text() for path in (WORKFLOW / "rules").glob("*.smk"))
    blocks = re.split(r"^(?:use )?rule ", text, flags=re.MULTILINE)[1:]
    texts = {}
    for block in blocks:
        base, name = re.match(r"(?:(\w+) as )?(\w+)", block).groups()
        texts[name] = texts.get(base, "") + block
    return texts


def profile():
    return yaml.safe_load((WORKFLOW / "profiles" / "slurm" / "config.yaml").read_text())


def test_every_rule_runs_here_or_travels_in_a_group_or_alone_for_a_reason():
    groups = profile()["groups"]
    local = {name for name, block in rules().items() if "localrule: True" in block}
    assert groups.keys() | ALONE | local == rules().keys()
    assert not ALONE & (groups.keys() | local)


def test_a_group_is_named_after_wildcards_that_its_rules_have():
    groups, texts = profile()["groups"], rules()
    wildcards = {rule: re.findall(r"{\w+}", group) for rule, group in groups.items()}
    assert any(wildcards.values())
    for rule, names in wildcards.items():
        assert [name for name in names if name not in texts[rule]] == [], rule


def test_only_groups_that_there_are_are_joined():
    assert profile()["group-components"].keys() <= set(profile()["groups"].values())
