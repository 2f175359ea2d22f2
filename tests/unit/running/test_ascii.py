"""Commands where the locale knows ASCII only, as in cron and in many containers."""

import os

from support.calls import call

ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
SCORES = "enrolment\ttrial\tlabel\tscore\na\tb\ttarget\t1\na\tc\tnontarget\t0\n"


def ascii_call(script, *words, **options):
    return call(script, *words, env=os.environ | ASCII, **options)


def test_names_that_ascii_has_not_are_shown_in_escapes(tmp_path):
    path = tmp_path / "zoé.tsv"
    path.write_text(SCORES)
    done = ascii_call(
        "assess_verification",
        "--scores",
        path,
        "--label",
        "Zoé 日本",
        "--metrics",
        "out.json",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "Zo\\xe9 \\u65e5\\u672c" in done.stdout
    assert done.stdout.isascii() and "Traceback" not in done.stderr


def test_a_mistake_is_told_in_ascii(tmp_path):
    done = ascii_call(
        "assess_verification", "--scores", "zoé.tsv", "--metrics", "out.json", cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr == "error: zo\\xe9.tsv: not found\n"
