"""The commented config of a new run and the files beside it."""

import json
import re
from collections import Counter
from pathlib import Path

import yaml

from voiceprivacy.inout.files import BadInput, counted, whole_or_absent
from voiceprivacy.inout.tables import write_table
from voiceprivacy.plan import configuration
from voiceprivacy.tools.new_run import SAMPLE_RATE

CONFIG = """\
# Made by scripts/new_run.py. The report:        snakemake --cores all --configfile {config}
# A look at every sample before that, if wanted: python scripts/validate.py --config {config}
# Every key with its default stands in workflow/schemas/config.schema.yaml; docs/guide/config.md explains them.

corpora:
  # {speakers} speakers, {utterances} utterances, {length}; {enrolment} of each speaker enrol, the others are tried.
  {corpus}:
    folder:
      root: {root}
      # {{speaker}}, {{session}} and {{utterance}} are parts of the path without a slash; * is anything without one.
      pattern: {pattern}
{options}    protocol:
      enrol_trial: {{enrolment_utterances: {enrolment}, lists: [{lists}]}}
    # limit: {{speakers: 10, utterances: 8}}    # a quick look

# Speech that lies there already, found by the names of the originals. The attacker who protects his own enrolment (PP)
# is given enrolment speech of the same folder: where a speaker has one pseudonym in all of it, he holds that pseudonym.
anonymisers:
{anonymisers}
# The attacker: a small network that is shipped, trained on real speech. A larger one is stronger, and so is one that
# learns from protected speech (semi-informed); docs/guide/data.md has both.
extractors:
  ecapa_small: {{model: "{{resources}}/ecapa_small"}}
backends:
  cosine: {{type: cosine}}

# true adds anonymisers whose protection is known (unchanged, backwards, noise alone) to read the others by.
report: {{controls: false}}
"""
MIXED = """\
    # One list of all speakers, of unknown gender: easier for the attacker than the usual lists of women and of men,
    # which new_run.py --speakers TABLE makes.
    gender: mixed
"""


def name_of(text):
    """A name that a config can have, made from any text such as that of a folder."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if re.match("[a-z]", name) else f"speech_{name}".strip("_")


def require_names(names):
    """Refuse names that an anonymiser of a config cannot have."""
    for problem in configuration.problems(
        {"anonymisers": {name: {"audio": "."} for name in names}}
    ):
        raise BadInput(f"--protected: {problem.what}")


def write_config(path, run):
    """Write the config of a NewRun, and beside it, where needed, lists of utterances and a folder with a wav.scp.

    Returns
    -------
    list of Path : what was written
    """
    path = Path(path)
    written = _write_lists(path, run)
    for name, of in run.protected.items():
        if not of.plain:
            written.append(_write_scp(_scp_folder(path, name), of.files))
    text = CONFIG.format(
        config=path,
        speakers=len({of.speaker for of in run.utterances}),
        utterances=len(run.utterances),
        length=length(run.seconds),
        enrolment=run.enrolment_utterances,
        corpus=corpus_name(run),
        root=_quoted(run.root),
        pattern=_quoted(run.pattern),
        options=_options(path, run),
        lists=", ".join(run.lists),
        anonymisers="".join(_anonymiser(path, name, of) for name, of in run.protected.items()),
    )
    for problem in configuration.problems(yaml.safe_load(text)):
        raise BadInput(str(problem))
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return [path, *written]


def corpus_name(run):
    """The corpus's name in the config: that of the originals' folder."""
    return name_of(run.root.name)


def length(seconds):
    """An amount of speech in words."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} hours of speech"
    return f"{counted(round(seconds / 60), 'minute')} of speech"


def _options(path, run):
    lines = [f"      speakers: {_quoted(run.speakers)}\n"] if run.speakers else []
    if run.left_out:
        of_all = f"{len(run.utterances)} of {len(run.listed)} utterances"
        lines.append(
            f"      # {of_all}; {_beside(path, 'left_out.tsv').name} says why the others are not used.\n"
        )
        lines.append(f"      list: {_quoted(_beside(path, 'utterances.txt').absolute())}\n")
    return "".join(lines) + (MIXED if run.lists == ["mixed"] else "")


def _anonymiser(path, name, protected):
    folder = protected.folder if protected.plain else _scp_folder(path, name).absolute()
    lines = [f"  {name}:\n", f"    audio: {_quoted(folder)}\n"]
    if not protected.plain:
        lines.insert(
            1, f"    # The files lie in {str(protected.folder)!a}; wav.scp says which is whose.\n"
        )
    if protected.sample_rates != [SAMPLE_RATE]:
        rates = " and ".join(map(str, protected.sample_rates))
        lines += [f"    resample: true    # from {rates} Hz\n", "    env: corpora\n"]
    return "".join(lines)


def _write_lists(path, run):
    if not run.left_out:
        return []
    taken, left_out = _beside(path, "utterances.txt"), _beside(path, "left_out.tsv")
    with whole_or_absent(taken) as temporary:
        temporary.write_text(
            "".join(f"{of.utterance}\n" for of in run.utterances), encoding="utf-8"
        )
    write_table(left_out, ["utterance", "why"], sorted(run.left_out.items()))
    return [taken, left_out]


def _write_scp(folder, files):
    with whole_or_absent(folder / "wav.scp") as temporary:
        lines = [f"{utterance} {path}\n" for utterance, path in sorted(files.items())]
        temporary.write_text("".join(lines), encoding="utf-8")
    return folder / "wav.scp"


def _scp_folder(path, name):
    return _beside(path, name)


def _beside(path, ending):
    return path.with_name(f"{path.stem}.{ending}")


def _quoted(text):
    """A YAML scalar in double quotes, as JSON has it."""
    return json.dumps(str(text), ensure_ascii=False)


# What new_run found, in words: the guess with examples, how much there is, what is left out, and what to do next.

EXAMPLES = 3
LEFT_OUT = 10


def summary(run, written):
    """Lines of text about a NewRun and the files that were written for it."""
    return [*_guess(run), "", *_protected_lines(run), *_left_out(run), "", *_next(run, written)]


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


def _protected_lines(run):
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
    size = (
        f"{len({of.speaker for of in run.utterances})} speakers, {len(run.utterances)} utterances"
    )
    yield f"corpus {corpus_name(run)}: {size}, {length(run.seconds)}; {lists}"
    if run.lists == ["mixed"]:
        yield "  --speakers TABLE (columns speaker and gender) makes lists of women and of men, as is usual"
    yield f"wrote {', '.join(map(str, written))}"
    yield f"next: snakemake --cores all --configfile {written[0]}"
