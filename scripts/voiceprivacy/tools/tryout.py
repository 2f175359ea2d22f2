"""Programs and functions of a config, tried in seconds before a run spends hours.

Only where a person says so, anonymisers that are functions are called on a second of speech, as in
a job: in a program of their own, in a box where they have one, and what they return is checked in
the same way. They run with this Python. Where the config names an environment of their own, what
fails here may succeed there: it is noted, and is no error. Of commands only the program and the
script that they name are looked for: they may need a GPU, and may write where nobody expects it.
"""

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from voiceprivacy.anonymise import plugins
from voiceprivacy.anonymise.findings import finding
from voiceprivacy.corpora import parts, recordings
from voiceprivacy.corpora.checks import Examination
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.models.hub import speaker_settings
from voiceprivacy.plan import configuration
from voiceprivacy.plan.attackers import recipe_file
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import FUNCTIONS
from voiceprivacy.running import programs
from voiceprivacy.seeds import LARGEST

OURS = ("evaluate", "torch")  # environments with nothing but what is here, too
INTERPRETER = re.compile(r"(python[0-9.]*|bash|sh|perl|Rscript|julia)$")
MOST_MINUTES = 10  # a model may have to be loaded
SECOND = "called on one second of speech"
AGAIN = "again, with the same seed, it makes other speech: let it draw from seed= and nothing else"
ROUNDED = 1e-3  # of full scale: networks add in another order


def functions_of(plan: Plan) -> dict[str, str]:
    """The anonymisers of a plan that can be called here: {name: function or package}."""
    called = {}
    for name, options in plan.speech.anonymisers.items():
        kind = next((kind for kind in FUNCTIONS if kind in options), None)
        if kind and options.get("draw", 1) == 1:  # other draws differ by their seed only
            called[name] = kind
    return called


def findings_of(configs: Sequence[str | Path], plan: Plan, *, call: bool) -> Findings:
    """What is wrong with the programs of a config (its files), at their lines.

    ``call`` runs its functions, too.
    """
    findings = Findings()
    for section in ("anonymisers", "extractors", "utility"):
        for name, options in plan.config[section].items():
            missing = _missing_program(options) if isinstance(options, dict) else None
            if missing:
                path, line = configuration.place_of(configs, (section, name, "command"))
                findings.error(path, line, f"{section}.{name}.command: {missing}")
    functions = functions_of(plan) if call else {}
    os.environ["TQDM_DISABLE"] = "1"  # bars of progress, in which what a function says would stand
    with tempfile.TemporaryDirectory() as folder:
        said = a_second(plan, Path(folder)) if functions else None
        for name, kind in functions.items():
            if said is None:
                break
            options = plan.speech.anonymisers[name]
            path, line = configuration.place_of(configs, ("anonymisers", name, kind))
            words = f"anonymisers.{name}: {SECOND}"
            made, reason = _called(plan, name, said, Path(folder, name))
            if reason and options["env"] in OURS:
                findings.error(path, line, f"{words}: {reason}")
            elif reason:
                other = f"{reason} (it was called here, not in its environment {options['env']})"
                findings.oddity(path, line, f"{words}: {other}")
            elif made:
                again, _ = _called(plan, name, said, Path(folder, f"{name}.2"))
                if not _is_same(made, again):
                    findings.oddity(path, line, f"{words} {AGAIN}")
    return findings


def too_short(plan: Plan, examined: Mapping[str, Examination]) -> Findings:
    """Recordings that are shorter than a model of the run takes, one error for each corpus."""
    findings = Findings()
    short = {corpus: own.shortest for corpus, own in examined.items() if own.shortest}
    embedded: dict[str, list[str]] = {}  # by what the config calls an extractor
    for options in plan.attackers.extractors.values() if short else ():
        embedded.setdefault(options["base"], list(plan.speech.evaluated))
    for backend, name in plan.attackers.trained() if short else ():
        corpus = plan.attackers.backends[backend]["train"]["corpus"]
        embedded[plan.attackers.extractors[name]["base"]].append(corpus)
    for extractor, corpora in embedded.items():
        try:
            needed_s = least_s(plan.config["extractors"][extractor])
        except BadInput as error:
            findings.bad_file(error)
            continue
        for corpus in dict.fromkeys(corpora):
            seconds = short.get(corpus, {}).items()
            names = [utterance for utterance, duration_s in seconds if duration_s < needed_s]
            if names:
                are = counted(len(names), "recording is", "recordings are")
                message = f"{are} shorter than {needed_s:.3f} s, which extractor '{extractor}'"
                remedy = f"exclude: [{', '.join(sorted(names))}]"
                findings.error(f"corpus {corpus}", "-", f"{message} needs: {remedy}")
    return findings


