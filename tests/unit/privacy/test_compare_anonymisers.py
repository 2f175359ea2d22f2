"""The command that compares anonymisers: one list or the mean of several, and an error that says
what to do.
"""

from support.calls import call, succeeds
from support.systems import write_two_lists


def words(folder, *trials):
    files = write_two_lists(folder)
    paths = [path for of in trials for path in files[of]]
    written = ["--comparisons", folder / "pairs.tsv", "--systems", folder / "systems.tsv"]
    return ["--intervals", *paths, "--folder", folder, *written]


def test_the_command_compares_one_list_or_the_mean_of_lists(tmp_path):
    said = succeeds("compare_anonymisers", *words(tmp_path, "f", "m"))
    header, *lines = [
        line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()
    ]
    [pair] = [dict(zip(header, line, strict=True)) for line in lines]
    assert (pair["condition"], pair["anonymiser_a"], pair["anonymiser_b"]) == ("pp", "b1", "b2")
    assert (pair["value_a"], pair["difference"], pair["verdict"]) == ("17.0", "2.0", "A is better")
    rows = [line.split("\t") for line in (tmp_path / "systems.tsv").read_text().splitlines()[1:]]
    assert len(rows) == 6 and ["oo", "eer_percent", "original", "10.0"] in [row[:4] for row in rows]
    assert "A is better" in said
    succeeds("compare_anonymisers", *words(tmp_path, "f"))
    assert "\t12.0\t10.0\t2.0\t" in (tmp_path / "pairs.tsv").read_text()


def test_weights_of_other_lists_are_refused(tmp_path):
    done = call(
        "compare_anonymisers", *words(tmp_path, "f", "m"), "--weights", "libri/f=1", "vctk/m=1"
    )
    assert done.returncode == 2 and "without weight: libri/m, vctk/m" in done.stderr
