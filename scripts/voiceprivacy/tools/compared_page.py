"""The report of two folders of results, and a few lines about it."""

import itertools
import os
from pathlib import Path

from voiceprivacy.inout.files import SCRIPTS, BadInput, counted, whole_folder_or_absent, write_json
from voiceprivacy.inout.tables import write_table
from voiceprivacy.report.charts.draw import Place, draw, run_of
from voiceprivacy.report.comparison import compare, write_comparison
from voiceprivacy.report.corpora import Corpora, read_corpora
from voiceprivacy.report.examples import read_examples
from voiceprivacy.report.figures import Figure, embed
from voiceprivacy.report.latex import write_latex
from voiceprivacy.report.metrics import write_metrics
from voiceprivacy.report.page import write_page
from voiceprivacy.report.published import read_published, tables_of, write_published
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import read_comparisons
from voiceprivacy.report.utility import NOWHERE, utility_section
from voiceprivacy.tools.merged_comparisons import averages_of_both, write_comparisons
from voiceprivacy.tools.merging import copy_files, merge, merge_utility
from voiceprivacy.vocabulary import ORIGINAL

# What differs between two runs besides their numbers: config, versions, models, trial lists, machines.

FIELDS = ("version", "git_commit", "git_state", "python", "platform")


def differences(both):
    """Compare the provenance of two Results.

    Returns
    -------
    list of (what, value of the first, value of the second) : texts, - where one has none
    """
    flat = [dict(_flat(of.provenance)) for of in both]
    names = [
        name
        for name in dict.fromkeys([*flat[0], *flat[1]])
        if flat[0].get(name) != flat[1].get(name)
    ]
    return [(name, *(str(of.get(name, "-")) for of in flat)) for name in names]


def merged_provenance(both, found, averages):
    """One provenance for the page: where two runs differ both values; ``found``, the differences; their averages."""
    first, second = (of.provenance for of in both)
    names = [of.name for of in both]
    merged = {field: _joined(field, both) for field in FIELDS if field in first or field in second}
    anonymisers = {
        f"{name}@{of.name}": entry
        for of in both
        for name, entry in of.provenance.get("config", {}).get("anonymisers", {}).items()
    }
    configs = {of.name: of.provenance.get("config", {}) for of in both}
    report = first.get("config", {}).get("report", {}) | {"averages": averages}
    return merged | {
        "packages": {name: _joined(name, both, "packages") for name in _keys(both, "packages")},
        "revisions": {name: _joined(name, both, "revisions") for name in _keys(both, "revisions")},
        "seeds": {name: _joined(name, both, "seeds") for name in _keys(both, "seeds")},
        "config": {"anonymisers": anonymisers, "report": report, **configs},
        "differences": {"names": names, "rows": found},
    }


def _keys(both, section):
    return list(dict.fromkeys(name for of in both for name in of.provenance.get(section, {})))


def _joined(name, both, section=None):
    """The value of both runs, or each with its name in front."""
    values = [
        (of.provenance.get(section, {}) if section else of.provenance).get(name, "-") for of in both
    ]
    if values[0] == values[1]:
        return values[0]
    return "; ".join(f"{of.name}: {value}" for of, value in zip(both, values, strict=True))


def _flat(provenance):
    """(name, value) of what can matter to numbers, nested keys joined by dots."""
    for field in FIELDS:
        if field in provenance:
            yield field.replace("_", " "), provenance[field]
    for section in ("packages", "revisions"):
        yield from ((f"{name}", version) for name, version in provenance.get(section, {}).items())
    hashes = {_short(path): value for path, value in provenance.get("sha256", {}).items()}
    yield from ((f"SHA-256 of {path}", value[:16]) for path, value in hashes.items())
    yield from _leaves(provenance.get("config", {}), "config")


def _short(path):
    """A file's name without the folders of one machine: trial lists by corpus and list, models by folder and file."""
    parts = Path(path).parts
    return "/".join(parts[parts.index("trials") :] if "trials" in parts else parts[-2:])


