"""What an author writes of a run: a methods paragraph with its references, and numbers by name.

Conventions
-----------
* A sentence stands in the paragraph because the run's config or its numbers hold what it says.
* A citation is `` [@key,key]`` behind what it is of; nothing else in a sentence looks like it.
* References are entries of workflow/resources/citations.bib. methods.bib has those that are cited,
  and no others.
* Commands, functions and models of the user's are named; what they are is for the author to say.
* Paths of the config are not repeated: a paragraph is for readers elsewhere.
* \\vpnumber{CORPUS/LIST/ANONYMISER/CONDITION/EXTRACTOR/BACKEND/METRIC} of numbers.tex is a number
  as the comparison shows it; with /interval behind it, its 95 % interval. A number that is not
  there is an error of LaTeX.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voiceprivacy import corpus_kinds, kinds
from voiceprivacy.errors import counted
from voiceprivacy.inout.tables import whole_number_in
from voiceprivacy.report.comparison import System, shown_columns
from voiceprivacy.report.described_corpora import PartOfCorpus
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import latex, listed, write_text
from voiceprivacy.vocabulary import (
    ABSENT,
    ATTRIBUTES,
    CONVERSIONS,
    EVALUATION,
    ORIGINAL,
    OTHERS,
    PLANS_OF_2026,
    RESOURCES,
    TRAIN,
    UTILITY_ALONE,
)

CITATIONS = RESOURCES / "citations.bib"
ACCESS = (
    r"\newcommand{\vpnumber}[1]{\ifcsname voiceprivacy@#1\endcsname\@nameuse{voiceprivacy@#1}"
    r"\else\PackageError{voiceprivacy}{There is no number #1}{}\fi}"
)
CITED = re.compile(r" \[@([\w,]+)\]")

PROTOCOLS = {
    "enrol_trial": "every speaker was enrolled with some of the utterances and tried with the rest",
    "given": "trial lists were given",
    "all_pairs": "all pairs of utterances were tried",
    "rank_sampling": "galleries were sampled for tests and templates of several lengths",
}
VERSIONS = {ORIGINAL: "unprotected", OTHERS: "by every other anonymiser"}  # of what is learnt from
OURS = re.compile(r"\{scripts\}/(?:voiceprivacy/anonymise/functions/)?(\w+\.py)\b")
ANONYMISERS = {  # a file of ours in the command or function -> what it is
    "anonymise_mcadams.py": "the McAdams coefficient [@mcadams]",
    "mcadams.py": "the McAdams coefficient [@mcadams]",
    "warping.py": "vocal-tract length normalisation [@vtln]",
    "cascade.py": "a cascade of voice modifications [@cascade]",
    "shifting.py": "shifted pitch and tempo",
    "stt_tts.py": "speech recognition and synthesis",
    "retuning.py": "retuned pitch [@psola]",
    "channels.py": "a telephone channel, a filter or coding",
    "voices.py": "borrowed or whispered voices",
    "world.py": "the vocoder WORLD [@world]",
}
NETWORKS = {  # the beginning of a recipe's name
    "ecapa": "ECAPA-TDNN [@ecapa]",
    "xvector": "x-vectors [@xvector]",
}
BACKENDS = {
    "cosine": "the cosine of embeddings",
    "plda": "probabilistic linear discriminant analysis [@plda,lengthnorm]",
    "speechbrain_plda": "probabilistic linear discriminant analysis [@plda,speechbrain]",
    "procrustes": "the cosine after an orthogonal alignment [@procrustes]",
    "jensen_shannon": "the Jensen-Shannon divergence of histograms",
}
READY = {CONVERSIONS: "trained on what other anonymisers make of speech"}
FEATURES = {
    "f0": "histograms of the fundamental frequency [@yin]",
    "contour": "range and slopes of the fundamental frequency [@yin]",
    "units": "histograms of acoustic units",
    "style": "style of wording",
    "words": "words of the transcripts",
    "timing": "timing of speech and pauses",
    "background": "what is heard in the pauses",
}
METRICS_SAID = (  # any of these metrics -> what it is
    (("eer_percent",), "the equal error rate (EER)"),
    (("cllr_bit", "cllr_min_bit"), "Cllr and min Cllr [@cllr]"),
    (("linkability", "linkability_vpc"), "linkability [@linkability,maouche]"),
    (
        ("dece_bit", "worst_case_log10"),
        "ZEBRA's expected and worst-case disclosure [@zebra]",
    ),
    (("cece_linear_bit",), "the calibration cost C_ECE between two runs [@noe2022]"),
    (
        ("deid_percent", "gvd_db"),
        "de-identification and gain of voice distinctiveness by similarity matrices"
        " [@noe2020,noe2022]",
    ),
    (("mean_disclosure_bit",), "disclosure by similarity rank [@ranks]"),
    *(((f"inferred_{one}_percent",), f"inference of the speaker's {one}") for one in ATTRIBUTES),
)
SIMILARITIES = {
    "geometric": "geometric means of posteriors [@noe2022]",
    "sigmoid_mean": "posteriors of mean log-likelihood ratios [@noe2020]",
}
PAIRS = {"all": "all pairs of recordings", "upper": "pairs above the diagonal"}
LOSSES = {
    "auto": "likelihood",
    "ll": "likelihood",
    "ms": "squared error",
    "wms": "weighted squared error",
    "rwms": "rank-weighted squared error",
    "cll": "constrained likelihood",
}
UTILITY: list[tuple[tuple[str, ...], str]] = []
for _kind in kinds.measure_kinds().values():
    UTILITY += [((metric,), words) for metric, words in _kind.said.items()]


def methods(
    numbers: Sequence[Number],
    provenance: Mapping[str, Any],
    speech: Sequence[PartOfCorpus] = (),
) -> list[str]:
    """The sentences of a run, without their full stops.

    Parameters
    ----------
    numbers : of metrics.tsv
    provenance : as provenance.json has it; parts that are missing are not spoken of
    speech : the sizes of the corpora's parts
    """
    config = provenance.get("config", {})
    return [
        *_software(provenance),
        *_speech(config, speech),
        *_trials(numbers),
        *_anonymisers(config),
        *_attackers(config),
        *_measures(numbers, config.get("report", {})),
        *_uncertainty(numbers, config),
    ]


def write_methods(folder: Path, sentences: Iterable[str]) -> list[Path]:
    """Write methods.tex, methods.md and methods.bib; their paths."""
    text = "".join(f"{sentence}. " for sentence in sentences).rstrip()
    entries = read_citations()
    keys = itertools.chain.from_iterable(match.split(",") for match in CITED.findall(text))
    cited = list(dict.fromkeys(keys))
    texts = {
        "methods.tex": _latex(text) + "\n",
        "methods.md": CITED.sub(_as_pandoc_cites, text) + "\n",
        "methods.bib": "\n".join(entries[key] for key in cited),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts.items():
        write_text(folder / name, content)
    return [folder / name for name in texts]


def read_citations() -> dict[str, str]:
    """The entries of BibTeX that there are: {key: text}."""
    text = CITATIONS.read_text(encoding="utf-8")
    entries = re.finditer(r"^@\w+\{(\w+),\n.*?^\}\n", text, flags=re.MULTILINE | re.DOTALL)
    return {match[1]: match[0] for match in entries}


def write_numbers(path: Path, systems: Sequence[System]) -> None:
    """Write numbers.tex: what the comparison shows, each number by its name."""
    columns = shown_columns(systems)
    lines = [r"\makeatletter", ACCESS]
    for system in systems:
        attacked = (system.anonymiser, system.condition, system.extractor, system.backend)
        for trials in system.sets:
            for column in columns:
                number = system.shown(trials, column.name)
                name = "/".join([system.corpus, trials, *attacked, column.name])
                lines.append(_command(name, column.text(number.value)))
                if number.limits:
                    low, high = map(column.text, number.limits)
                    lines.append(_command(f"{name}/interval", f"[{low}, {high}]"))
    write_text(path, "\n".join([*lines, r"\makeatother", ""]))


def _command(name: str, text: str) -> str:
    return rf"\@namedef{{voiceprivacy@{name}}}{{{latex(text)}}}"


def _software(provenance: Mapping[str, Any]) -> Iterator[str]:
    version = provenance.get("version", "")
    commit, state = (provenance.get(name) or "" for name in ("git_commit", "git_state"))
    changes = f", {state}" if "changes" in state else ""
    source = f" (commit {commit[:12]}{changes})" if commit else ""
    workflow = "a workflow of Snakemake [@snakemake]"
    yield f"Privacy was evaluated with voiceprivacy {version}{source}, {workflow}"


def _speech(config: Mapping[str, Any], speech: Sequence[PartOfCorpus]) -> Iterator[str]:
    by_use: dict[str, list[str]] = {}
    protocols: dict[str, None] = {}
    for name, corpus in config.get("corpora", {}).items():
        kind = corpus_kinds.name_in(corpus)
        if kind is None:
            continue
        use = corpus.get("use", EVALUATION)
        if use == TRAIN and name not in _learnt_from(config):
            continue
        sizes = [_size(part) for part in speech if part.corpus == name]
        facts = "; ".join([corpus_kinds.corpus_kind(kind).cited, *sizes])
        by_use.setdefault(use, []).append(f"{name} ({facts})")
        protocols |= dict.fromkeys(corpus.get("protocol", {}))
    if EVALUATION in by_use:
        yield f"Speech was that of {_all(by_use[EVALUATION])}"
    if UTILITY_ALONE in by_use:
        yield f"Utility alone was measured on {_all(by_use[UTILITY_ALONE])}"
    for protocol in protocols:
        if protocol in PROTOCOLS:
            yield PROTOCOLS[protocol].capitalize()
    if TRAIN in by_use:
        yield f"Attackers were trained on {_all(by_use[TRAIN])}"


def _size(part: PartOfCorpus) -> str:
    n_speakers = part.women + part.men + part.of_unknown_gender
    recordings = counted(part.utterances, f"{part.part} recording")
    return f"{recordings} of {counted(n_speakers, 'speaker')}, {60 * part.hours:.1f} min"


def _trials(numbers: Iterable[Number]) -> Iterator[str]:
    lists: dict[str, dict[tuple[str, str], int]] = {"n_target": {}, "n_nontarget": {}}
    for number in numbers:
        count = whole_number_in(number.value)
        if number.metric in lists and count is not None:
            lists[number.metric].setdefault((number.corpus, number.trials), count)
    target, nontarget = (sum(of_lists.values()) for of_lists in lists.values())
    if target and nontarget:
        n_lists = counted(len(lists["n_target"]), "list")
        yield f"{n_lists} held {target} target and {nontarget} nontarget trials"


def _learnt_from(config: Mapping[str, Any]) -> set[str]:
    """The corpora that an attacker learns from: of train, of units, of words."""
    corpora: set[str] = set()
    for section in ("extractors", "backends"):
        for options in config.get(section, {}).values():
            learnt = [value for value in options.values() if isinstance(value, dict)]
            corpora.update(value["corpus"] for value in learnt if "corpus" in value)
    return corpora


def _anonymisers(config: Mapping[str, Any]) -> Iterator[str]:
    shown: list[str] = []
    controls: list[str] = []
    for name, anonymiser in config.get("anonymisers", {}).items():
        if anonymiser.get("draw", 1) > 1:  # further draws of one that is named already
            continue
        program = f"{anonymiser.get('command', '')} {anonymiser.get('function', '')}"
        ours = OURS.search(program)
        known = ANONYMISERS.get(ours[1]) if ours else None
        (controls if anonymiser.get("control") else shown).append(_called(name, known))
    if shown:
        yield f"{counted(len(shown), 'anonymiser')} {_were(shown)} evaluated: {_all(shown)}"
    if controls:
        of_controls = f"{counted(len(controls), 'control')}, whose protection is known,"
        yield f"{of_controls} {_were(controls)} evaluated: {_all(controls)}"


def _attackers(config: Mapping[str, Any]) -> Iterator[str]:
    extractors, backends = [], []
    for name, extractor in config.get("extractors", {}).items():
        feature = next((FEATURES[feature] for feature in FEATURES if feature in extractor), None)
        recipe = str(extractor.get("recipe", ""))
        network = next((NETWORKS[start] for start in NETWORKS if recipe.startswith(start)), None)
        toolkit = "with SpeechBrain [@speechbrain]" if network else None
        given = "a given model" if "model" in extractor else None
        parts = (feature, network, given, extractor.get("package"), _trained(extractor), toolkit)
        extractors.append(_called(name, *parts))
    for name, backend in config.get("backends", {}).items():
        how = BACKENDS.get(backend.get("type", ""))
        if "plan" in config and backend.get("type") == "cosine":
            how = f"{how} by {PLANS_OF_2026[config['plan']]}"
        elsewhere = READY.get(backend["model"], "trained elsewhere") if "model" in backend else None
        backends.append(_called(name, how, elsewhere, _trained(backend)))
    if scored := [*config.get("attacks", {})]:
        yield f"Scores of {_all(scored)} were made elsewhere"
    if extractors:
        yield f"Attackers heard speech by {_all(extractors)}"
    if backends:
        yield f"They compared it by {_all(backends)}"


def _trained(options: Mapping[str, Any]) -> str | None:
    """What an attacker is trained on; None where it is not trained, or not by the run."""
    train = options.get("train")
    if not isinstance(train, dict):
        return None
    of_corpus = f" of {train['corpus']}" if "corpus" in train else ""
    if isinstance(speech := train.get("speech", ""), list):
        versions = _all([VERSIONS.get(name, f"by {name}") for name in speech])
        return f"trained on speech{of_corpus}: {versions}"
    systems = train.get("anonymisers", [])
    by = f" by {_all(systems)}" if systems else ""
    return f"trained on {speech} speech{of_corpus}{by}"


def _measures(numbers: Iterable[Number], report: Mapping[str, Any]) -> Iterator[str]:
    there = {number.metric for number in numbers}
    for rows, words in (
        (METRICS_SAID, "What was left of the speaker was measured by"),
        (UTILITY, "What the protected speech is good for was measured by"),
    ):
        measures = [said for names, said in rows if there & set(names)]
        if measures:
            yield f"{words} {_all(measures)}"
    if "p_target" in report and "min_dcf" in there:
        yield f"The detection cost min DCF is that of a prior of {report['p_target']} for targets"
    if "similarity" in report and "deid_percent" in there:
        means, pairs = (report["similarity"][key] for key in ("definition", "pairs"))
        yield f"Similarities are {SIMILARITIES[means]} of {PAIRS[pairs]}"
    if "rank_fit" in report and "model_mean_disclosure_bit" in there:
        yield f"Beta-binomial models of ranks were fitted by {LOSSES[report['rank_fit']]} [@ranks]"


def _uncertainty(numbers: Iterable[Number], config: Mapping[str, Any]) -> Iterator[str]:
    with_limits = [number for number in numbers if number.ci_low != ABSENT]
    of_privacy = [number for number in with_limits if number.extractor != ABSENT]
    draws = config.get("report", {}).get("bootstrap", 0)
    if of_privacy and draws:
        # Comparing many anonymisers needs more than the config wants.
        words = f"Intervals (95 %) are over speakers, by a bootstrap of {draws} draws or more"
        yield f"{words} [@snijders,efron]"


def _were(shown: Sequence[str]) -> str:
    return "was" if len(shown) == 1 else "were"


def _called(name: str, *parts: str | None) -> str:
    """A name, and what is known of it in brackets."""
    known = " ".join(filter(None, parts))
    return f"{name} ({known})" if known else name


def _all(parts: Sequence[str]) -> str:
    return listed(parts, most=len(parts))


def _latex(text: str) -> str:
    words = CITED.split(text)  # every other one is the keys of a citation
    words[::2] = map(latex, words[::2])
    words[1::2] = (rf"~\cite{{{keys}}}" for keys in words[1::2])
    return "".join(words)


def _as_pandoc_cites(match: re.Match) -> str:
    """[@key; @key], which Pandoc turns into a citation of methods.bib."""
    return f" [@{match[1].replace(',', '; @')}]"
