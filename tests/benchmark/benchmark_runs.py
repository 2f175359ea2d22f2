"""What whole runs take, beside the speech work that they need: a table of one run on idle cores.

    VOICEPRIVACY_SPEECH=/data/LibriSpeech python tests/benchmark/benchmark_runs.py [hours demo ...]

Hours of speech are cut from test-other, with other gains and offsets, for 40 made-up speakers, so
their numbers mean nothing. A first call protects and embeds it; a second one does all the rest.
Processor time is that of all processes, the launcher's and Snakemake's too. With several --hours a
second table says how the work of each rule grows. Parts whose speech or model is not there are left
out: the excerpt needs VOICEPRIVACY_ASV, too.
"""

import argparse
import csv
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

import numpy as np
import yaml
from support.runs import many_systems

from voiceprivacy.inout import audio

COMMAND = ROOT / ".venv/bin/voiceprivacy"
SPEAKERS, ENROLLED, RATE = 40, 5, 16000
SHORTEST_S, LONGEST_S = 4, 12
GAIN_DB = 6  # at most, up or down
LEAST_S = 1  # what growth is shown of
PERSONS, RECORDINGS, ATTACKS = 50, 10, 4
MODELS, TRIED = 1000, 10_000
FUNCTIONS = "{scripts}/voiceprivacy/anonymise/functions"
MCADAMS = f"{FUNCTIONS}/mcadams.py:mcadams"
PROTOCOL = {"enrol_trial": {"enrolment_utterances": ENROLLED, "lists": ["f", "m"]}}
HOURS = {
    "corpora": {"hours": {"kaldi": "data", "protocol": PROTOCOL}},
    "anonymisers": {
        "b2": {"function": MCADAMS, "options": {"alpha": 0.8, "level": "corpus"}},
        "b2r": {"function": MCADAMS, "options": {"alpha": [0.7, 0.9], "level": "speaker"}},
        "vtln": {"function": f"{FUNCTIONS}/warping.py:vtln"},
    },
    "extractors": {"ecapa_small": {"model": "{resources}/ecapa_small"}},
    "backends": {"cosine": {"type": "cosine"}},
    "seed": 0,
}
FIRST_PAGE = Path("results/report/privacy.html")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--hours", type=float, nargs="+", default=[5])
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    arguments = parser.parse_args()

    show("", "seconds", "processor, s", "goal, s")
    show(*["---"] * 4)
    costs = {}
    for part in arguments.parts or filter(is_possible, PARTS):
        for n_hours in arguments.hours if part == "hours" else [0]:
            with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                for row in PARTS[part](Path(folder), n_hours):
                    show(*row)
                costs[n_hours] = costs_of_rules(Path(folder))
    if len(arguments.hours) > 1 and len(costs) > 1:
        show_growth({n_hours: costs[n_hours] for n_hours in arguments.hours})


