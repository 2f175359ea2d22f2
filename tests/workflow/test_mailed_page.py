"""An attacker who has nothing but the folder of the report: what do they learn of people?

The same search on an internal page shows that they would find what there is. Some ids and paths
would harm a shell or a browser that believed them.
"""

import base64
import io
import re
import shutil
import sys

import pytest
import soundfile
import yaml
from support.pages import Page
from support.runs import B2R, HEAR, ROOT, snakemake, spoken, succeeded
from support.trees import write_kaldi, write_lines

from voiceprivacy.inout import audio
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.secret_seeds import SECRET_BYTES
from voiceprivacy.inout.tables import read_table
from voiceprivacy.report.mailed import KEY
from voiceprivacy.utility.rows import SpeakerWords

pytestmark = pytest.mark.long
SEEDS = {"seed": 918273, "report": 827364}
PLANTED = "pwned"
TOUCH = f"touch${{IFS}}{PLANTED}"  # a shell needs no space
HOSTILE = {  # what a shell, a page or Python would run
    f";{TOUCH};$({TOUCH})`{TOUCH}`": ("f", 260),
    "<script>alert(1)<\"'>&lt;img:onerror=alert(1)>{anonymiser}%s*?[a]~": ("m", 140),
}
SPEAKERS = {"zq17f": ("f", 190), "zq04f": ("f", 230), "zq31m": ("m", 95), "zq22m": ("m", 120)}
SPEAKERS |= HOSTILE
USER = "aliceqz"
TOKEN = "tokenqz/4711"
COPY = f"""
def copy(samples, sample_rate, *, utterance, speaker, seed, token):
    assert token == "{TOKEN}"
    return samples
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of a run, and its reports by whether they are internal: {bool: {path: text}}."""
    folder = tmp_path_factory.mktemp("run") / USER / f"a b;touch {PLANTED};'$(touch {PLANTED})"
    _write_corpus(folder)
    (folder.parent / "hear.py").write_text(HEAR)
    (folder / "mine.py").write_text(COPY)
    # A drawn secret would move what is searched: coordinates could hold the digits of a seed.
    (folder / "results").mkdir()
    (folder / "results" / KEY).write_text("11" * SECRET_BYTES + "\n")
    config = {
        "corpora": {"people": {"kaldi": "${QZ_SPEECH}/data"}},
        "anonymisers": {
            "moved": {"command": B2R},
            "copy": {"function": "mine.py:copy", "options": {"token": "${QZ_TOKEN}"}},
        },
        "extractors": {"drawn": {"command": f"{sys.executable} {folder.parent}/hear.py"}},
        "backends": {"cosine": {"type": "cosine"}},
        "seed": SEEDS["seed"],
    }
    reports = {}
    for internal in (True, False):
        report = {"bootstrap": 50, "listen": 1, "seed": SEEDS["report"], "internal": internal}
        path = folder / "config.yaml"
        path.write_text(yaml.safe_dump(config | {"report": report}))
        variables = {"QZ_TOKEN": TOKEN, "QZ_SPEECH": str(folder)}
        words = ("--cores", "2", "--printshellcmds", "--configfile", path)
        finished = succeeded(snakemake(folder, *words, **variables))
        assert TOKEN not in finished.stdout + finished.stderr
        reports[internal] = _texts(folder / "results" / "report")
        shutil.copytree(folder / "results" / "report", folder.parent / str(internal))
    return folder, reports


def _write_corpus(folder):
    genders = {speaker: gender for speaker, (gender, _) in SPEAKERS.items()}
    names = {speaker: [f"{speaker}-u{k}" for k in range(4)] for speaker in SPEAKERS}

    def path(name):
        return folder / f"wav $(touch {PLANTED});" / f"{name}.wav"

    write_kaldi(folder / "data", genders, names, enrolled=1, path=path)
    texts = []
    for speaker, own in names.items():
        for index, name in enumerate(own):
            audio.write(path(name), spoken(speaker, name, SPEAKERS[speaker][1]), 16000)
            texts.append(f"{name} where is the house" + index * " of the seven dogs")
    write_lines(folder / "data" / "text", texts)


def _texts(folder):
    """All files of a report as text, what is packed in PDF and PNG left as it is: {name: text}."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", errors="replace")
            texts[path.relative_to(folder).as_posix()] = text
    # The script is the same in every page.
    head, _, _ = texts["index.html"].partition("<script>")
    return texts | {"index.html": head}


def leaked(texts, secrets):
    """(secret, file) of those that stand somewhere."""
    everywhere = {
        name: re.sub(r"data:[a-z]+/[a-z]+[^\"]*?;base64,[A-Za-z0-9+/=]+", "", text)
        for name, text in texts.items()
    }
    return {
        (secret, name) for secret in secrets for name, text in everywhere.items() if secret in text
    }


def clips(texts):
    for text in texts.values():
        for content in re.findall(r"data:audio/mpeg[^\"]*?;base64,([A-Za-z0-9+/=]+)", text):
            yield soundfile.read(io.BytesIO(base64.b64decode(content)))


def heard_originals(folder, texts):
    """How many clips are an original for an ear, whoever's, forwards or backwards."""
    manifest = folder / "results/audio/people/trial/original/manifest.tsv"
    originals = [audio.read(utterance.path)[0] for utterance in read_manifest(manifest)]
    n_originals = 0
    for samples, rate in clips(texts):
        assert rate == 16000
        like = [audio.likeness(samples, one) for one in originals]
        like += [audio.likeness(samples[::-1], one) for one in originals]
        n_originals += max(like) > 0.9
    return n_originals


