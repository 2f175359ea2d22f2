"""What new_run found, in words: the guess with examples, how much there is, what is left out, and what to do next."""

from collections import Counter

from voiceprivacy.files import counted
from voiceprivacy.tools.new_config import corpus_name, length

EXAMPLES = 3
LEFT_OUT = 10


def summary(run, written):
    """Lines of text about a NewRun and the files that were written for it."""
    return [*_guess(run), "", *_protected(run), *_left_out(run), "", *_next(run, written)]


def _guess(run):
    speakers = Counter(of.speaker for of in run.listed)
    counts = sorted(speakers.values())
    yield f"{run.root}: {len(run.listed)} of {run.n_files} audio files look like {run.pattern}"
    each = counts[0] if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    yield f"  {counted(len(speakers), 'speaker')}, {counted(each, 'utterance')} each, such as"
    for of in run.listed[:: max(1, len(run.listed) // EXAMPLES)][:EXAMPLES]:
        session = f"   session {of.session}" if of.session else ""
        yield f"    {of.audio.relative_to(run.root)}   speaker {of.speaker}{session}   utterance {of.utterance}"
    yield "  Is that wrong? --pattern says who speaks, for example --pattern '{speaker}_{utterance}.wav'"


def _protected(run):
    for name, of in run.protected.items():
        rates = " and ".join(map(str, of.sample_rates))
        yield f"{name}: {of.n_found} of {len(run.listed)} found below {of.folder}, {rates} Hz"


def _left_out(run):
    if run.left_out:
        yield f"left out for all: {counted(len(run.left_out), 'utterance')}"
        for utterance, why in sorted(run.left_out.items())[:LEFT_OUT]:
            yield f"  {utterance}: {why}"
        if len(run.left_out) > LEFT_OUT:
            yield f"  and {len(run.left_out) - LEFT_OUT} more, all in the table beside the config"


def _next(run, written):
    genders = {"mixed": "one list of all speakers", "f": "a list of women", "m": "a list of men"}
    lists = " and ".join(genders[of] for of in run.lists)
    size = f"{len({of.speaker for of in run.utterances})} speakers, {len(run.utterances)} utterances"
    yield f"corpus {corpus_name(run)}: {size}, {length(run.seconds)}; {lists}"
    if run.lists == ["mixed"]:
        yield "  --speakers TABLE (columns speaker and gender) makes lists of women and of men, as is usual"
    yield f"wrote {', '.join(map(str, written))}"
    yield f"next: snakemake --cores all --configfile {written[0]}"
