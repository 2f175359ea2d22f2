"""The report of two folders of results, and a few lines about it."""

import itertools
import os

from voiceprivacy.files import SCRIPTS, BadInput, counted, whole_folder_or_absent, write_json
from voiceprivacy.report.charts.draw import Place, draw, run_of
from voiceprivacy.report.comparison import compare, write_comparison
from voiceprivacy.report.figures import Figure, embed
from voiceprivacy.report.latex import write_latex
from voiceprivacy.report.metrics import write_metrics
from voiceprivacy.report.page import write_page
from voiceprivacy.report.published import tables_of, write_published
from voiceprivacy.report.terminal import summary
from voiceprivacy.report.uncertainty import read_comparisons
from voiceprivacy.report.utility import NOWHERE, utility_section
from voiceprivacy.tables import write_table
from voiceprivacy.tools.differences import differences, merged_provenance
from voiceprivacy.tools.merged_comparisons import averages_of_both, write_comparisons
from voiceprivacy.tools.merged_sections import merged_corpora, merged_examples, merged_published
from voiceprivacy.tools.merging import copy_files, merge, merge_utility

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
        *(f"differs: {what}: {one} | {other}" for what, one, other in found if what.startswith(("version", "git"))),
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
    lists = dict.fromkeys((of.corpus, trials, "", of.extractor, of.backend) for of in systems for trials in of.lists)
    attackers = dict.fromkeys(("", "", "", of.extractor, of.backend) for of in systems)
    places = [Place(kind, *of) for kind in ("zebra", "ranks", "rank_speakers") for of in lists]
    for place in [*places, *(Place("distinctiveness", *of) for of in attackers)]:
        try:
            drawn = draw(place, run)
        except BadInput as error:
            _require_absent(error)
            continue
        sources = {"/".join(path.parts[-3:]): os.path.relpath(path, folder) for path in drawn.sources}
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
            yield f"{corpus}, list {trials}, {extractor} + {backend}", *(why if name == of else "-" for of in names)
