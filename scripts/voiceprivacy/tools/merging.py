"""Two folders of results as one, so that one report shows both.

Conventions
-----------
* Results are aligned by attack: a trial list under an attacker.
* A list is common if both have it with the same numbers of trials; otherwise its corpus is called
  CORPUS@NAME, where NAME is what the results are called.
* An attacker is common on a corpus if unprotected speech gives the same numbers on its common
  lists. Otherwise it is another model under the same name, or other speech, and its extractor is
  called EXTRACTOR@NAME.
* Anonymisers are called ANONYMISER@NAME; the original of a common attack stands there once.
* Utility has - as extractor and backend, and as list where it was measured on a whole part.
"""

import math
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import BadInput
from voiceprivacy.provenance.record import FIELDS, Difference, read_provenance
from voiceprivacy.report.figures import KINDS
from voiceprivacy.report.listen import Example, read_examples
from voiceprivacy.report.metrics import Number, read_metrics
from voiceprivacy.report.published import Published, read_published
from voiceprivacy.report.sections import Corpora, Finding, Utility, read_corpora, read_utility
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, TrialList

COUNTS = {"n_target": 0.0, "n_nontarget": 0.0}  # how far they may differ: not at all
TOLERANCES = {"eer_percent": 0.1, "cllr_bit": 0.01}  # another processor rounds differently
ONLY_HERE = "only here"
# Of files FAMILY/CORPUS/TRIALS/ANONYMISER/EXTRACTOR/BACKEND.*; others are of several systems.
PICTURES = "report/figures"
TREES = ("metrics", "curves", PICTURES)


class Results(NamedTuple):
    """A folder of results: what it is called, its numbers, its provenance."""

    name: str
    folder: Path
    metrics: list[Number]
    provenance: dict[str, Any]

    def anonymiser(self, name: str) -> str:
        """What an anonymiser of these results is called beside those of others."""
        return name if name == ORIGINAL else f"{name}@{self.name}"


class Merged(NamedTuple):
    """What became of the attacks of two results.

    ``renamed``: {name of the results: {attack: the attack's name in the merged folder}};
    ``common``: attacks of both; ``alone``: {name of the results: {attack: why it stands apart}}.
    """

    both: Sequence[Results]
    metrics: list[Number]
    renamed: dict[str, dict[Attack, Attack]]
    common: set[Attack]
    alone: dict[str, dict[Attack, str]]

    def takes(self, results: Results, attack: Attack, anonymiser: str) -> bool:
        """Whether a system is shown; the second results' original is not where both have it."""
        is_first = results is self.both[0]
        return anonymiser != ORIGINAL or is_first or attack not in self.common

    def corpus_names(self, results: Results, corpus: str, trials: str | None = None) -> list[str]:
        """What a corpus of some results is called: another name for some of its lists, or its own.

        With ``trials``, only the names for this list are given.
        """
        names = set()
        for attack, renamed in self.renamed[results.name].items():
            if attack.corpus == corpus and trials in (None, attack.trials):
                names.add(renamed.corpus)
        return sorted(names) or [corpus]


def read_results(name: str, folder: str | Path) -> Results:
    """Read a folder of results (metrics.tsv and provenance.json in it).

    Raises
    ------
    BadInput : the folder or one of the files is missing or damaged
    """
    folder = Path(folder)
    for path in (folder, folder / "metrics.tsv", folder / "provenance.json"):
        if not path.exists():
            raise BadInput(f"{path}: not found")
    metrics = []
    for line in read_metrics(foreign.plain_file(folder / "metrics.tsv", folder)):
        for field in (*Attack._fields, "anonymiser"):
            if getattr(line, field) != ABSENT:  # no NAME@RUN: which run is said here
                foreign.name(getattr(line, field), f"{folder / 'metrics.tsv'}: {field}")
        # What one extractor tells of people belongs to no list, by which two runs are aligned.
        if line.extractor == ABSENT or line.trials != ABSENT:
            metrics.append(line)
    provenance = read_provenance(foreign.plain_file(folder / "provenance.json", folder))
    foreign.plain_files(folder, "verdict.json")
    return Results(name, folder, metrics, provenance)


