"""The leaderboard: which attack counts, what stands apart, and that published tables rebuild."""

import itertools
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
from support import runs
from support.calls import here, succeeds
from support.exchange import PROTOCOL, write_repository, write_result
from support.repositories import attacker, repository, result, system, word_errors

from voiceprivacy.catalogue import COLUMNS, EERS, METRICS
from voiceprivacy.catalogue.shown import SHORT_EXPLAINED
from voiceprivacy.inout.tables import read_table
from voiceprivacy.organise.records import Number, read_repository, referred
from voiceprivacy.organise.site import cell, write_site
from voiceprivacy.organise.standings import boards, order_of_revisions
from voiceprivacy.report.published import (
    COUNTS,
    NUMBERS,
    NUMBERS_COLUMNS,
    SYSTEMS,
    UTILITY,
    UTILITY_COLUMNS,
)
from voiceprivacy.vocabulary import DAGGER, DOUBLE_DAGGER, LABELS, SCRIPTS

PUBLISHED = ((NUMBERS, NUMBERS_COLUMNS, 1600), (UTILITY, UTILITY_COLUMNS, 90))


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeded") / "board"
    succeeds("build_leaderboard", "--new", folder)
    return read_repository(folder)


def one_board(tmp_path, *results, **described):
    (board,) = boards(repository(tmp_path, results, **described))
    return board


# The published tables.


def test_the_published_tables_rebuild_exactly_from_a_new_repository(seeded):
    numbers, utility, names = [], set(), {name.lower(): name for name in SYSTEMS}
    for one in seeded.results.values():
        if not one.get("source"):  # our own
            continue
        system = names[one["system"]]
        trained_on = "protected" if one["attacker"].endswith("_on_protected") else "original"
        for condition, metrics in one["conditions"].items():
            for metric, number in metrics.items():
                if number.value is not None:
                    key = (one["protocol"], system, condition, metric)
                    numbers.append((*key, number.value, trained_on, one["source"]))
        for line in one["utility"]:
            key = (line["data"], system, line["metric"], line["definition"])
            utility.add((*key, line["value"]))
    for rows, (path, columns, least) in zip((numbers, utility), PUBLISHED, strict=True):
        published = set()
        for row in read_table(path, columns):
            own = {name: text for name, text in row.items() if (name, path) != ("source", UTILITY)}
            published.add(tuple((own | {"value": float(row["value"])}).values()))
        assert len(published) > least and set(rows) == published


def test_every_record_of_a_published_result_is_there_and_says_what_is_known(seeded):
    for one in seeded.results.values():
        for kind in ("system", "attacker", "protocol"):
            assert referred(kind, one) in getattr(seeded, f"{kind}s"), one
    counts = read_table(COUNTS, ["set", "what", "count"])
    published = {(row["set"], row["what"]): int(row["count"]) for row in counts}
    for protocol in seeded.protocols.values():
        stated = {label: published.get((protocol["name"], f"{label}_trials")) for label in LABELS}
        assert None in stated.values() or protocol["counts"] == stated
    titles = {one["name"]: one["title"] for one in seeded.systems.values()}
    assert {name.lower(): title for name, title in SYSTEMS.items()}.items() <= titles.items()


def test_published_numbers_stand_apart_and_only_our_own_are_headlines(seeded):
    own = {"libri_test_other_excerpt_f", "libri_test_other_excerpt_m"}
    counted = {board.protocol: board.counted for board in boards(seeded)}
    assert {protocol for protocol, standings in counted.items() if standings} == own
    for protocol in own:
        assert len(counted[protocol]) == 10
        for standing in counted[protocol]:
            assert len({attack.attacker for attack in standing.attacks}) == 5
            assert standing.headline.result["tier"] == "B"


@pytest.mark.nightly
def test_every_number_of_ours_in_a_new_repository_is_computed_again(seeded):
    said = succeeds("check_result", seeded.folder)
    assert "no findings" in said


# What counts.