def show(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def is_possible(part):
    """Whether the speech and the model of a part are there."""
    needed = {"hours": ["SPEECH"], "excerpt": ["SPEECH", "ASV"]}
    return all(f"VOICEPRIVACY_{name}" in os.environ for name in needed.get(part, []))


def costs_of_rules(work):
    """{rule: processor seconds of its jobs} of a finished run, as Snakemake measured them."""
    costs = Counter()
    for path in (work / "results/benchmarks").rglob("*.tsv"):
        for job in csv.DictReader(path.open(), delimiter="\t"):
            rule = path.relative_to(work / "results/benchmarks").parts[0].removesuffix(".tsv")
            costs[rule] += float(job["cpu_time"])
    return costs


def show_growth(costs):
    """Processor time of each rule by hours of speech, and which power of the hours it follows."""
    print()
    show("rule", *(f"{n_hours:g} h: s" for n_hours in costs), "power of the hours")
    show(*["---"] * (len(costs) + 2))
    for rule, longest in costs[max(costs)].most_common():
        seconds = [own[rule] for own in costs.values()]
        if longest >= LEAST_S and min(seconds) > 0:
            power, _ = np.polyfit(np.log([*costs]), np.log(seconds), 1)
            show(rule, *(f"{value:.1f}" for value in seconds), f"{power:.1f}")


def hours(work, n_hours):
    """Protecting and embedding; all the rest; how many times the first the whole took."""
    n_utterances = write_corpus(work / "data", n_hours * 3600 / SPEAKERS)
    config = write_config(work, HOURS)
    embedded = run(work, *config, "--until", "extract_embeddings_of_both_parts")
    began = time.time()
    finished = run(work, *config)
    first_page = (work / FIRST_PAGE).stat().st_mtime - began
    title = f"{n_hours:g} h, {n_utterances} utterances, three anonymisers"
    yield row(f"{title}: protected and embedded", embedded)
    yield row("all the rest", finished)
    yield f"of it, until the first page ({FIRST_PAGE})", f"{first_page:.0f}", "", ""
    ratios = [1 + rest / first for first, rest in zip(embedded, finished, strict=True)]
    yield "the whole, times protected and embedded", *(f"{ratio:.2f}" for ratio in ratios), "1.4"


def demo(work, _):
    yield row("the demo", run(work, command="demo"), goal=120)
    yield row("again, with nothing to do", run(work, command="demo"), goal=2)


def excerpt(work, _):
    config = "--configfile", str(ROOT / "config/excerpt.yaml")
    yield row("the excerpt (config/excerpt.yaml)", run(work, *config), goal=60)


def planned(work, _):
    systems = many_systems(work, anonymisers=20, sets=12, extractors=1, backends=1)
    config = write_config(work, systems)
    first = run(work, *config, "-n", "--quiet", "rules")
    yield row("20 systems x 12 lists, a dry run", first, goal=10)


def helped(work, _):
    yield row("voiceprivacy --help", run(work, command="--help"), goal=0.3)


def verdict(work, _):
    trials = ATTACKS * PERSONS**2 * RECORDINGS
    title = f"verdict on {trials:,} trials of {PERSONS} persons, {ATTACKS} attacks"
    yield row(title, run(work, *write_scores(work), command="verdict"), goal=10)


def scores(work, _):
    """All metrics of MODELS x TRIED scores, without intervals."""
    draw = np.random.default_rng(0)
    with (work / "scores.tsv").open("w") as file:
        print("enrolment", "trial", "label", "score", sep="\t", file=file)
        for model in range(MODELS):
            for tried, score in enumerate(draw.normal(size=TRIED).tolist()):
                label = "target" if tried % MODELS == model else "nontarget"
                print(f"m{model}", f"u{tried}", label, score, sep="\t", file=file)
    for family in ("verification", "zebra"):
        words = family, "--scores", "scores.tsv", "--metrics", "metrics.json"
        title = f"assess {family} of {MODELS * TRIED:,} scores, without intervals"
        yield row(title, run(work, *words, command="assess"), goal=40)


PARTS = {
    "help": helped,
    "scores": scores,
    "planned": planned,
    "verdict": verdict,
    "demo": demo,
    "excerpt": excerpt,
    "hours": hours,
}


def row(title, spent, goal=""):
    return title, *(f"{value:.1f}" if value < 10 else f"{value:.0f}" for value in spent), str(goal)


def write_config(work, config):
    (work / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return "--configfile", "config.yaml"


def write_corpus(folder, seconds_each):
    """Write a Kaldi directory of made-up speakers: how many utterances it has."""
    sources = []  # all recordings of each speaker, one after the other
    for speaker in filter(Path.is_dir, sorted(test_other().iterdir())):
        paths = sorted(speaker.rglob("*.flac"))
        sources.append(np.concatenate([audio.read(path)[0] for path in paths]))
    (folder / "wav").mkdir(parents=True)
    lines = {"wav.scp": [], "utt2spk": [], "spk2gender": []}
    for number in range(SPEAKERS):
        draw, source = np.random.default_rng(number), sources[number % len(sources)]
        lines["spk2gender"].append(f"s{number:02d} {'fm'[number % 2]}")
        left_s = seconds_each
        while left_s > 0:
            length_s = draw.uniform(SHORTEST_S, LONGEST_S)
            left_s -= length_s
            name = f"s{number:02d}-{len(lines['utt2spk']):05d}"
            begin = draw.integers(len(source) - round(length_s * RATE))
            gain = 10 ** (draw.uniform(-GAIN_DB, GAIN_DB) / 20)
            samples = source[begin : begin + round(length_s * RATE)] * gain
            path = folder / "wav" / f"{name}.flac"
            audio.write(path, np.clip(samples, -1, 1), RATE)
            lines["wav.scp"].append(f"{name} {path}")
            lines["utt2spk"].append(f"{name} s{number:02d}")
    for name, listed in lines.items():
        (folder / name).write_text("\n".join(listed) + "\n")
    return len(lines["utt2spk"])


def test_other():
    return Path(os.environ["VOICEPRIVACY_SPEECH"]) / "test-other"


def write_scores(work):
    """Two attackers' trials of everybody against every recording; the words that name the files."""
    draw = np.random.default_rng(0)
    persons = [f"p{number:02d}" for number in range(PERSONS)]
    recordings = [
        (person, f"{person}-{index}") for person in persons for index in range(RECORDINGS)
    ]
    lines = ["system\tattacker\tcondition\tlist\tenrolment\ttrial\tlabel\tscore"]
    for attacker, condition in itertools.product(("first", "second"), ("op", "pp")):
        for model, (person, recording) in itertools.product(persons, recordings):
            label = "target" if model == person else "nontarget"
            cells = ("mine", attacker, condition, "all", model, recording, label)
            lines.append("\t".join([*cells, str(draw.normal(model == person))]))
    speakers = ["id\tspeaker", *(f"{person}\t{person}" for person in persons)]
    speakers += [f"{recording}\t{person}" for person, recording in recordings]
    (work / "scores.tsv").write_text("\n".join(lines) + "\n")
    (work / "speakers.tsv").write_text("\n".join(speakers) + "\n")
    return "--scores", "scores.tsv", "--speakers", "speakers.tsv"


def run(work, *words, command="run"):
    """Call a command in a folder: seconds by the clock, and of all processors."""
    start, used = time.monotonic(), children_s()
    cores = ["--cores", "2"] if command == "run" else []
    subprocess.run([COMMAND, command, *cores, *words], cwd=work, check=True, stdout=sys.stderr)
    return time.monotonic() - start, children_s() - used


def children_s():
    """Processor time of all processes that ended below this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