def merge(both: Sequence[Results]) -> Merged:
    """Align two results."""
    attacks = [{_attack(number) for number in results.metrics} for results in both]
    reasons = _apart(attacks, [_original_numbers(results.metrics) for results in both])
    common = (attacks[0] & attacks[1]) - reasons.keys()
    renamed, alone = {}, {}
    for results, own in zip(both, attacks, strict=True):
        renamed[results.name] = {attack: attack for attack in sorted(own)}
        alone[results.name] = dict.fromkeys(sorted(own - common), ONLY_HERE)
        for attack in own & reasons.keys():
            reason = reasons[attack]
            renamed[results.name][attack] = reason.rename(attack, results.name)
            alone[results.name][attack] = reason.why
    merged = Merged(both, [], renamed, common, alone)
    for results in both:
        merged.metrics.extend(_renamed_metrics(results, merged))
    merged.metrics.sort()
    return merged


def _renamed_metrics(results, merged):
    for number in results.metrics:
        attack = _attack(number)
        if merged.takes(results, attack, number.anonymiser):
            renamed = merged.renamed[results.name][attack]
            yield number._replace(
                corpus=renamed.corpus,
                extractor=renamed.extractor,
                anonymiser=results.anonymiser(number.anonymiser),
            )


def _attack(number):
    return Attack(number.corpus, number.trials, number.extractor, number.backend)


def _trial_list(attack):
    return TrialList(attack.corpus, attack.trials)


class _Reason(NamedTuple):
    """Why an attack of the same name stands apart, and which of its names gets an ending."""

    field: str  # corpus or extractor
    why: str

    def rename(self, attack, ending):
        name = getattr(attack, self.field)
        return attack._replace(**{self.field: f"{name}@{ending}"})


def _apart(attacks, numbers):
    """{attack: _Reason} of those that are not the same in both.

    Parameters
    ----------
    attacks : of both results
    numbers : of both results, {attack: {metric: text}} of unprotected speech
    """
    first, second = attacks
    lists = {_trial_list(attack) for attack in first | second}
    why_apart = {named: _list_difference(named, attacks, numbers) for named in lists}
    reasons = {}
    for attack in first | second:
        why = why_apart[_trial_list(attack)]
        if attack.trials == ABSENT and _all_lists_differ(attack.corpus, why_apart):
            why = "its trial lists stand apart"  # and the utility of the whole part with them
        if why:
            reasons[attack] = _Reason("corpus", why)
    return reasons | _attackers_apart((first & second) - reasons.keys(), numbers)


def _attackers_apart(common, numbers):
    """{attack: _Reason} of attackers under whom unprotected speech has other numbers.

    ``common`` are attacks on lists that are the same in both. One list with other numbers is
    enough: then the attacker stands apart on all lists of the corpus.
    """
    reasons = {}
    for attack in sorted(common):
        if attack in reasons:
            continue
        if why := _difference(*(texts.get(attack, {}) for texts in numbers), TOLERANCES):
            reason = _Reason("extractor", f"{why}: another attacker, or other speech")
            for other in common:
                if other == attack._replace(trials=other.trials):
                    reasons[other] = reason
    return reasons


def _all_lists_differ(corpus, why_apart):
    """Whether a corpus has trial lists, and none of them is the same in both."""
    own = [named for named in why_apart if named.corpus == corpus and named.trials != ABSENT]
    return bool(own) and all(why_apart[named] for named in own)


def _list_difference(trial_list, attacks, numbers):
    """Why a list is not the same in both; nothing where it is."""
    counts = []
    for own, texts in zip(attacks, numbers, strict=True):
        on_list = sorted(attack for attack in own if _trial_list(attack) == trial_list)
        if not on_list:
            return ONLY_HERE
        # The trials of a list are the same for every attacker: the first one says how many.
        counted = [texts[attack] for attack in on_list if attack in texts]
        counts.append(counted[0] if counted else {})
    return _difference(*counts, COUNTS)


def _original_numbers(metrics):
    """{attack: {metric: text}} of unprotected speech."""
    texts: dict[Attack, dict[str, str]] = {}
    for number in metrics:
        if number.anonymiser == ORIGINAL and number.condition == "oo":
            texts.setdefault(_attack(number), {})[number.metric] = number.value
    return texts


def _difference(one, other, tolerances):
    """What differs between numbers {metric: text} of two originals; nothing where they agree."""
    for name, tolerance in tolerances.items():
        if name in one and name in other and not _is_close(one[name], other[name], tolerance):
            return f"{name} of unprotected speech is {_short(one[name])} and {_short(other[name])}"
    return ""


