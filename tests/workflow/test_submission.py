"""A finished run's submission passes the check against the config that it was made with."""

import pytest
from support.calls import call
from support.runs import snakemake, write_config

pytestmark = pytest.mark.nightly


def test_what_is_exported_passes_the_check(run_folder):
    head = "def anonymise(samples, sample_rate, *, utterance, speaker, seed):"
    function = f"{head}\n    return samples[::-1]\n"
    (run_folder / "mine.py").write_text(function)
    config = write_config(
        run_folder, anonymisers={"mine": {"function": "mine.py:anonymise"}}, report={"bootstrap": 0}
    )
    finished = snakemake(
        run_folder,
        "results/metrics.tsv",
        "results/provenance.json",
        "--cores",
        "2",
        "--configfile",
        config,
    )
    assert finished.returncode == 0, finished.stderr

    def tool(name, *arguments):
        return call(name, *arguments, cwd=run_folder)

    refused = tool("export_submission", "--anonymiser", "mine", "--audio")
    assert refused.returncode == 2 and "--public-seed" in refused.stderr
    exported = tool("export_submission", "--anonymiser", "mine", "--audio", "--public-seed")
    assert exported.returncode == 0, exported.stderr
    assert "1 set, 3 score files, 25 utterances of protected speech" in exported.stdout
    first = (run_folder / "submission.zip").read_bytes()
    tool("export_submission", "--anonymiser", "mine", "--audio", "--public-seed")
    assert (run_folder / "submission.zip").read_bytes() == first
    for lists in ([], ["--results", "results"]):
        checked = tool("check_submission", "submission.zip", "--config", config, *lists)
        assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout
    unknown = tool("export_submission", "--anonymiser", "theirs")
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "error: --anonymiser theirs: results has mine\n",
    )
