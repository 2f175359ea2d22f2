"""The leaderboard: which attack counts, what stands apart, and that published tables rebuild."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest
import yaml
from support import repositories
from support.calls import call, succeeds
from support.exchange import PROTOCOL, write_repository, write_result
from support.repositories import attacker, repository, result, system, word_errors

from voiceprivacy.inout.files import SCRIPTS, BadInput
from voiceprivacy.inout.tables import read_table
from voiceprivacy.organise.records import NotReported, Number, read_repository
from voiceprivacy.organise.seeding import ON_PROTECTED, PUBLISHED_NAMES, publication_of
from voiceprivacy.organise.site import measures, reference, write_site
from voiceprivacy.organise.standings import boards, changes, order_of_revisions
from voiceprivacy.report.published import NUMBERS, NUMBERS_COLUMNS, UTILITY, UTILITY_COLUMNS
from voiceprivacy.vocabulary import DASH


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeded") / "board"
    succeeds("build_leaderboard", "--new", folder)
    return folder


def one_board(tmp_path, *results, **described):
    """The only board of some results."""
    (board,) = boards(repository(tmp_path, results, **described))
    return board


def files_in(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# The published tables.


def published_in(results):
    """The rows of numbers.tsv and of utility.tsv, as a repository has them."""
    numbers, utility = [], set()
    for one in results:
        system = PUBLISHED_NAMES[one.system]
        trained_on = "protected" if one.attacker.endswith(ON_PROTECTED) else "original"
        for condition, metrics in one.conditions.items():
            for metric, (value, *_) in metrics.items():
                if value is not None:
                    key = (one.protocol, system, condition, metric)
                    numbers.append((*key, value, trained_on, one.source))
        for line in one.utility:
            key = (line.data, system, line.metric, line.definition)
            utility.add((*key, line.value, publication_of(one.source).utility_source))
    return sorted(numbers), sorted(utility)


def test_the_published_tables_rebuild_exactly_from_the_seeded_repository(seeded):
    results = [one for one in read_repository(seeded).results if one.source]
    tables = (NUMBERS, NUMBERS_COLUMNS, 1600), (UTILITY, UTILITY_COLUMNS, 100)
    for rows, (path, columns, least) in zip(published_in(results), tables, strict=True):
        published = read_table(path, columns)
        assert len(published) > least
        assert rows == sorted(
            tuple((row | {"value": float(row["value"])}).values()) for row in published
        )


def test_a_new_repository_is_the_same_each_time_and_takes_the_place_of_nothing(seeded, tmp_path):
    succeeds("build_leaderboard", "--new", tmp_path / "again")
    names = {path.relative_to(seeded): content for path, content in files_in(seeded).items()}
    again = files_in(tmp_path / "again")
    assert {path.relative_to(tmp_path / "again"): text for path, text in again.items()} == names
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    refused = call("build_leaderboard", "--new", tmp_path / "mine")
    assert refused.returncode == 2 and "thesis.txt" in refused.stderr


def test_published_numbers_stand_apart_and_only_our_own_are_headlines(seeded):
    own = {"libri_test_other_excerpt_f", "libri_test_other_excerpt_m"}
    counted = {board.protocol: board.counted for board in boards(read_repository(seeded))}
    assert {protocol for protocol, standings in counted.items() if standings} == own
    for protocol in own:
        standings = counted[protocol]
        assert {standing.system for standing in standings} == {"b2", "b2r"}
        assert {standing.headline.tier for standing in standings} == {"B"}
        assert not any(standing.claimed for standing in standings)


@pytest.mark.nightly
def test_every_number_of_ours_in_a_new_repository_is_computed_again(seeded):
    said = succeeds("check_result", seeded)
    assert "no findings" in said


# What counts.


def test_the_strongest_attack_at_tier_b_is_the_headline_and_tier_a_stands_apart(tmp_path):
    board = one_board(
        tmp_path,
        result(attacker="weak", eer=30.0),
        result(attacker="strong", eer=12.0, laboratory="Lab B"),
        result(attacker="claimed", eer=1.0, tier="A"),
    )
    (standing,) = board.counted
    assert standing.headline.attacker == "strong@1" and standing.headline.number.value == 12.0
    assert standing.claimed.attacker == "claimed@1"
    assert board.apart == ()


def test_an_error_rate_above_fifty_is_folded_with_its_limits(tmp_path):
    board = one_board(tmp_path, result(eer=Number(90.0, 45.0, 95.0)))
    assert board.counted[0].headline.number == Number(10.0, 5.0, 50.0)


def test_unprotected_speech_is_no_attack(tmp_path):
    board = one_board(tmp_path, result(conditions={"oo": {"eer_percent": Number(1.0)}}))
    assert board.counted == () and board.apart[0].unattacked[0].number.value == 1.0


def test_an_attacker_that_a_run_refuses_does_not_count(tmp_path):
    refused = result(eer=1.0, controls={"refused": "its own speech is not found again"})
    board = one_board(tmp_path, refused, result(attacker="other", eer=20.0))
    assert board.counted[0].headline.attacker == "other@1"


LEARNT = attacker(training_data=("librispeech TEST-clean", "VoxCeleb 1"))
NOTHING = {"pp": {"eer_percent": Number(None, not_reported="no trials")}}
FORBIDDEN = system(code=NotReported("the firm <b>forbids</b> it"))


@pytest.mark.parametrize(
    ("one", "records", "page", "said"),
    [
        ({"controls": {"refused": "x&y"}}, {}, "systems/x", "not counted: x&amp;y"),
        (
            *({}, {"attackers": [LEARNT]}, "index"),
            "learnt from data of this protocol: LibriSpeech test-clean",
        ),
        ({"conditions": NOTHING}, {}, "index", "not reported, because no trials"),
        (
            *({}, {"systems": [FORBIDDEN]}, "systems/x"),
            "because the firm &lt;b&gt;forbids&lt;/b&gt; it",
        ),
    ],
)
def test_what_a_reader_must_know_stands_on_the_page(tmp_path, one, records, page, said):
    write_site(repository(tmp_path, [result(**one)], **records), tmp_path / "site")
    assert said in (tmp_path / "site" / f"{page}.html").read_text()


def test_the_newest_revision_stands_on_the_board(tmp_path):
    results = [result(revision=revision, eer=eer) for revision, eer in (("2", 9.0), ("10", 30.0))]
    board = one_board(tmp_path, *results)
    assert board.counted[0].revision == "10" and len(board.all) == 2
    assert sorted(["1.10", "1.9", "1.9-b"], key=order_of_revisions) == ["1.9", "1.9-b", "1.10"]


def test_a_result_of_an_unknown_system_is_refused_with_its_file(tmp_path):
    known = repository(tmp_path, [result()])
    with pytest.raises(BadInput, match=r"x/1/libri/ecapa@1\.json: there is no record of systems/x"):
        boards(known._replace(systems={}))


@pytest.mark.parametrize("told", ['"><script>alert(1)</script>', "' onload='x' <script>", "&lt;"])
def test_a_drawing_escapes_what_others_call_their_systems(told, tmp_path):
    author = system(title=told)
    results = [result(laboratory=told)]
    write_site(repository(tmp_path, results, systems=[author], listed=[told]), tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text()
    (drawing,) = re.findall("<svg.+</svg>", page, re.DOTALL)
    assert "<script" not in page.partition("</head>")[2] and "style=" not in drawing
    root = ElementTree.fromstring(drawing)
    assert set(root.attrib) == {"viewBox", "role", "aria-label"}
    (mark,) = root.iterfind(".//g[@class='counts strongest']")
    said = f"{told}: EER 20.0 [18.0, 22.0] %, PP by ecapa@1, tier B, {told}"
    assert mark.find("title").text == said


def test_a_comment_compares_a_contribution_with_the_baseline_and_with_what_was_there(tmp_path):
    evil = "| [evil](http://x)"
    old = [result(eer=30.0), result("b2", eer=7.0, tier="A"), result("z", eer=8.0)]
    new = [result(revision="2", eer=35.0, laboratory=evil), result("y", eer=9.0)]
    listed = ("Lab A", evil)
    base = repository(tmp_path, old, listed=listed)
    proposed = repository(tmp_path, [*old[:2], *new], listed=listed)
    b2 = "7.0 [5.0, 9.0] (pp by `ecapa@1`), unprotected 2.5, tier A, not counted, `1`"
    counted = "(pp by `ecapa@1`), unprotected 2.5, tier B"
    said = changes(base, proposed)
    assert said[:2] == [
        "Results: 2 new, 0 changed, 1 removed. EER in %, of the strongest trusted attack:",
        "* removed: `results/z/1/libri/ecapa@1.json`",
    ]
    assert said[5:] == [
        f"| x | libri | 35.0 [33.0, 37.0] {counted}, `2` |"
        f" 30.0 [28.0, 32.0] {counted}, `1` | {b2} |",
        f"| y | libri | 9.0 [7.0, 11.0] {counted}, `1` | {DASH} | {b2} |",
        f"| z | libri | {DASH} | 8.0 [6.0, 10.0] {counted}, `1` | {b2} |",
    ]
    assert changes(base, base) == ["No result is new, changed or removed."]


def test_a_headline_is_of_a_laboratory_that_the_owner_lists(tmp_path):
    results = [
        result(attacker="invented", eer=1.0, laboratory="Lab Z"),
        result(attacker="ours", eer=20.0),
    ]
    board = one_board(tmp_path, *results)
    assert board.counted[0].headline.attacker == "ours@1"
    write_site(repository(tmp_path, results), tmp_path / "site")
    page = (tmp_path / "site" / "systems" / "x.html").read_text()
    assert "not counted: the owner of this board does not list the laboratory" in page
    assert page.count("unprotected speech on this list:") == 2 and ">2.5</span>" in page
    front = (tmp_path / "site" / "index.html").read_text()
    assert "That is arithmetic: nobody here has heard the speech" in front


def test_a_site_is_made_of_what_was_checked_or_not_at_all(tmp_path):
    write_repository(tmp_path / "board")
    succeeds("build_leaderboard", tmp_path / "board", "--output", tmp_path / "site")
    forge(tmp_path / "board")
    refused = call("build_leaderboard", tmp_path / "board", "--output", tmp_path / "other")
    assert refused.returncode == 2 and "from the scores" in refused.stdout
    assert not (tmp_path / "other").exists()


def test_the_jobs_of_the_template_run_nothing_of_a_contributor(seeded):
    (path,) = (seeded / ".github" / "workflows").glob("contribution.yml")
    jobs = yaml.safe_load(path.read_text())["jobs"]
    assert jobs["check"]["permissions"] == {"contents": "read"}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    assert "secrets." not in path.read_text()
    # Whoever may write sees no file of the contribution, and its text comes by the environment.
    assert [step.get("uses") for step in jobs["comment"]["steps"]] == [None]
    for job in jobs.values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False
            assert re.search(r"@[0-9a-f]{40}$", step.get("uses", "@" + "0" * 40))


@pytest.fixture
def contribute(seeded, tmp_path):
    """What the commands of the job ``check`` say of a change; as on its host, each in a bash -e."""
    (tmp_path / "program").mkdir()
    program = tmp_path / "program" / "voiceprivacy"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {SCRIPTS / "main.py"} "$@"\n')
    program.chmod(0o755)
    base, proposed = tmp_path / "base", tmp_path / "proposed"
    write_repository(base)
    text = (seeded / ".github" / "workflows" / "contribution.yml").read_text()
    commands = [step.get("run", "") for step in yaml.safe_load(text)["jobs"]["check"]["steps"]]
    environment = os.environ | {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }

    def contribute(change):
        shutil.copytree(base, proposed)
        git(proposed, "init", "--quiet")
        commit(proposed)
        change(proposed)
        commit(proposed)
        said = ""
        for command in commands:
            if command and not command.startswith("pip install"):
                done = subprocess.run(
                    ["bash", "-e", "-c", command],
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                )
                said += done.stdout
                if done.returncode:
                    return done.returncode, said
        return 0, said + (tmp_path / "output").read_text()

    return contribute


def git(folder, *words):
    known = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *known, *words], cwd=folder, check=True)


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "x")


def add(folder):
    write_result(folder, "y", "two", laboratory="Laboratory C", strength=1.5)


def forge(folder):
    """A number of an old result that its scores do not give."""
    path = folder / "results" / "x" / "2026" / "libri_f" / "one@1.json"
    record = json.loads(path.read_text())
    record["conditions"]["op"]["cllr_min_bit"]["value"] += 1e-6
    path.write_text(json.dumps(record))


def test_the_commands_of_the_template_accept_a_contribution_and_say_what_changes(contribute):
    status, said = contribute(add)
    assert status == 0
    # What the second job takes: a name, and the comment up to a mark that nobody can guess.
    comment = re.search(
        r"^comment<<(end-[0-9a-f]{32})\n(.+)\n\1\n$", said, re.MULTILINE | re.DOTALL
    )
    assert "Results: 1 new, 0 changed, 0 removed" in comment[2]
    assert "op by `one@1`" in comment[2]


def forge_beside_an_option(folder):
    forge(folder)
    (folder / "-h").write_text("")


def move_lists(folder):
    (folder / "protocols" / f"{PROTOCOL}.trials.gz").rename(folder / "lists.gz")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (forge, ["cllr_min_bit", "from the scores"]),
        (forge_beside_an_option, ["cllr_min_bit", "from the scores"]),
        (move_lists, ["cannot be checked without protocols"]),
    ],
)
def test_the_commands_of_the_template_refuse_what_is_forged_or_gone(contribute, change, words):
    status, said = contribute(change)
    assert status and all(word in said for word in words), said


def test_the_check_of_the_template_finds_nothing_in_a_new_repository(seeded):
    result = "results/b2/1/libri_test_trials_f/kaldi_xvector_plda@2020.json"
    said = succeeds("check_result", seeded, "--changed", result)
    assert "no findings" in said


# The site.


def test_the_site_says_who_measured_what_and_links_only_to_what_is_there(tmp_path):
    results = [
        result(eer=20.0, utility=(word_errors(4.0),)),
        result(attacker="wavlm", eer=11.0, laboratory="Lab B & <sons>"),
        result("y", eer=30.0, tier="A"),
    ]
    site = tmp_path / "site"
    laboratories = [one.laboratory for one in results]
    write_site(repository(tmp_path, results, listed=laboratories), site)
    page = (site / "index.html").read_text()
    assert "measured by Lab B &amp; &lt;sons&gt;" in page and "[9.0, 13.0]" in page
    for path in site.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#]+)"', path.read_text()):
            if not link.startswith(("https:", "data:")):
                assert (path.parent / link).is_file(), (path, link)
    with open(site / "board.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["system"], row["counted"], row["eer_percent"]) for row in rows] == [
        ("x", "yes", "11.0"),
        ("y", "no", "30.0"),
    ]


def test_main_measures_come_first(tmp_path):
    def measured(metric, value):
        return word_errors(value)._replace(metric=metric)

    names = ["closed_text_insertions_percent", "voice_consistency", "pitch_correlation"]
    utility = tuple(measured(name, 0.5) for name in (*names, "closed_text_wer_percent"))
    shown = measures(one_board(tmp_path, result(utility=utility)).newest)
    metrics = [measure.metric for measure in shown]
    assert metrics[:2] == ["closed_text_wer_percent", "pitch_correlation"]
    assert shown[1].title == "pitch correlation"
    assert len(metrics) == 4


def test_a_reference_is_no_program_of_tex():
    written = reference(system(title=r"50 % of \input{x} & _y_"))
    assert r"title = {{50 \% of  input\{x\} \& \_y\_}}" in written
    assert r"\url{https://example.org/paper?id=1}" in written


def test_a_site_of_a_hundred_systems_is_made_in_a_minute_and_is_below_5_mb(tmp_path):
    results = repositories.many(tmp_path, 100)
    start = time.process_time()
    write_site(results, tmp_path / "site")
    assert time.process_time() - start < 60
    assert sum(map(len, files_in(tmp_path / "site").values())) < 5e6
