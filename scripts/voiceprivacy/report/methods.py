"""What an author writes of a run: a methods paragraph with its references, and numbers by name.

Conventions
-----------
* A sentence stands in the paragraph because the run's config or its numbers hold what it says.
* References are entries of workflow/resources/citations.bib. methods.bib has those that are cited,
  and no others.
* Commands, functions and models of the user's are named; what they are is for him to say.
* Paths of the config are not repeated: a paragraph is for readers elsewhere.
* \\vpnumber{CORPUS/LIST/ANONYMISER/CONDITION/EXTRACTOR/BACKEND/METRIC} of numbers.tex is a number
  as the comparison shows it; with /interval behind it, its 95 % interval. A number that is not
  there is an error of LaTeX.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.files import RESOURCES, counted
from voiceprivacy.report.comparison import System, expanded, shown_columns
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.typeset import latex, listed, write_text
from voiceprivacy.vocabulary import ABSENT, CORPUS_KINDS, EVALUATION, PITCH, TRAIN, UTILITY_ALONE

CITATIONS = RESOURCES / "citations.bib"
ACCESS = (
    r"\newcommand{\vpnumber}[1]{\ifcsname voiceprivacy@#1\endcsname\@nameuse{voiceprivacy@#1}"
    r"\else\PackageError{voiceprivacy}{There is no number #1}{}\fi}"
)
ACCENTS = {r"\"o": "ö", r"\"u": "ü", r"\"a": "ä", r"\'e": "é", r"\"e": "ë", r"\c c": "ç"}
MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


class Said(NamedTuple):
    """A sentence (without its full stop), and what it cites."""

    words: str
    cites: tuple[str, ...] = ()


CORPORA = {
    "librispeech": Said("LibriSpeech", ("librispeech",)),
    "vctk": Said("VCTK", ("vctk",)),
    "synthetic": Said("speech of synthetic speakers by eSpeak NG"),
    "kaldi": Said("a data directory in Kaldi's format"),
    "folder": Said("folders of recordings"),
    "iemocap": Said("IEMOCAP", ("iemocap",)),
}
PROTOCOLS = {
    "enrol_trial": "every speaker was enrolled with some of the utterances and tried with the rest",
    "given": "trial lists were given",
    "all_pairs": "all pairs of utterances were tried",
    "rank_sampling": "galleries were sampled for tests and templates of several lengths",
}
OURS = re.compile(r"\{scripts\}/(?:voiceprivacy/anonymise/functions/)?(\w+\.py)\b")
ANONYMISERS = {  # a file of ours in the command or function -> what it is
    "anonymise_mcadams.py": Said("the McAdams coefficient", ("mcadams",)),
    "warping.py": Said("vocal-tract length normalisation", ("vtln",)),
    "cascade.py": Said("a cascade of voice modifications", ("cascade",)),
    "shifting.py": Said("shifted pitch and tempo"),
    "retuning.py": Said("retuned pitch", ("psola",)),
    "channels.py": Said("a telephone channel, a filter or coding"),
    "voices.py": Said("borrowed or whispered voices"),
    "world.py": Said("the vocoder WORLD", ("world",)),
}
NETWORKS = {  # the beginning of a recipe's name
    "ecapa": Said("ECAPA-TDNN", ("ecapa",)),
    "xvector": Said("x-vectors", ("xvector",)),
}
BACKENDS = {
    "cosine": Said("the cosine of embeddings"),
    "plda": Said("probabilistic linear discriminant analysis", ("plda", "lengthnorm")),
    "procrustes": Said("the cosine after an orthogonal alignment", ("procrustes",)),
    "jensen_shannon": Said("the Jensen-Shannon divergence of histograms"),
    "fusion": Said("a logistic fusion of attackers"),
}
FEATURES = {
    "f0": Said("histograms of the fundamental frequency", ("yin",)),
    "contour": Said("range and slopes of the fundamental frequency", ("yin",)),
    "units": Said("histograms of acoustic units"),
    "style": Said("style of wording"),
    "words": Said("words of the transcripts"),
    "timing": Said("timing of speech and pauses"),
    "background": Said("what is heard in the pauses"),
}
METRICS_SAID = (  # any of these metrics -> what it is
    (("eer_percent",), Said("the equal error rate (EER)")),
    (("cllr_bit", "cllr_min_bit"), Said("Cllr and min Cllr", ("cllr",))),
    (("linkability", "linkability_vpc"), Said("linkability", ("linkability", "maouche"))),
    (
        ("dece_bit", "worst_case_log10"),
        Said("ZEBRA's expected and worst-case disclosure", ("zebra",)),
    ),
    (("cece_linear_bit",), Said("the calibration cost C_ECE between two runs", ("noe2022",))),
    (
        ("deid_percent", "gvd_db"),
        Said(
            "de-identification and gain of voice distinctiveness by similarity matrices",
            ("noe2020", "noe2022"),
        ),
    ),
    (("mean_disclosure_bit",), Said("disclosure by similarity rank", ("ranks",))),
    (("inferred_sex_percent",), Said("whether the speaker's sex can be inferred")),
)
UTILITY = (
    ((PITCH,), Said("the correlation of pitch", ("vpc2022", "yin"))),
    (("dnsmos_overall",), Said("DNSMOS", ("dnsmos",))),
    (("estoi",), Said("ESTOI", ("estoi",))),
    (
        ("closed_text_wer_percent",),
        Said("word errors among the transcripts of the run", ("pocketsphinx",)),
    ),
    (("voice_consistency",), Said("the consistency of protected voices")),
    (("sex_kept_percent",), Said("whether a voice still sounds like one of the speaker's sex")),
    (("wer_percent",), Said("word errors of a recogniser")),
    (("uar_percent",), Said("unweighted average recall of emotions")),
)


def methods(numbers: Sequence[Number], provenance: Mapping[str, Any]) -> list[Said]:
    """The sentences of a run.

    Parameters
    ----------
    numbers : of metrics.tsv
    provenance : as provenance.json has it; parts that are missing are not spoken of
    """
    config = provenance.get("config", {})
    sections = (_software(provenance), _speech(config), _anonymisers(config))
    said = list(itertools.chain.from_iterable(sections))
    return [*said, *_attackers(config), *_measures(numbers), *_uncertainty(numbers, config)]


def write_methods(folder: Path, said: Sequence[Said]) -> list[Path]:
    """Write methods.tex, methods.md and methods.bib; their paths."""
    entries = read_citations()
    cited = list(_joined("", said).cites)
    texts = {
        "methods.tex": " ".join(_latex(sentence) for sentence in said) + "\n",
        "methods.md": _markdown(said, cited, entries),
        "methods.bib": "\n".join(entries[key] for key in cited),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / name, text)
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
        for trials, _ in expanded(system):
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


def _software(provenance: Mapping[str, Any]) -> Iterator[Said]:
    version = provenance.get("version", "")
    commit = (provenance.get("git_commit") or "")[:12]
    source = f" (commit {commit})" if commit else ""
    yield Said(
        f"Privacy was evaluated with voiceprivacy {version}{source}, a workflow of Snakemake",
        ("snakemake",),
    )


def _speech(config: Mapping[str, Any]) -> Iterator[Said]:
    by_use: dict[str, list[Said]] = {}
    protocols: dict[str, None] = {}
    for name, corpus in config.get("corpora", {}).items():
        kind = next((kind for kind in CORPUS_KINDS if kind in corpus), None)
        if kind is None:
            continue
        use = corpus.get("use", EVALUATION)
        if use == TRAIN and name not in _learnt_from(config):
            continue
        of_kind = CORPORA[kind]
        by_use.setdefault(use, []).append(Said(f"{name} ({of_kind.words})", of_kind.cites))
        protocols |= dict.fromkeys(corpus.get("protocol", {}))
    if EVALUATION in by_use:
        yield _joined("Speech was that of {}", by_use[EVALUATION])
    if UTILITY_ALONE in by_use:
        yield _joined("Utility alone was measured on {}", by_use[UTILITY_ALONE])
    for protocol in protocols:
        if protocol in PROTOCOLS:
            yield Said(PROTOCOLS[protocol].capitalize())
    if TRAIN in by_use:
        yield _joined("Attackers learnt from {}", by_use[TRAIN])


def _learnt_from(config: Mapping[str, Any]) -> set[str]:
    """The corpora that an attacker learns from: of train, of units, of words."""
    corpora: set[str] = set()
    for section in ("extractors", "backends"):
        for options in config.get(section, {}).values():
            learnt = [value for value in options.values() if isinstance(value, dict)]
            corpora.update(value["corpus"] for value in learnt if "corpus" in value)
    return corpora


def _anonymisers(config: Mapping[str, Any]) -> Iterator[Said]:
    shown: list[Said] = []
    controls: list[Said] = []
    for name, anonymiser in config.get("anonymisers", {}).items():
        if anonymiser.get("draw", 1) > 1:  # further draws of one that is named already
            continue
        program = f"{anonymiser.get('command', '')} {anonymiser.get('function', '')}"
        ours = OURS.search(program)
        known = ANONYMISERS.get(ours[1]) if ours else None
        said = Said(f"{name} ({known.words})", known.cites) if known else Said(name)
        (controls if anonymiser.get("control") else shown).append(said)
    if shown:
        yield _joined(f"{counted(len(shown), 'anonymiser')} {_were(shown)} evaluated: {{}}", shown)
    if controls:
        of_controls = f"{counted(len(controls), 'control')}, whose protection is known,"
        yield _joined(f"{of_controls} {_were(controls)} evaluated: {{}}", controls)


def _attackers(config: Mapping[str, Any]) -> Iterator[Said]:
    extractors, backends = [], []
    for name, extractor in config.get("extractors", {}).items():
        extractors.append(_extractor(name, extractor))
    for name, backend in config.get("backends", {}).items():
        known = BACKENDS.get(backend.get("type", ""), Said(""))
        extractors_words = f"{name} ({known.words})" if known.words else name
        backends.append(Said(extractors_words, known.cites))
    if extractors:
        yield _joined("Attackers heard speech by {}", extractors)
    if backends:
        yield _joined("They compared it by {}", backends)


def _extractor(name: str, extractor: Mapping[str, Any]) -> Said:
    feature = next((feature for feature in FEATURES if feature in extractor), None)
    if feature:
        return Said(f"{name} ({FEATURES[feature].words})", FEATURES[feature].cites)
    if "recipe" not in extractor:
        return Said(name)
    trained = extractor.get("train", {}).get("speech", "")
    for start, network in NETWORKS.items():
        if str(extractor["recipe"]).startswith(start):
            words = f"{network.words} trained on {trained} speech with SpeechBrain"
            return Said(f"{name} ({words})", (*network.cites, "speechbrain"))
    return Said(f"{name} (trained on {trained} speech)")


def _measures(numbers: Iterable[Number]) -> Iterator[Said]:
    there = {number.metric for number in numbers}
    for rows, words in (
        (METRICS_SAID, "What was left of the speaker was measured by {}"),
        (UTILITY, "What the protected speech is good for was measured by {}"),
    ):
        measures = [said for names, said in rows if there & set(names)]
        if measures:
            yield _joined(words, measures)


def _uncertainty(numbers: Iterable[Number], config: Mapping[str, Any]) -> Iterator[Said]:
    with_limits = [number for number in numbers if number.ci_low != ABSENT]
    of_privacy = [number for number in with_limits if number.extractor != ABSENT]
    draws = config.get("report", {}).get("bootstrap", 0)
    if of_privacy and draws:
        words = f"Intervals (95 %) are over speakers, by a bootstrap of {draws} draws"
        yield Said(words, ("snijders", "efron"))


def _were(shown: Sequence[Said]) -> str:
    return "was" if len(shown) == 1 else "were"


def _joined(words: str, parts: Sequence[Said]) -> Said:
    """One sentence of several parts, which cites what they cite."""
    cites: dict[str, None] = {}
    for part in parts:
        cites |= dict.fromkeys(part.cites)
    names = [part.words for part in parts]
    return Said(words.format(listed(names, most=len(names))), tuple(cites))


def _latex(said: Said) -> str:
    cites = f"~\\cite{{{','.join(said.cites)}}}" if said.cites else ""
    return f"{latex(said.words)}{cites}."


def _markdown(said: Sequence[Said], cited: Sequence[str], entries: Mapping[str, str]) -> str:
    numbers = {key: str(index) for index, key in enumerate(cited, start=1)}
    sentences = []
    for sentence in said:
        marks = ", ".join(numbers[key] for key in sentence.cites)
        words = MARKDOWN_SPECIAL.sub(r"\\\1", sentence.words)
        sentences.append(f"{words} [{marks}]." if marks else f"{words}.")
    references = [f"{numbers[key]}. {_reference(entries[key])}" for key in cited]
    return "\n".join([" ".join(sentences), "", *references, ""])


def _reference(bibtex: str) -> str:
    """An entry of BibTeX as a line of text."""
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", bibtex, flags=re.MULTILINE))
    where = fields.get("journal") or fields.get("booktitle") or fields.get("howpublished", "")
    text = f"{fields['author']}. {fields['title']}. {where}, {fields['year']}"
    for written, letter in ACCENTS.items():
        text = text.replace(written, letter)
    plain = text.replace("{", "").replace("}", "")
    return f"{plain}." + (f" https://doi.org/{fields['doi']}" if "doi" in fields else "")
