"""The profile for clusters: every rule of which a run has many jobs travels in a group."""

import re
from pathlib import Path

import yaml

WORKFLOW = Path("workflow")
ALONE = {  # one job of a whole run or of an attacker, or one that takes hours
    *("assess_inference", "collect_metrics", "describe_corpora", "embed_audio", "paper"),
    "plant_leak",
    *("plot_all_matrices", "plot_all_profiles", "plot_features", "plot_rank_features"),
    *("train_backend", "train_extractor", "train_units", "write_report", "write_verdict"),
}


def rule_files():
    """The text of all rule files, with the paths that stand in constants filled in."""
    text = "\n".join(path.read_text() for path in sorted((WORKFLOW / "rules").glob("*.smk")))
    for name, path in re.findall(r'^([A-Z_]+) = f?"(.*)"$', text, flags=re.MULTILINE):
        text = text.replace(f"{{{name}}}", path)
    return text


def rules():
    """{rule: its text} of all rule files; a variant of a rule has the text of that rule, too."""
    texts = {}
    for block in re.split(r"^ *(?:use )?rule ", rule_files(), flags=re.MULTILINE)[1:]:
        base, name = re.match(r"(?:(\w+) as )?(\w+)", block).groups()
        texts[name] = block + texts.get(base, "")
    return texts


def test_every_rule_runs_here_or_alone_or_in_a_group_that_is_named_after_its_wildcards():
    profile = yaml.safe_load((WORKFLOW / "profiles" / "slurm" / "config.yaml").read_text())
    groups, texts = profile["groups"], rules()
    local = {name for name, block in texts.items() if "localrule: True" in block}
    for names in re.findall(r"^localrules:\n((?:    \w+,\n)+)", rule_files(), flags=re.MULTILINE):
        local.update(re.findall(r"\w+", names))
    assert groups.keys() | ALONE | local == texts.keys()
    assert not ALONE & (groups.keys() | local)
    wildcards = {rule: re.findall(r"{\w+}", group) for rule, group in groups.items()}
    assert any(wildcards.values())
    for rule, names in wildcards.items():
        assert [name for name in names if name not in texts[rule]] == [], rule
    assert profile["group-components"].keys() <= {*groups.values()}