def test_the_strongest_attack_at_tier_b_is_the_headline_and_tier_a_stands_apart(tmp_path):
    claimed = result(attacker="claimed", eer=1.0, tier="A")
    strong = result(attacker="strong", eer=12.0, laboratory="Lab B")
    board = one_board(tmp_path, result(attacker="weak", eer=30.0), strong, claimed)
    (standing,) = board.counted
    assert standing.headline.attacker == "strong@1" and standing.headline.number.value == 12.0
    (apart,) = one_board(tmp_path, result(eer=1.0, tier="A")).newest
    assert apart.headline is None and apart.shown.number.value == 1.0


def test_a_replication_is_shown_beside_the_first_result_and_is_no_attack_of_its_own(tmp_path):
    replication = result(eer=18.0, laboratory="Lab B", replication="lab_b")
    results = [replication, result(eer=20.0)]
    (standing,) = one_board(tmp_path, *results).counted
    assert standing.headline.number.value == 20.0 and len(standing.tried) == 1
    assert [one.number.value for one in standing.headline.others] == [18.0]
    write_site(repository(tmp_path, results), tmp_path / "site")
    for name in ("index", "systems/x"):
        page = (tmp_path / "site" / f"{name}.html").read_text()
        assert "also measured by Lab B" in page and ">20.0<" in page and ">18.0<" in page
    # Of a laboratory that the owner does not list, the replication counts in its stead.
    (standing,) = one_board(tmp_path, *results, listed=["Lab B"]).counted
    assert standing.headline.number.value == 18.0 and not standing.headline.others[0].counts


def test_an_error_rate_above_fifty_is_folded_and_unprotected_speech_is_no_attack(tmp_path):
    board = one_board(tmp_path, result(eer=Number(90.0, 45.0, 95.0)))
    assert board.counted[0].headline.number == Number(10.0, 5.0, 50.0)
    board = one_board(tmp_path, result(conditions={"oo": {"eer_percent": Number(1.0)}}))
    assert board.counted == [] and board.newest[0].shown.number.value == 1.0


@pytest.mark.parametrize(
    ("metric", "number", "n_target", "is_marked"),
    [
        ("eer_percent", Number(0.0, 0.0, 0.0), None, True),
        ("eer_percent", Number(1.0, 0.5, 1.5), 100, False),
        ("cllr_min_bit", Number(0.3, 0.2, 0.4), 100, True),
        ("cllr_min_bit", Number(0.3, 0.2, 0.4), 900, False),
        ("cllr_min_bit", Number(0.3), 100, False),
        ("linkability_vpc", Number(0.0), 19, True),
    ],
)
def test_numbers_in_doubt_have_a_dagger(metric, number, n_target, is_marked):
    attack = {"eer_percent": Number(1.0), "n_target": Number(n_target)} if n_target else None
    mark = DOUBLE_DAGGER if metric == "linkability_vpc" else DAGGER
    assert cell(number, metric, attack).interval.endswith(mark) == is_marked


def test_a_page_says_what_its_daggers_mean(tmp_path):
    for eer, is_marked in ((Number(0.0, 0.0, 0.0), True), (Number(9.0, 5.0, 15.0), False)):
        write_site(repository(tmp_path, [result(eer=eer)]), tmp_path / "site")
        page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
        assert (SHORT_EXPLAINED in page) == is_marked


LEARNT = attacker(training_data=["librispeech TEST-clean", "VoxCeleb 1"])
NOTHING = {"pp": {"eer_percent": Number(None, not_reported="no trials")}}
SPEECHBRAIN = {name: {"eer_speechbrain_percent": Number(20.0)} for name in ("oo", "pp")}
FORBIDDEN = system(code={"not_reported": "the firm <b>forbids</b> it"})


