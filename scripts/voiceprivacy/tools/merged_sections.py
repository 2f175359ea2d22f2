"""What the page of two runs shows besides their attacks: the corpora, clips to listen to, and published numbers."""

from voiceprivacy.report.corpora import Corpora, read_corpora
from voiceprivacy.report.examples import read_examples
from voiceprivacy.report.metrics import ORIGINAL
from voiceprivacy.report.published import read_published


def merged_corpora(both, merged):
    """The corpora of two Results, those that are the same in both once (Corpora); None where nothing is known."""
    known = [(of, _corpora(of)) for of in both]
    known = [(of, found) for of, found in known if found]
    speech, lists, findings = {}, {}, {}
    for of, found in known:
        for row in found.speech:
            speech |= {row._replace(corpus=name): None for name in _names(row.corpus, of, merged)}
        for row in found.lists:
            lists |= {row._replace(corpus=name): None for name in _names(row.corpus, of, merged, row.trials)}
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
                clip if clip.anonymiser == ORIGINAL else clip._replace(anonymiser=f"{clip.anonymiser}@{of.name}")
                for clip in example.clips
            ]
            for corpus in _names(example.corpus, of, merged, example.trials):
                place = (corpus, example.trials, example.utterance)
                if place in found:
                    clips = [*found[place].clips, *(clip for clip in clips if clip.anonymiser != ORIGINAL)]
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
    names = {placed[0] for place, placed in places if place[0] == corpus and trials in (None, place[1])}
    return sorted(names) or [corpus]


def _corpora(of):
    """What the tables of a folder of results say of its corpora; None where there are none."""
    tables = of.folder / "report" / "tables"
    if not all((tables / name).is_file() for name in ("speech.tsv", "trials.tsv")):
        return None
    checks = [path for path in (of.folder / "checks").glob("*.tsv") if not path.stem.endswith(".excluded")]
    return read_corpora(tables / "speech.tsv", tables / "trials.tsv", sorted(checks))
