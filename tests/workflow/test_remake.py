"""A trained model is made again only where somebody says so."""

import os
import re

import pytest
import yaml
from support.calls import call
from support.runs import make_kaldi_directory, snakemake, write_config

pytestmark = pytest.mark.long
TARGET = "results/scores/tiny/all/original/plain/cosine/oo.tsv"
MODEL = "results/models/plain/embedding_model.ckpt"
NOTHING = "Nothing to be done"


def write_training_speech(folder):
    """A Kaldi directory of other speakers, without lists of trials."""
    make_kaldi_directory(folder, utterances=4, enrolled=1)
    for path in [path for path in folder.iterdir() if path.is_file()]:
        if path.name not in ("wav.scp", "utt2spk", "spk2gender"):
            path.unlink()
            continue
        speakers = "t" if path.name == "utt2spk" else ""
        lines = [line.split(maxsplit=1) for line in path.read_text().splitlines()]
        path.write_text("".join(f"t{key} {speakers}{value}\n" for key, value in lines))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a run that trained an extractor."""
    from support.models import small_recipe  # torch: seconds

    folder = tmp_path_factory.mktemp("trained")
    make_kaldi_directory(folder / "data" / "tiny", utterances=3, enrolled=1)
    write_training_speech(folder / "data" / "train")
    small_recipe(folder / "recipe.yaml")
    write_config(
        folder,
        corpora={"tiny": {"kaldi": "data/tiny"}, "train": {"kaldi": "data/train", "use": "train"}},
        extractors={"plain": {"train": {"corpus": "train"}, "recipe": "recipe.yaml"}},
    )
    made = run(folder)
    assert made.returncode == 0, made.stderr
    return folder


def run(folder, *arguments, config="config.yaml", **environment):
    words = (TARGET, "--cores", "2", "--configfile", folder / config, *arguments)
    return snakemake(folder, *words, **environment)


def files_of(folder):
    """Of all results but what a run writes first: the list of what the page will show, sources."""
    paths = [path for path in (folder / "results").rglob("*") if path.is_file()]
    first = ("plan.json", "sources")
    paths = [path for path in paths if path.relative_to(folder / "results").parts[0] not in first]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def test_an_edit_does_not_throw_a_model_away(trained):
    before = files_of(trained)
    table = trained / "data" / "train" / "spk2gender"
    text = table.read_text()
    table.write_text(text + "\n")
    for _ in range(2):  # the refused run is forgotten
        refused = run(trained)
        assert refused.returncode == 2
        (line,) = [line for line in refused.stderr.splitlines() if line.startswith("error: ")]
        assert "results/models/plain would be trained again" in line
        assert "results/sources/corpora/train.sha256" in line
        assert "--directory NEW" in line and "--remake" in line
        assert files_of(trained) == before
    dry = run(trained, "-n")
    assert dry.returncode == 0 and "rule train_extractor" in dry.stdout
    table.write_text(text)
    assert NOTHING in run(trained).stdout + run(trained).stderr
    assert {path: held for path, (_, held) in files_of(trained).items()} == {
        path: held for path, (_, held) in before.items()
    }


def test_other_options_of_the_training_speech_ask_too_and_repeat_nothing_of_other_corpora(trained):
    config = yaml.safe_load((trained / "config.yaml").read_text())
    config["corpora"]["train"]["segments"] = {"seconds": 0.5}
    (trained / "segments.yaml").write_text(yaml.safe_dump(config))
    planned = run(trained, "-n", config="segments.yaml")
    jobs = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", planned.stdout, re.MULTILINE)
    of_tiny = {rule for rule, text in jobs if "corpus=tiny" in text}
    assert {"validate_corpus", "train_extractor"} <= dict(jobs).keys()
    assert not of_tiny & {"validate_corpus", "prepare_part", "list_trials", "anonymise_part"}
    assert run(trained, config="segments.yaml").returncode == 2


def test_a_training_that_is_asked_for_goes_on(trained):
    """The last test: it makes the model again."""
    for path in (trained / "data").rglob("*"):
        os.utime(path)
    assert NOTHING in run(trained).stderr
    (trained / "recipe.yaml").write_text((trained / "recipe.yaml").read_text() + "\n# a note\n")
    words = ["--remake", TARGET, "--cores", "2", "--configfile", trained / "config.yaml"]
    made = call("run", *words, "--directory", trained, cwd=trained)
    assert made.returncode == 0, made.stderr
    assert NOTHING in run(trained).stderr