def test_what_a_reader_must_know_stands_on_the_page(tmp_path):
    for one, records, page, said in (
        ({"controls": {"refused": "x&y"}}, {}, "systems/x", "not counted: x&amp;y"),
        ({}, {"attackers": [LEARNT]}, "index", "protocol: LibriSpeech test-clean"),
        ({"conditions": NOTHING}, {}, "index", "because no trials"),
        ({"conditions": SPEECHBRAIN}, {}, "index", '">EER of SpeechBrain</span>'),
        ({"conditions": SPEECHBRAIN}, {}, "systems/x", "unprotected speech on this list: <span"),
        ({}, {"systems": [FORBIDDEN]}, "systems/x", "the firm &lt;b&gt;forbids&lt;/b&gt; it"),
    ):
        write_site(repository(tmp_path, [result(**one)], **records), tmp_path / "site")
        assert said in (tmp_path / "site" / f"{page}.html").read_text()
        shutil.rmtree(tmp_path / "site")


def test_the_newest_revision_stands_on_the_board(tmp_path):
    results = [result(revision=revision, eer=eer) for revision, eer in (("2", 9.0), ("10", 30.0))]
    board = one_board(tmp_path, *results)
    assert board.counted[0].revision == "10" and len(board.all) == 2
    assert sorted(["1.10", "1.9", "1.9-b"], key=order_of_revisions) == ["1.9", "1.9-b", "1.10"]


