"""A year of the VoicePrivacy Challenge as a config: its directories, a suffix, and who attacks.

Each year's preset in config/ says what there is to evaluate and who attacks. ``prepare`` takes from
it what lies below a data folder, as it is and with a suffix, and what can run on the machine.
"""

import glob
import json
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from voiceprivacy.corpora.kinds import kaldi
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.corpora.protocols import given
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.plan import configuration
from voiceprivacy.plan.defaults import strongest_extractors
from voiceprivacy.plan.speech import first_training_corpus
from voiceprivacy.tools.new_config import system_names
from voiceprivacy.vocabulary import SCRIPTS, SEMI_INFORMED, TRAIN, UTILITY_ALONE

YEARS = ("2020", "2022", "2024", "2026")
PLANS = ("june", "september")  # the evaluations of 2026
OWN_SEED = 0  # of trials across genders where the organisers' list is not at hand
# Of track 2 of 2026: what directories call a language, its training directory, and ISO 639.
LANGUAGES = {
    "en": ("train_english", "en"),
    "de": ("train_german", "de"),
    "es": ("train_spanish", "es"),
    "fr": ("train_french", "fr"),
    "cn": ("", "zh"),
    "ja": ("", "ja"),
}
LISTS_OF_TRACKS = {"1": "libri_*_trials_mixed"}
LISTS_OF_TRACKS |= {language: f"{language}_*_trials_mixed" for language in LANGUAGES}
EMOTIONS = {"iemocap_dev": "IEMOCAP_dev", "iemocap_test": "IEMOCAP_test"}


class Challenge(NamedTuple):
    """What a participant has.

    ``track`` is one of LISTS_OF_TRACKS, or "" in years without. ``attacker``, ``recogniser`` and
    ``emotion`` are folders of models; ``emotion`` holds fold_1 to fold_5. ``gpu`` says whether jobs
    get one. ``plan`` is one of PLANS, or "" for that of the preset.
    """

    year: str
    data: Path
    suffix: str
    track: str = ""
    attacker: Path | None = None
    recogniser: Path | None = None
    emotion: Path | None = None
    gpu: bool = False
    plan: str = ""

    @property
    def system(self) -> str:
        """What the config calls the anonymiser."""
        (name,) = system_names([self.suffix])
        return name

    @property
    def title(self) -> str:
        """What its files are called after."""
        language = f"_{self.track}" if self.track in LANGUAGES else ""
        return f"vpc{self.year}{self.suffix}{language}"

    def protected(self, directory: str) -> Path:
        """The protected version of a data directory."""
        return self.data / f"{Path(directory).name}{self.suffix}"


class Prepared(NamedTuple):
    """A config, which directories there are, which are missing, and what else a run lacks."""

    config: dict[str, Any]
    present: list[str]
    missing: list[str]
    notes: list[str]

    def lines(self) -> list[str]:
        """What the screen and the config's head say."""
        missing = [f"missing: {', '.join(self.missing)}"] if self.missing else []
        return [f"present: {', '.join(self.present)}", *missing, *self.notes]


def has_gpu() -> bool:
    """Whether this machine shows a GPU."""
    return bool(glob.glob("/dev/nvidia[0-9]*"))


def tracks_in(data: Path) -> list[str]:
    """The tracks of 2026 of which there is a trial list."""
    return [track for track, pattern in LISTS_OF_TRACKS.items() if any(data.glob(pattern))]


def prepare(challenge: Challenge) -> Prepared:
    """The config of what is there of a challenge, and of what can run.

    Raises
    ------
    BadInput : no set is there with its protected version, or the config is not accepted
    """
    config = yaml.safe_load(_preset(challenge))
    if challenge.plan:
        config["plan"] = challenge.plan
    config["anonymisers"] = {
        challenge.system: {"audio": f"{challenge.data}/{{set}}{challenge.suffix}"}
    }
    if challenge.year in ("2024", "2026") and challenge.track not in LANGUAGES:
        for name, directory in EMOTIONS.items():
            path = str(challenge.data / directory)
            config["corpora"][name] = {"kaldi": path, "use": UTILITY_ALONE, "pipes": True}
    present, missing = _keep_what_is_there(config["corpora"], challenge)
    if not any("protocol" in corpus for corpus in config["corpora"].values()):
        raise BadInput(
            f"{challenge.data}: no set of {challenge.year} is there with its version"
            f" {challenge.suffix}; missing: {', '.join(missing)}"
        )
    notes = [f"plan: {config['plan']} 2026"] if "plan" in config else []
    if "plan" in config:
        notes += _repeated_lines(config["corpora"])
    if config.get("plan") == "september" and challenge.track not in LANGUAGES:
        notes += _lists_across_genders(config["corpora"])
    notes += [*_attackers(config, challenge), *_utility(config, challenge)]
    averages = config.get("report", {}).get("averages", {})
    for name, weights in list(averages.items()):
        if any(own.keys() - _lists(config, corpus) for corpus, own in weights.items()):
            del averages[name]
            notes.append(f"average {name} is left out: a list of it is missing")
    for problem in configuration.problems(config):
        raise BadInput(str(problem))
    return Prepared(config, present, missing, notes)