def _leaves(value, place):
    if isinstance(value, dict) and value:
        for name, of in value.items():
            yield from _leaves(of, f"{place}.{name}")
    else:
        yield place, value


# What the page of two runs shows besides their attacks: the corpora, clips to listen to, and published numbers.


def merged_corpora(both, merged):
    """The corpora of two Results, those that are the same in both once (Corpora); None where nothing is known."""
    known = [(of, _corpora(of)) for of in both]
    known = [(of, found) for of, found in known if found]
    speech, lists, findings = {}, {}, {}
    for of, found in known:
        for row in found.speech:
            speech |= {row._replace(corpus=name): None for name in _names(row.corpus, of, merged)}
        for row in found.lists:
            lists |= {
                row._replace(corpus=name): None
                for name in _names(row.corpus, of, merged, row.trials)
            }
        for corpus, rows in found.findings.items():
            for name in _names(corpus, of, merged):
                findings[name] = [*dict.fromkeys([*findings.get(name, []), *map(tuple, rows)])]
    return Corpora(sorted(speech), sorted(lists), findings) if known else None


def merged_examples(both, merged):
    """The clips of two Results: versions of one utterance beside each other, the original once (list of Example)."""
    found = {}
    for of in both:
        for example in read_examples(sorted((of.folder / "report" / "listen").glob("*.json"))):
            clips = [
                clip
                if clip.anonymiser == ORIGINAL
                else clip._replace(anonymiser=f"{clip.anonymiser}@{of.name}")
                for clip in example.clips
            ]
            for corpus in _names(example.corpus, of, merged, example.trials):
                place = (corpus, example.trials, example.utterance)
                if place in found:
                    clips = [
                        *found[place].clips,
                        *(clip for clip in clips if clip.anonymiser != ORIGINAL),
                    ]
                found[place] = example._replace(corpus=corpus, clips=clips)
    return [found[place] for place in sorted(found)]


def merged_published(both):
    """Published numbers beside those of two Results (list of Published)."""
    found = {}
    for of in both:
        path = of.folder / "report" / "tables" / "published.tsv"
        for row in read_published(path) if path.is_file() else []:
            name = row.anonymiser if row.anonymiser == ORIGINAL else f"{row.anonymiser}@{of.name}"
            row = row._replace(anonymiser=name)
            found.setdefault((*row[:7], row.published, row.source), row)
    return sorted(found.values())


def _names(corpus, of, merged, trials=None):
    """What a corpus of a run is called in the merged folder: other names for some of its lists, or its own."""
    places = merged.places[of.name].items()
    names = {
        placed[0] for place, placed in places if place[0] == corpus and trials in (None, place[1])
    }
    return sorted(names) or [corpus]


def _corpora(of):
    """What the tables of a folder of results say of its corpora; None where there are none."""
    tables = of.folder / "report" / "tables"
    if not all((tables / name).is_file() for name in ("speech.tsv", "trials.tsv")):
        return None
    checks = [
        path for path in (of.folder / "checks").glob("*.tsv") if not path.stem.endswith(".excluded")
    ]
    return read_corpora(tables / "speech.tsv", tables / "trials.tsv", sorted(checks))


TEMPLATE = SCRIPTS.parent / "workflow" / "report" / "index.html.j2"