@pytest.mark.parametrize("told", ['"><script>alert(1)</script>', "' onload='x' <script>", "&lt;"])
def test_a_drawing_escapes_what_others_call_their_systems(told, tmp_path):
    author = system(title=told)
    results = [result(laboratory=told)]
    write_site(repository(tmp_path, results, systems=[author], listed=[told]), tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text()
    (drawing,) = re.findall("<svg.+</svg>", page, re.DOTALL)
    assert "1 attacker, 1 protocol." in page
    assert "<script" not in page.partition("</head>")[2] and "style=" not in drawing
    root = ElementTree.fromstring(drawing)
    assert set(root.attrib) == {"viewBox", "role", "aria-label"}
    (mark,) = root.iterfind(".//g[@class='counts strongest']")
    said = f"{told}: EER 20.0 [18.0, 22.0] %, PP by ecapa@1, tier B, {told}"
    assert mark.find("title").text == said


def test_a_headline_is_of_a_laboratory_that_the_owner_lists(tmp_path):
    invented = result(attacker="invented", eer=1.0, laboratory="Lab Z")
    results = [invented, result(attacker="ours", eer=20.0)]
    board = one_board(tmp_path, *results)
    assert board.counted[0].headline.attacker == "ours@1"
    write_site(repository(tmp_path, results), tmp_path / "site")
    page = (tmp_path / "site" / "systems" / "x.html").read_text()
    assert "does not list the laboratory" in page
    assert page.count("unprotected speech on this list:") == 2 and ">2.5</span>" in page


def test_a_site_is_made_of_what_was_checked_or_not_at_all(tmp_path):
    write_repository(tmp_path / "board")
    succeeds("build_leaderboard", tmp_path / "board", "--output", tmp_path / "site")
    forge(tmp_path / "board")
    # Who begins again where something is would lose it.
    assert here("build_leaderboard", "--new", tmp_path / "board").returncode == 2
    refused = here("build_leaderboard", tmp_path / "board", "--output", tmp_path / "other")
    assert refused.returncode == 2 and "from the scores" in refused.stdout
    assert not (tmp_path / "other").exists()


def test_the_jobs_of_the_template_run_nothing_of_a_contributor(seeded):
    (path,) = (seeded.folder / ".github" / "workflows").glob("contribution.yml")
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
    text = (seeded.folder / ".github" / "workflows" / "contribution.yml").read_text()
    commands = [step.get("run", "") for step in yaml.safe_load(text)["jobs"]["check"]["steps"]]
    environment = os.environ | {"GITHUB_OUTPUT": str(tmp_path / "output")}
    environment["PATH"] = f"{program.parent}:{os.environ['PATH']}"

    def contribute(change):
        shutil.copytree(base, proposed)
        change(proposed)
        said = ""
        for command in commands:
            if command and not command.startswith("pip install"):
                shell = ["bash", "-e", "-c", command]
                streams = {"stdout": subprocess.PIPE, "text": True}
                done = subprocess.run(shell, cwd=tmp_path, env=environment, **streams)
                said += done.stdout
                if done.returncode:
                    return done.returncode, said
        return 0, said + (tmp_path / "output").read_text()

    return contribute


def forge(folder):
    """A number of an old result that its scores do not give."""
    path = folder / "results" / "x" / "2026" / "libri_f" / "one@1.json"
    record = json.loads(path.read_text())
    record["conditions"]["op"]["cllr_min_bit"]["value"] += 1e-6
    path.write_text(json.dumps(record))


def test_the_commands_of_the_template_accept_a_contribution_and_say_what_changes(contribute):
    result_of_c = {"laboratory": "Laboratory C", "strength": 1.5}
    status, said = contribute(lambda folder: write_result(folder, "y", "two", **result_of_c))
    assert status == 0
    # What the second job takes: a name, and the comment up to a mark that nobody can guess.
    comment = re.search(r"(?ms)^comment<<(end-[0-9a-f]{32})\n(.+)\n\1\n$", said)
    name = f"results/y/2026/{PROTOCOL}/two@1"
    assert comment[2] == f"* new: {name}.json\n* new: {name}.scores.gz\n"


def test_the_commands_of_the_template_refuse_what_is_forged(contribute):
    def forge_beside_an_option(folder):
        forge(folder)
        (folder / "-h").write_text("")

    status, said = contribute(forge_beside_an_option)
    assert status and "cllr_min_bit" in said and "from the scores" in said, said


# The site.


def test_the_site_says_who_measured_what_and_links_only_to_what_is_there(tmp_path):
    rows = [row for row in METRICS.values() if row.family in ("verification", "zebra")]
    every = {"pp": {row.name: Number(1.0) for row in rows} | {"eer_percent": Number(20.0)}}
    results = [
        result(eer=20.0, utility=[word_errors(4.0)], conditions=every),
        result(attacker="wavlm", eer=11.0, laboratory="Lab B & <sons>"),
        result("y", eer=30.0, tier="A"),
        result("z", conditions=SPEECHBRAIN, tier="A"),
    ]
    site = tmp_path / "site"
    laboratories = [one["laboratory"] for one in results]
    board = repository(tmp_path, results, listed=laboratories)
    (note,) = write_site(board._replace(laboratories=frozenset(laboratories[:1])), site)[1:]
    assert note.endswith(": Lab B & <sons>")
    assert len(write_site(board, site)) == 1
    page = (site / "index.html").read_text()
    assert "measured by Lab B &amp; &lt;sons&gt;" in page and "[9.0, 13.0]" in page
    for path in site.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#]+)"', path.read_text()):
            if not link.startswith(("https:", "data:")):
                assert (path.parent / link).is_file(), (path, link)
    board = runs.rows(site / "board.tsv")
    shown = [(row["system"], row["counted"], *(row[name] for name in EERS)) for row in board]
    last = [("y", "no", "30.0", "-"), ("z", "no", "-", "20.0")]  # from much privacy to little
    assert shown == [("x", "yes", "11.0", "-"), *last]
    page = (site / "systems" / "x.html").read_text()
    heads = re.findall(r'<th scope="col" class="number">([^<]*)</th>', page)
    labels = {row.label for row in COLUMNS if row.name in every["pp"]}
    assert len({*heads}) == len(heads) and labels <= {*heads, "EER [%]"}


def test_a_site_of_a_hundred_systems_is_made_in_a_minute_and_is_below_5_mb(tmp_path):
    """Two attackers, three protocols, tiers A and B."""
    attacked = itertools.product(range(100), ("libri", "vctk", "mixed"), ("ecapa", "wavlm"))
    results = []
    for number, listed, attack in attacked:
        said = {"tier": "A" if number % 4 == 3 else "B", "utility": [word_errors(4.0)]}
        results.append(result(f"team{number}", attack, 5 + number / 3, protocol=listed, **said))
    start = time.process_time()
    write_site(repository(tmp_path, results), tmp_path / "site")
    assert time.process_time() - start < 60
    assert sum(path.stat().st_size for path in (tmp_path / "site").rglob("*")) < 5e6