def _is_close(one, other, tolerance):
    try:
        return one == other or math.isclose(float(one), float(other), rel_tol=0, abs_tol=tolerance)
    except ValueError:  # a word such as undefined
        return False


def _short(text):
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


# Files.


def copy_files(merged: Merged, folder: Path, *, with_people: bool = False) -> None:
    """Copy metrics, curves, pictures and manifests under their names in the merged folder.

    ``with_people``: pictures that name speakers, too, whose codes here would be others.

    Raises
    ------
    BadInput : a file is a link or no plain one, or a picture does more than show something
    """
    for results in merged.both:
        for tree in TREES:
            for path in foreign.plain_files(results.folder, f"{tree}/**/*"):
                name = _renamed_path(path.relative_to(results.folder / tree), results, merged)
                if name and tree == PICTURES:
                    kind = KINDS.get(name.parts[0])
                    if kind is None or (kind.of_people and not with_people):
                        continue
                    if path.suffix == ".tex":  # earlier runs drew for LaTeX, too
                        continue
                    foreign.harmless_picture(path)
                if name:
                    _copy(path, folder / tree / name)
        # What charts read beside curves: who speaks, and the coefficients that were drawn.
        audio = results.folder / "audio"
        for path in foreign.plain_files(results.folder, "audio/*/trial/*/manifest*.tsv"):
            corpus, part, anonymiser, file = path.relative_to(audio).parts
            for name in merged.corpus_names(results, corpus):
                _copy(path, folder / "audio" / name / part / results.anonymiser(anonymiser) / file)


def _copy(path, copy):
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy, follow_symlinks=False)


def _renamed_path(relative, results, merged):
    """The path of a file in the merged folder; None for what is not taken."""
    if len(relative.parts) != 6:
        return None  # of several systems: those of two runs cannot be made one
    family, corpus, trials, anonymiser, extractor, file = relative.parts
    attack = Attack(corpus, trials, extractor, backend=file.partition(".")[0])
    renamed = merged.renamed[results.name].get(attack)
    if not renamed or not merged.takes(results, attack, anonymiser):
        return None
    name = results.anonymiser(anonymiser)
    return Path(family, renamed.corpus, renamed.trials, name, renamed.extractor, file)


# What else a page shows: utility, the corpora, clips to listen to, published numbers.


def merged_utility(merged: Merged) -> list[Utility]:
    """The measures of utility of both results, named like the attacks."""
    taken = []
    for results in merged.both:
        paths = foreign.plain_files(results.folder, "metrics/utility/*.tsv")
        for measure in read_utility(paths):
            attack = Attack(measure.corpus, measure.trials, ABSENT, ABSENT)
            if merged.takes(results, attack, measure.anonymiser):
                corpus = merged.renamed[results.name][attack].corpus
                anonymiser = results.anonymiser(measure.anonymiser)
                taken.append(measure._replace(corpus=corpus, anonymiser=anonymiser))
    return taken


def merged_corpora(merged: Merged) -> Corpora | None:
    """The corpora of both results, the same ones once; None where nothing is known of them."""
    speech, lists = set(), set()
    findings: dict[str, dict[Finding, None]] = {}
    is_known = False
    for results in merged.both:
        corpora = _corpora(results)
        if not corpora:
            continue
        is_known = True
        for row in corpora.speech:
            for name in merged.corpus_names(results, row.corpus):
                speech.add(row._replace(corpus=name))
        for row in corpora.lists:
            for name in merged.corpus_names(results, row.corpus, row.trials):
                lists.add(row._replace(corpus=name))
        for corpus, rows in corpora.findings.items():  # the same findings count once
            for name in merged.corpus_names(results, corpus):
                findings.setdefault(name, {}).update(dict.fromkeys(rows))
    if not is_known:
        return None
    each_once = {corpus: list(rows) for corpus, rows in findings.items()}
    return Corpora(sorted(speech), sorted(lists), each_once)


def _corpora(results):
    """What the tables of a folder of results say of its corpora; None where there are none."""
    foreign.plain_files(results.folder, "report/tables/*")
    tables = results.folder / "report" / "tables"
    speech, lists = tables / "speech.tsv", tables / "trials.tsv"
    if not (speech.is_file() and lists.is_file()):
        return None
    checks = foreign.plain_files(results.folder, "checks/*.tsv")
    checks = [path for path in checks if not path.stem.endswith(".excluded")]
    return read_corpora(speech, lists, checks)