def write(path: Path, challenge: Challenge, prepared: Prepared) -> None:
    """Write the config, with what there is to say of it at its head."""
    about = f"VoicePrivacy Challenge {challenge.year} of {challenge.data}, {challenge.suffix}"
    head = "".join(f"# {line}\n" for line in (about, *prepared.lines()))
    text = yaml.safe_dump(prepared.config, sort_keys=False, allow_unicode=True, width=1000)
    with whole_or_absent(path) as temporary:
        temporary.write_text(f"{head}\n{text}", encoding="utf-8")


def _preset(challenge):
    training, spoken = LANGUAGES.get(challenge.track, ("", ""))
    name = f"vpc{challenge.year}{'_track2' if spoken else ''}.yaml"
    text = (SCRIPTS.parent / "config" / name).read_text(encoding="utf-8")
    variables = {
        "${VPC_DATA}/${VPC_LANGUAGE}": f"{challenge.data}/{challenge.track}",
        "${VPC_DATA}": str(challenge.data),
        "${VPC_LANGUAGE}": spoken,
        "${VPC_TRAINING}": training,
    }
    for variable, value in variables.items():
        # They stand between double quotes, where YAML escapes as JSON does.
        text = text.replace(variable, json.dumps(value, ensure_ascii=False)[1:-1])
    return text


def _keep_what_is_there(corpora, challenge):
    """Leave out sets without a protected version; names of directories present and missing."""
    directories = []

    def is_there(directory):
        both = [Path(directory), challenge.protected(directory)]
        directories.extend(both)
        return all(path.is_dir() for path in both)

    for name, corpus in list(corpora.items()):
        kaldi = corpus["kaldi"]
        if challenge.track in LANGUAGES:
            corpus["language"] = LANGUAGES[challenge.track][1]
        if isinstance(kaldi, dict):
            # Of both, so that the lists of present and missing directories are whole.
            kaldi["trial"] = [directory for directory in kaldi["trial"] if is_there(directory)]
            lists = corpus["protocol"]["given"]
            used = {trials: path for trials, path in lists.items() if path in kaldi["trial"]}
            corpus["protocol"]["given"] = used
            is_kept = is_there(kaldi["enrolment"]) and used
        elif Path(kaldi) == challenge.data:  # a language without training speech
            is_kept = False
        else:
            is_kept = is_there(kaldi) or (corpus["use"] == TRAIN and Path(kaldi).is_dir())
        if not is_kept:
            del corpora[name]
    present = [path.name for path in directories if path.is_dir()]
    return present, [path.name for path in directories if not path.is_dir()]


def _repeated_lines(corpora):
    """A sentence for each list with lines that repeat or contradict others."""
    for corpus in corpora.values():
        lists = corpus.get("protocol", {}).get("given", {})
        for name, directory in lists.items():
            if said := given.repeated_lines(lists, name):
                yield f"{Path(directory).name}: {said}"


def _lists_across_genders(corpora):
    """Draw trials across genders for lists that have none; a sentence for each.

    September's lists have such trials. A list without is June's, or one of an earlier year.
    """
    notes = []
    for corpus in corpora.values():
        lists = corpus.get("protocol", {}).get("given", {})
        for name, directory in lists.items():
            if not _is_across_genders(Path(directory), Path(corpus["kaldi"]["enrolment"])):
                own = {"list": f"{directory}/trials", "cross_gender": OWN_SEED}
                lists[name] = own
                where = Path(directory).name
                notes.append(f"{where}: own cross-gender list, seed {OWN_SEED} (its own has none)")
    return notes


def _is_across_genders(directory, enrolment):
    """Whether a trial of a list's file is of two speakers of different gender."""
    findings = Findings()  # what is wrong in these files is said by validate

    def pairs(path):
        return {one: other for _, (one, other) in kaldi.read_fields(path, 2, findings)}

    genders = pairs(enrolment / "spk2gender") | pairs(directory / "spk2gender")
    speakers = pairs(directory / kaldi.SPEAKERS)
    for _, (speaker, utterance, _) in kaldi.read_fields(directory / "trials", 3, findings):
        both = {genders.get(speaker), genders.get(speakers.get(utterance, ""))}
        if len(both - {None}) == 2:
            return True
    return False