def test_a_mailed_report_has_no_seed_no_id_no_path_and_no_command(pages):
    folder, reports = pages
    seeds = {str(seed) for seed in SEEDS.values()}
    utterances = {f"{speaker}-u{k}" for speaker in SPEAKERS for k in range(4)}
    path = str(folder.parent)
    secrets = {*seeds, *SPEAKERS, *utterances, USER, path, PLANTED, "--alpha", "0.7 0.9"}
    assert leaked(reports[False], secrets | {"hear.py"}) == set()
    shown = {secret for secret, _ in leaked(reports[True], secrets)}
    assert shown >= {*seeds, *SPEAKERS.keys() - HOSTILE, USER, path, PLANTED, "--alpha"}


def test_no_coefficient_can_be_read_from_a_mailed_report(pages):
    folder, reports = pages
    path = folder / "results/audio/people/trial/moved/manifest.alphas.tsv"
    drawn = {float(row["alpha"]) for row in read_table(path, ["utterance", "speaker", "alpha"])}
    alphas = {f"{alpha:.{digits}g}" for alpha in drawn for digits in (5, 6, 8, 12, 17)}
    assert len(alphas) >= 4 * 4
    assert leaked(reports[False], alphas) == set()
    assert "alpha" not in reports[False]["index.html"].lower()
    assert "alpha" in reports[True]["index.html"].lower()


def test_no_original_can_be_heard_in_a_mailed_report(pages):
    """The anonymiser that copies is not played either."""
    folder, reports = pages
    assert heard_originals(folder, reports[False]) == 0
    assert heard_originals(folder, reports[True]) > 0
    assert len(list(clips(reports[False]))) > 0
    text = reports[False]["listen/people.json"]
    assert '"original"' not in text and '"copy"' not in text


def test_people_have_codes_in_charts_and_in_pictures(pages):
    _, reports = pages
    drawn = [name for name in reports[False] if re.search(r"(similarity|speakers|zoo).*svg$", name)]
    assert len(drawn) >= 3
    for name in ("index.html", *drawn):
        if "rank_speakers" not in name and "distinctiveness" not in name:
            assert re.search(r"speaker 0[1-6]", reports[False][name]), name
            assert re.search("zq(17|04)f", reports[True][name]), name


def test_words_of_people_are_counted_for_the_house_only(pages):
    """A mailed page has rates by code; whoever has transcripts could tell a code by its words."""
    folder, reports = pages
    fields = [*SpeakerWords._fields]
    counted = read_table(folder / "results/metrics/words/people.tsv", fields)
    assert len(counted) == 3 * len(SPEAKERS)
    tables = {}
    for internal, texts in reports.items():
        [tables[internal]] = re.findall(
            r"Word errors of each speaker</summary>(.*?)</details>", texts["index.html"], re.DOTALL
        )
        heading = '<th scope="col">words</th>'
        assert (heading in tables[internal]) == internal
    n_words = str(3 * 4 + (1 + 2 + 3) * 4)
    assert n_words == counted[0]["n_words"]
    cell = f"<td>{n_words}</td>"
    assert cell in tables[True] and cell not in tables[False]
    assert "zq17f" in tables[True] and "speaker 01" in tables[False]


def test_the_value_of_a_variable_is_written_nowhere(pages):
    """Neither in results and logs nor in what Snakemake remembers of its jobs."""
    folder, _ = pages
    kept = [base64.b64encode(TOKEN.encode()), TOKEN.encode()]
    for path in (*folder.glob("results/**/*"), *folder.glob(".snakemake/**/*")):
        if path.is_file() and path.suffix not in (".flac", ".png"):
            assert not any(secret in path.read_bytes() for secret in kept), path
    config = read_json(folder / "results/provenance.json")["config"]
    assert config["anonymisers"]["copy"]["options"] == {"token": "${QZ_TOKEN}"}
    assert config["corpora"]["people"]["kaldi"] == "${QZ_SPEECH}/data"


def test_nothing_that_ids_and_paths_say_is_done_or_written_outside_results(pages):
    folder, _ = pages
    assert [path for path in folder.parents[1].rglob("*") if path.name == PLANTED] == []
    assert not (ROOT / PLANTED).exists()
    scored = (folder / "results/scores/people/all/moved/drawn/cosine/pp.tsv").read_text()
    assert all(f"\t{speaker}-u3\t" in scored for speaker in SPEAKERS)
    others = ("wav ", "__pycache__")  # the second is of Python itself, if its environment allows it
    made = {path.name for path in folder.iterdir() if not path.name.startswith(others)}
    assert made == {"data", "mine.py", "config.yaml", "results", ".snakemake"}


def test_an_internal_page_says_so_first_and_shows_ids_as_text(pages):
    folder, reports = pages
    report = folder.parent / str(True)
    text = (report / "index.html").read_text(encoding="utf-8")
    assert re.search("<title>INTERNAL.*</title>", text) and 'class="internal"' in text
    assert "INTERNAL" not in reports[False]["index.html"]
    assert "<script>alert" not in text
    page = Page(text)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = page.values("src", "href")
    assert not any(address.startswith(("javascript:", "http:")) for address in addresses)
    for figure in (report / "figures").rglob("*.svg"):
        assert "<script" not in figure.read_text(encoding="utf-8").lower()
