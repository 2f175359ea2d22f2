"""The embedded demo as a new user gets it: small, a useful attacker, finished after one run."""

import statistics

import pytest
from support.browser import Reader, asked, needs_browser
from support.runs import rows, snakemake, succeeded

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    succeeded(snakemake(folder, "--cores", "all"))
    return folder


def values(demo, metric):
    groups = {}
    for row in rows(demo / "results" / "metrics.tsv"):
        if row["metric"] == metric and row["value"] != "undefined":
            groups.setdefault((row["anonymiser"], row["condition"]), []).append(float(row["value"]))
    return {group: statistics.mean(numbers) for group, numbers in groups.items()}


def test_the_results_fit_into_the_95_mb_of_the_readme_and_the_page_is_small(demo):
    """In blocks of 4 kB, as most disks have them, whatever this one has."""
    sizes = [path.stat().st_size for path in (demo / "results").rglob("*") if path.is_file()]
    assert sum(-(-size // 4096) * 4096 for size in sizes) < 95e6
    # Whether it asks the network is seen in the browser below.
    assert 10_000 < (demo / "results" / "report" / "index.html").stat().st_size < 3e6


def test_a_second_run_has_nothing_to_do(demo):
    finished = snakemake(demo, "--cores", "all")
    assert "Nothing to be done" in finished.stderr + finished.stdout


def test_b2_hides_voices_from_the_ignorant_and_time_reversal_nothing_from_the_informed(demo):
    eer = values(demo, "eer_percent")
    assert eer["original", "oo"] < 15
    assert eer["b2", "op"] > eer["original", "oo"] + 10
    assert values(demo, "dece_bit")["reversed", "pp"] > 0.3


def test_utility_is_measured_of_every_system(demo):
    pitch, estoi, quality, voice = (
        {name: value for (name, _), value in values(demo, metric).items()}
        for metric in ("pitch_correlation", "estoi", "dnsmos_overall", "voice_consistency")
    )
    systems = {"b2", "b2r", "reversed", "stt_tts_piper"}
    assert quality.keys() & voice.keys() >= {"original", *systems}
    assert pitch["b2"] > pitch["reversed"] and "original" not in pitch
    assert estoi["original"] == 1 > estoi["b2"] > 0
    assert all(1 < value < 5 for value in quality.values())
    assert all(-1 <= value <= 1 for value in voice.values())
    speeds = {row["anonymiser"]: row for row in rows(demo / "results/report/tables/speed.tsv")}
    assert float(speeds["b2"]["speech_s"]) > 0
    assert speeds["stt_tts_piper"]["real_time_factor"] == "undefined"


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (380, True)])
def test_the_page_is_drawn_read_and_heard_in_a_browser(demo, width, dark):
    page = demo / "results" / "report" / "index.html"

    def visit(chromium):
        reader = Reader(chromium, page, width=width, dark=dark)
        reader.open_everything()
        assert reader.undrawn() == reader.too_wide() == []
        assert reader.errors == reader.serious_violations() == []
        assert reader.page.locator("audio").count() > 0 and reader.silent_players() == []
        outside = {url for url in reader.requests if not url.startswith(("data:", "blob:"))}
        assert outside == {page.as_uri()}

    asked(visit)
