"""A rule runs again exactly when a definition that its job uses has changed."""

import re
import textwrap

import pytest

from voiceprivacy import kinds
from voiceprivacy.inout.placeholders import ours, wherever_ours_lie
from voiceprivacy.running import definitions, fingerprints
from voiceprivacy.running.fingerprints import code, code_alone, modules
from voiceprivacy.vocabulary import SCRIPTS

RULES = sorted((SCRIPTS.parent / "workflow" / "rules").glob("*.smk"))


CACHES = (
    *(definitions.read_module, definitions.files_of, fingerprints.modules),
    *(fingerprints._named, fingerprints._digest),
)


def names(script):
    package = SCRIPTS / "voiceprivacy"
    return {str(path.relative_to(package).with_suffix("")) for path in modules(script)}


def test_modules_are_found_through_others_and_what_folders_export():
    scoring = {"inout/tables", "running/command", "attack/backends/backends"}
    assert scoring <= names("score_system")
    assert {"plan/plan", "plan/speech", "plan/sources", "plan/outputs"} <= names("validate")
    assert "report/plots/evidence" not in names("assess_zebra")


def test_a_change_of_a_metric_repeats_neither_expensive_work_nor_other_metrics():
    expensive = ("train_extractor", "extract_embeddings", "anonymise_part", "prepare_part")
    for script in (*expensive, "score_system", "score_samples"):
        of_metrics = {name for name in names(script) if name.startswith(("privacy/", "report/"))}
        assert of_metrics <= {
            *("privacy/__init__", "privacy/rows"),
            *("privacy/matrices/__init__", "privacy/matrices/matrix_files"),
        }
    for script in ("assess_scores", "assess_calibration", "take_scores"):
        assert not any(name.startswith("privacy/matrices/") for name in names(script))


PACKAGE = {
    "jobs/protect": """
        \"\"\"The job protect.\"\"\"
        from voiceprivacy.kinds import KINDS, protect_by
        from voiceprivacy.room.kinds.loud import louder
        from voiceprivacy.values import SHARE  # of speech

        def protect(kind, share=SHARE):
            \"\"\"Protect speech.\"\"\"
            return KINDS[kind](share) + protect_by(kind) + louder()
    """,
    "jobs/score": """
        from voiceprivacy import scores, values

        def score(values):
            return scores.cosine(values) + scores.Model(2).score(1)

        if __name__ == "__main__":
            run(score)
    """,
    "jobs/report": """
        from voiceprivacy import scores
        from voiceprivacy.values import LEVEL

        def report(name):
            from voiceprivacy import late
            return getattr(scores, name)(LEVEL, late.draw)
    """,
    "kinds": """
        from voiceprivacy.tables import registered

        def reverse(share):
            return share

        @registered
        def shift(
            share,
        ):
            return -share

        KINDS = {"reverse": reverse}

        def protect_by(kind):
            return f"by {KINDS[kind]}"
    """,
    "scores": """
        def cosine(values, power=2):
            return [value**power for value in values]

        class Model:
            \"\"\"A model.\"\"\"

            def __init__(self, share):
                self.share = share

            def score(self, trial):
                return self.share * trial

        def dot(values):
            return "no # comment"
    """,
    "tables": """
        KNOWN = []

        def registered(function):
            KNOWN.append(function)
            return function
    """,
    "values": """
        LEVEL, SHARE = 0.95, 0.5
        UNUSED = 1
    """,
    "room/kinds/loud": """
        def louder():
            from voiceprivacy import far
            return far.draw()
    """,
    "late": "def draw(): pass",
    "far": """
        def draw():
            return 1

        def fetch():
            return 2
    """,
}
JOBS = ("protect", "score", "report")