def merged_examples(
    merged: Merged, codes: Mapping[str, Mapping[str, str]] | None = None
) -> list[Example]:
    """Clips of both results: versions of one utterance beside each other, the original once.

    Parameters
    ----------
    merged : two results
    codes : of corpora whose speakers are not named, and whose originals are not played
    """
    examples: dict[tuple[str, ...], Example] = {}
    for results in merged.both:
        paths = foreign.plain_files(results.folder, "report/listen/*.json")
        for example in read_examples(paths):
            clips = []
            for clip in example.clips:
                clips.append(clip._replace(anonymiser=results.anonymiser(clip.anonymiser)))
            has_names = any(clip.anonymiser == ORIGINAL for clip in clips)
            for corpus in merged.corpus_names(results, example.corpus, example.trials):
                if has_names and codes is not None and corpus in codes:
                    continue  # of an internal page: whose speech it is was not looked at
                # Another run's codes are of other people and utterances.
                key = (corpus, example.trials, example.utterance, "" if has_names else results.name)
                known = examples.setdefault(key, example._replace(corpus=corpus, clips=[]))
                # The original was taken from the first results already.
                has_original = any(clip.anonymiser == ORIGINAL for clip in known.clips)
                for clip in clips:
                    if clip.anonymiser != ORIGINAL or not has_original:
                        known.clips.append(clip)
    return [examples[key] for key in sorted(examples)]


def merged_published(both: Sequence[Results]) -> list[Published]:
    """Published numbers beside those of both results; of an original the first results' number."""
    rows: dict[Published, Published] = {}
    for results in both:
        path = results.folder / "report" / "tables" / "published.tsv"
        if not foreign.plain_files(results.folder, "report/tables/published.tsv"):
            continue
        for row in read_published(path):
            row = row._replace(anonymiser=results.anonymiser(row.anonymiser))
            # the same number of the same system from the same source
            key = row._replace(value="", ci_low="", ci_high="", attacker="", unbiased="")
            rows.setdefault(key, row)
    return sorted(rows.values())


def averages_of_both(merged: Merged) -> dict[str, dict[str, dict[str, float]]]:
    """The averages over corpora of which all lists were tried, as in a config: {name: weights}.

    A name that means something else in the second results is called NAME@SECOND there.
    """
    tried = {TrialList(number.corpus, number.trials) for number in merged.metrics}
    averages: dict[str, dict[str, dict[str, float]]] = {}
    for results in merged.both:
        report = results.provenance.get("config", {}).get("report", {})
        for name, weights in report.get("averages", {}).items():
            if tried.issuperset(_trial_lists(weights)):
                is_same = averages.get(name, weights) == weights
                averages[name if is_same else f"{name}@{results.name}"] = weights
    return averages


def _trial_lists(weights):
    """The lists of an average {corpus: {trials: weight}}."""
    for corpus, lists in weights.items():
        yield from (TrialList(corpus, trials) for trials in lists)


# One provenance for the page.


def merged_provenance(
    both: Sequence[Results], differing: Sequence[Difference], averages: Mapping
) -> dict[str, Any]:
    """One provenance for the page: where two results differ, both values.

    Parameters
    ----------
    both : two results
    differing : what the page says of their differences
    averages : over corpora, as in a config
    """
    first, second = (results.provenance for results in both)
    names = [results.name for results in both]
    fields = [field for field in FIELDS if field in first or field in second]
    merged = {field: _joined(names, first.get(field), second.get(field)) for field in fields}
    for section in ("packages", "revisions", "seeds"):
        one, other = first.get(section, {}), second.get(section, {})
        keys = dict.fromkeys([*one, *other])
        merged[section] = {key: _joined(names, one.get(key), other.get(key)) for key in keys}

    configs = [results.provenance.get("config", {}) for results in both]
    anonymisers = {}
    for name, config in zip(names, configs, strict=True):
        for anonymiser, options in config.get("anonymisers", {}).items():
            anonymisers[f"{anonymiser}@{name}"] = options
    return merged | {
        "config": {
            "anonymisers": anonymisers,
            "report": configs[0].get("report", {}) | {"averages": averages},
            **dict(zip(names, configs, strict=True)),
        },
        "differences": {"names": names, "rows": differing},
    }


def _joined(names, first, second):
    """The value of both, or each with the name of its results in front."""
    values = [ABSENT if value is None else value for value in (first, second)]
    if values[0] == values[1]:
        return values[0]
    return "; ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))