def _lists(config, corpus):
    return config["corpora"].get(corpus, {}).get("protocol", {}).get("given", {}).keys()


def _attackers(config, challenge):
    """Leave out attackers that cannot be trained; words on each, and on what replaces them."""
    extractors, backends = config["extractors"], config["backends"]
    if challenge.attacker:
        first = next(iter(extractors))
        kept = {key: extractors[first][key] for key in extractors[first].keys() & {"preparation"}}
        device = {"device": "cuda"} if challenge.gpu else {}
        extractors[first] = {"model": str(challenge.attacker), **kept, **device}
    notes = []
    for section in (extractors, backends):
        for name, options in list(section.items()):
            if reason := _why_untrained(options, config, challenge):
                notes.append(f"{name} is left out: {reason}")
                del section[name]
    if not extractors:
        extractors |= strongest_extractors()
        attack = f"{' and '.join(extractors)} {'attacks' if len(extractors) == 1 else 'attack'}"
        notes.append(f"{attack} (--attacker FOLDER: a trained network)")
    if not backends:
        backends["cosine"] = {"type": "cosine"}
    learners = (*extractors.values(), *backends.values())
    if any(one.get("train", {}).get("speech") == "anonymised" for one in learners):
        return notes
    training = first_training_corpus(config)
    protected = training and challenge.protected(config["corpora"][training]["kaldi"])
    if not protected or not protected.is_dir():
        needs = "protected training speech is missing"
        return [*notes, f"no semi-informed attack, by which challenges rank since 2022: {needs}"]
    learning = {"train": {"corpus": training, "speech": "anonymised"}}
    backends[SEMI_INFORMED] = {"type": "plda", **learning, "unprotected": True, "shrinkage": 0.1}
    smaller = f"PLDA ({SEMI_INFORMED}) that learns from {protected.name}"
    return [*notes, f"semi-informed attack: {smaller}, weaker than a trained network"]


def _why_untrained(options, config, challenge):
    """Why an attacker's entry cannot be used; None where it can."""
    extractors, train = config["extractors"], options.get("train")
    compared = options.get("extractors", ())
    if compared and not extractors.keys() & {*compared}:
        return f"it compares embeddings of {', '.join(compared)}"
    if options.get("start") and options["start"] not in extractors:
        return f"it starts from {options['start']}"
    if not train:
        return None
    if train["corpus"] not in config["corpora"]:
        return "the training speech is missing"
    protected = challenge.protected(config["corpora"][train["corpus"]]["kaldi"])
    if train.get("speech") == "anonymised" and not protected.is_dir():
        return f"{protected.name} is missing"
    if "recipe" in options and not challenge.gpu:
        return "training takes a GPU, and none is here (--gpu: its job gets one)"
    return None


def _utility(config, challenge):
    """Measure words and emotions by the models that are given; words on what is not measured."""
    measures, corpora = config.get("utility", {}), config["corpora"]
    notes = []
    for flag, name in (("recogniser", "wer"), ("emotion", "uar")):
        if getattr(challenge, flag) and name not in measures:
            notes.append(f"--{flag} is not used: {challenge.year} has no measure {name}")
    device = "cuda" if challenge.gpu else "cpu"
    if "wer" in measures and challenge.recogniser:
        del measures["wer"]["revision"]
        measures["wer"] |= {"model": str(challenge.recogniser), "device": device}
    elif "wer" in measures and not challenge.gpu:
        why = "the challenge's recogniser takes a GPU, or --recogniser FOLDER and patience"
        measures["wer"] = {"left_out": why}
    sets = [name for name in EMOTIONS if name in corpora]
    if challenge.emotion and sets:
        measures["uar"] = {
            "type": "emotion",
            "definition": "vpc2024",
            "labels": f"{challenge.data}/{{set}}",
            "model": f"{challenge.emotion}/fold_{{fold}}",
            "corpora": sets,
            "device": device,
        }
    elif challenge.emotion and "uar" in measures and challenge.track not in LANGUAGES:
        folders = " or ".join(EMOTIONS.values())
        why = f"no {folders} is there with its version {challenge.suffix}"
        measures["uar"] = {"left_out": why}
    for name in sets if "left_out" in measures.get("uar", {}) else ():
        del corpora[name]  # nothing would be measured of it
    left_out = {
        name: options["left_out"] for name, options in measures.items() if "left_out" in options
    }
    return notes + [f"{name} is not measured: {why}" for name, why in left_out.items()]