def write_compared_page(both, folder):
    """Write a results folder of both (metrics.tsv, comparisons, report/index.html, differences.tsv).

    Parameters
    ----------
    both : two voiceprivacy.tools.merging.Results
    folder : path, to be written whole or not at all

    Returns
    -------
    list of str : lines for the terminal
    """
    merged = merge(both)
    found = differences(both)
    names = [of.name for of in both]
    with whole_folder_or_absent(folder) as temporary:
        copy_files(both, merged, temporary)
        averages = averages_of_both(both, merged.metrics)
        apart = write_comparisons(both, merged, temporary, averages)
        write_metrics(temporary / "metrics.tsv", merged.metrics)
        provenance = merged_provenance(both, [*_sets_apart(merged, names), *found], averages)
        write_json(temporary / "provenance.json", provenance)
        write_table(temporary / "differences.tsv", ["what", *names], found)
        comparisons = read_comparisons(temporary / "comparisons", merged.metrics)
        systems = compare(merged.metrics, comparisons)
        _write_report(temporary, both, merged, systems, comparisons, provenance)
    n_common = sum(place[2] != NOWHERE for place in merged.common)
    return [
        *summary(systems, comparisons, averages=averages),
        "",
        f"{counted(n_common, 'set is', 'sets are')} the same in {names[0]} and {names[1]}",
        *(f"  {what}: {' | '.join(why)}" for what, *why in _sets_apart(merged, names)),
        *(
            f"pairs across runs are not compared for {'/'.join(of)}: the runs drew other speakers"
            for of in sorted(apart)
        ),
        *(
            f"differs: {what}: {one} | {other}"
            for what, one, other in found
            if what.startswith(("version", "git"))
        ),
        f"{counted(len(found), 'difference')} in config, versions and models: {folder / 'differences.tsv'}",
        f"Report: {(folder / 'report' / 'index.html').absolute()}",
    ]


def _write_report(folder, both, merged, systems, comparisons, provenance):
    report = folder / "report"
    drawn = run_of(folder, metrics=merged.metrics, provenance=provenance)
    utility, published = merge_utility(both, merged), merged_published(both)
    if published:
        write_published(report / "tables" / "published.tsv", published)
    write_page(
        report / "index.html",
        template=TEMPLATE,
        systems=systems,
        metrics=merged.metrics,
        figures=sorted([*_of_one(drawn, report), *_of_several(systems, drawn, report)]),
        provenance=provenance,
        comparisons=comparisons,
        run=drawn,
        corpora=merged_corpora(both, merged),
        utility=utility_section(utility) if utility else None,
        listen=merged_examples(both, merged) or None,
        published=tables_of(published) or None,
    )
    write_comparison(report / "tables" / "comparison.tsv", systems)
    write_latex(report / "tables" / "comparison.tex", systems)


def _of_one(run, folder):
    """Figures of one system: charts where the curves are there, else pictures."""
    pictures = [path for path in sorted((folder / "figures").rglob("*")) if path.is_file()]
    for _, paths in itertools.groupby(pictures, key=lambda path: path.with_suffix("")):
        paths = list(paths)
        try:
            yield from embed(paths, folder=folder / "figures", run=run)
        except BadInput as error:
            _require_absent(error)
            yield from embed(paths, folder=folder / "figures")


def _of_several(systems, run, folder):
    """Charts of several systems in one (Figure), which have no picture of both runs beside them."""
    lists = dict.fromkeys(
        (of.corpus, trials, "", of.extractor, of.backend) for of in systems for trials in of.lists
    )
    attackers = dict.fromkeys(("", "", "", of.extractor, of.backend) for of in systems)
    places = [Place(kind, *of) for kind in ("zebra", "ranks", "rank_speakers") for of in lists]
    for place in [*places, *(Place("distinctiveness", *of) for of in attackers)]:
        try:
            drawn = draw(place, run)
        except BadInput as error:
            _require_absent(error)
            continue
        sources = {
            "/".join(path.parts[-3:]): os.path.relpath(path, folder) for path in drawn.sources
        }
        if drawn.charts:
            yield Figure(*place, "", drawn.charts, {}, sources, drawn.table)


def _require_absent(error):
    """Results that somebody hands on may lack curves; any other fault in them is one."""
    if not str(error).endswith(": not found"):
        raise error


def _sets_apart(merged, names):
    """(set, why it stands apart in the first, in the second) of every set that is not common."""
    for name, sets in merged.alone.items():
        for place, why in sets.items():
            corpus, trials, extractor, backend = merged.places[name][place]
            if extractor == NOWHERE:
                continue  # its utility stands apart with it
            yield (
                f"{corpus}, list {trials}, {extractor} + {backend}",
                *(why if name == of else "-" for of in names),
            )