@pytest.fixture
def repeated(tmp_path, monkeypatch):
    def write(name, text):
        for cache in CACHES:
            cache.cache_clear()
        path = tmp_path / "voiceprivacy" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def after(name, old, new, fingerprint=code):
        write(name, PACKAGE[name])
        before = {job: fingerprint(job) for job in JOBS}
        assert old in PACKAGE[name]
        write(name, PACKAGE[name].replace(old, new))
        return {job for job in JOBS if fingerprint(job) != before[job]}

    for module in (definitions, fingerprints):
        monkeypatch.setattr(module, "SCRIPTS", tmp_path)
    for name, text in PACKAGE.items():
        write(name, text)
    yield after
    for cache in CACHES:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("name", "old", "new", "jobs"),
    [
        ("jobs/protect", "Protect speech.", "Make it another voice.", set()),
        ("jobs/protect", "  # of speech", "", set()),
        ("jobs/score", "run(score)", "run(score, 2)", set()),  # how a command line is read
        ("scores", "A model.", "What scores.", set()),
        (
            "scores",
            "\n            def score",
            "\n\n            # own\n            def score",
            set(),
        ),
        ("scores", "power=2", "power=3", {"score", "report"}),  # a default
        ("scores", "self.share * trial", "trial", {"score", "report"}),  # a method
        ("scores", "no # comment", "no # word", {"report"}),  # looked up by its name
        ("scores", "def dot", "def product", {"report"}),
        ("values", "UNUSED = 1", "UNUSED = 2", set()),
        ("values", "0.95, 0.5", "0.95, 0.4", {"protect", "report"}),  # one statement
        ("kinds", "return share", "return share / 2", {"protect"}),  # by a table of functions
        ("kinds", "return -share", "return 0", {"protect"}),  # by a decorator
        ("kinds", 'f"by {', 'f"{', {"protect"}),
        ("tables", "KNOWN.append(function)", "pass", {"protect"}),
        ("late", "pass", "return 1", set()),  # a rule names it
        ("far", "return 1", "return 3", {"protect"}),  # imported inside a function of a kind
        ("far", "return 2", "return 3", set()),
    ],
)
def test_an_edit_repeats_the_jobs_that_use_what_is_edited(repeated, name, old, new, jobs):
    assert repeated(name, old, new) == jobs


@pytest.mark.parametrize(("name", "is_repeated"), [("say", False), ("whole_or_absent", True)])
def test_how_a_job_prints_repeats_nothing(monkeypatch, name, is_repeated):
    before = code("score_system")
    digest = fingerprints._digest
    monkeypatch.setattr(
        fingerprints, "_digest", lambda path, own: digest(path, own) + "x" * (own == name)
    )
    assert (code("score_system") != before) == is_repeated


def test_a_module_that_a_rule_names_counts_whole(repeated):
    def fingerprint(job):
        return code(job, "voiceprivacy/late")

    assert repeated("late", "pass", "return 1", fingerprint) == {*JOBS}


def test_the_row_of_a_kind_counts_for_those_who_read_rows_and_for_no_job_of_the_kind():
    rows = {(path, kinds.ROW) for path in kinds.paths()}
    assert rows <= fingerprints._named(
        fingerprints.Definition(kinds.PACKAGE / "corpus_kinds.py", "corpus_kind")
    )
    for path in kinds.paths():
        whole = fingerprints._named(fingerprints.Definition(path, fingerprints.WHOLE))
        assert (path, "list_utterances") in whole and (path, kinds.ROW) not in whole


def test_what_is_fetched_is_not_fetched_again_for_what_its_job_imports(repeated):
    assert repeated("scores", "power=2", "power=3", code_alone) == set()
    assert repeated("jobs/score", "(2)", "(3)", code_alone) == {"score"}


def test_a_file_of_ours_that_a_script_reads_counts_where_it_is_named(tmp_path):
    path = tmp_path / "table.tsv"
    said = []
    for text in ("one", "two"):
        path.write_text(text)
        fingerprints._digest_of_file.cache_clear()
        said.append(code("compare_published", files=[path]))
    assert len({*said, code("compare_published")}) == 3


@pytest.mark.parametrize("text", ["{resources}/ecapa_small", "python {scripts}/x.py", "mine"])
def test_a_parameter_says_the_same_wherever_our_folders_lie(text):
    """Snakemake compares representations of parameters."""
    assert repr(ours(text)) == repr(text)
    assert wherever_ours_lie(ours(text)) == text
    assert f"{ours('{scripts}')}" == str(SCRIPTS)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_file_of_ours_is_an_input_of_a_rule(path):
    """Its path would count, too."""
    for block in re.findall(r"^    input:\n((?:        .*\n)+)", path.read_text(), re.MULTILINE):
        assert not re.search("SCRIPTS|RESOURCES|PAGE|ours", block), block


SHARED = ("catalogue", "inout", "running", "models")
ROWS = re.compile(r"\w+/(?:rows|__init__)")  # of another room
ROOMS = sorted(path.parent.name for path in (SCRIPTS / "voiceprivacy").glob("*/__init__.py"))
OF_SEVERAL_ROOMS = ("jobs", "tools", "organise")


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in OF_SEVERAL_ROOMS])
def test_a_room_imports_of_another_room_its_rows_alone(room):
    allowed = tuple(f"{name}/" for name in (room, *SHARED))
    for path in (SCRIPTS / "voiceprivacy" / room).rglob("*.py"):
        imported = names(path.relative_to(SCRIPTS).with_suffix("").as_posix())
        of_rooms = {name for name in imported if "/" in name}
        others = {name for name in of_rooms if not name.startswith(allowed)}
        assert [name for name in others if not ROWS.fullmatch(name)] == [], path