def least_s(options: Mapping[str, Any]) -> float:
    """How many seconds a recording must last for an extractor's entry.

    Returns
    -------
    float : 0 where any recording will do that a run takes, or nothing here tells. Histograms and
        the measures of utility take a single frame.

    Raises
    ------
    BadInput : its model or its recipe is none
    """
    if "package" in options:
        from voiceprivacy.attack.extractors import packages

        return packages.ENCODERS[options["package"]].shortest / packages.SAMPLE_RATE
    settings = ""
    if "train" in options:
        settings = ours(recipe_file(options["recipe"]))
    elif "model" in options and "revision" not in options and not options.get("trust"):
        settings = str(speaker_settings(ours(options["model"])))
    # Networks may be in an environment of the jobs alone.
    if not os.path.isfile(settings) or not all(map(find_spec, ("torch", "speechbrain"))):
        return 0.0
    from voiceprivacy.attack.extractors.networks import shortest_s  # seconds: only where needed

    return shortest_s(settings)


def wrong_recipes(plan: Plan) -> Findings:
    """Training recipes of people's own that are none: training begins when speech is protected."""
    findings = Findings()
    recipes = {options.get("recipe", "") for options in plan.attackers.extractors.values()}
    own = sorted(name for name in recipes if name.endswith(".yaml"))
    if not own or find_spec("torch") is None:  # it may be in an environment of the jobs alone
        return findings
    from voiceprivacy.attack.training.training import read_recipe  # seconds, as above

    for recipe in own:
        try:
            read_recipe(ours(recipe))
        except BadInput as error:
            findings.bad_file(error)
    return findings


def _missing_program(options: dict[str, Any]) -> str | None:
    """Why a command of an entry cannot start; None if it can, or nothing here can tell."""
    if "command" not in options or "container" in options or options["env"] not in OURS:
        return None
    try:
        program, *others = programs.words_of(options["command"], threads=1)
    except BadInput as error:
        return str(error)
    # Jobs start the Python that runs us before any other.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if shutil.which(program, path=path) is None:
        return f"{program}: no such program"
    script = others[0] if others and INTERPRETER.match(Path(program).name) else "-"
    is_file = script.startswith(("-", "{")) or os.path.exists(script)
    return None if is_file else f"{script}: not found"


def a_second(plan: Plan, folder: Path) -> Utterance | None:
    """The loudest second of some utterance that is evaluated; None where none can be had."""
    for name in plan.speech.evaluated:
        rate, source = plan.speech.corpora[name]["sample_rate"], plan.speech.source(name)
        source = {key: value for key, value in source.items() if key != "segments"}
        with contextlib.suppress(BadInput, IndexError):  # a finding of that corpus itself
            first = parts.without(list_utterances(source, Findings()), source.get("exclude", ()))[0]
            provided = recordings.provide_part(
                source, [first], audio_dir=folder, sample_rate=rate, threads=1
            )
            ((utterance,),) = provided
            samples, _ = audio.read(utterance.path)
            audio.write(folder / "second.flac", _loudest(samples, rate), rate)
            duration_s = audio.header(folder / "second.flac").duration_s
            return utterance._replace(path=folder / "second.flac", duration_s=duration_s)
    return None


def _loudest(samples: audio.Samples, length: int) -> audio.Samples:
    """The piece of this length that has the most energy; all samples where they are fewer."""
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    if len(energy) <= length:
        return samples
    start = int(np.argmax(energy[length:] - energy[:-length]))
    return samples[start : start + length]


def _called(
    plan: Plan, name: str, said: Utterance, scratch: Path
) -> tuple[Path | None, str | None]:
    """What an anonymiser makes of an utterance, and why it cannot protect it; None if it can."""
    options: dict[str, Any] = plan.speech.anonymiser(name)
    corpus, part = plan.speech.evaluated[0], "trial"
    seed = plan.speech.anonymiser_seed(name, part)  # else it will be any number as large
    call = {"mem_mb": options["mem_mb"], **plan.speech.anonymiser_call(name, corpus, part)}
    scratch.mkdir()
    heard = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")
    try:
        with contextlib.redirect_stderr(heard):  # its progress, which no one waits for
            paths = plugins.protect(
                call,
                [said],
                seed=LARGEST if seed is None else seed,
                threads=1,
                scratch=scratch,
                minutes=min(options["runtime"], MOST_MINUTES),
            )
    except programs.Failed as error:  # of a program that died, its last words say more
        return None, f"{str(error).partition(';')[0]}{_last_line(heard)}"
    except BadInput as error:
        return None, str(error)
    rate = None if options["resample"] else audio.header(said.path).sample_rate
    made = paths.get(said.utterance)
    return made, finding(said, made, rate)


def _is_same(one: Path, other: Path | None) -> bool:
    """Whether an anonymiser made the same speech twice, but for what processors round."""
    if other is None:
        return False
    samples, others = audio.read(one)[0], audio.read(other)[0]
    return len(samples) == len(others) and bool(np.allclose(samples, others, atol=ROUNDED))


def _last_line(heard: io.TextIOWrapper) -> str:
    """What a program said last, to follow a sentence; nothing where it said nothing."""
    heard.seek(0)
    lines = [line.strip() for line in heard.read().splitlines()]
    return "".join([f": {line}" for line in lines if line][-1:])
