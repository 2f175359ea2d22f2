"""The commented config of a new run, the files beside it, and what was seen, in words."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from voiceprivacy.corpora.listing import Listed
from voiceprivacy.corpora.rows import Cut, whole
from voiceprivacy.errors import BadInput, counted, printable
from voiceprivacy.inout.foreign import refuse_no_utf8
from voiceprivacy.inout.inputs import refuse_input
from voiceprivacy.inout.tables import write_table
from voiceprivacy.inout.writing import remove_earlier, scratch_folder, whole_or_absent
from voiceprivacy.models.pinned import is_installed
from voiceprivacy.plan import configuration, defaults
from voiceprivacy.tools.file_names import sexes_by_name
from voiceprivacy.tools.new_run import SAMPLE_RATE, NewRun, limit_of
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, SECOND_RUN, WHISPER, WORDS_KEPT

CONFIG = """\
# Made by voiceprivacy new-run. The report:      voiceprivacy run --configfile {config}
# A look at every sample before that, if wanted: voiceprivacy validate --config {config}
# Every key: docs/guide/config.md explains it, docs/reference/config_keys.md has its default.

corpora:
  # {speakers}, {utterances}, {length}.
  # {enrolling} of each speaker, the others are tried.
  {corpus}:
{source}{options}    protocol:
      enrol_trial: {{enrolment_utterances: {enrolment}, lists: [{lists}]}}
{limit}{training}
# `audio` is speech that lies there already, found by the names of the originals. The attacker who
# protects enrolment speech, too (PP), is given that of the same folder. Where a speaker has one
# pseudonym in all of it, this attacker holds that pseudonym. A second draw of your anonymiser
# (new-run --again) is what such an attacker has. A `function` is called by the run.
anonymisers:
{anonymisers}
# The attackers: the strongest that were there when this was written. docs/guide/attackers.md tells
# of others.
extractors:
  {extractors}
backends:
  cosine: {{type: cosine}}
{conversions}{semi}{recogniser}
# Would the evaluation notice if 5 or 20 % of the recordings had been left unprotected? true adds
# anonymisers whose protection is known: unchanged speech, speech backwards, and noise alone.
report: {{controls: [leak_5, leak_20]}}
"""
RECOGNISED_BY = "base"  # one of models.pinned
RECOGNISER = """
# Words that Whisper hears, of ten minutes of each system: docs/guide/utility.md.
utility:
  {measure}: {{type: {measure}, model: {model}}}
"""
TRAINING = """\
  # {speakers}, {utterances}, on whom an attacker is trained.
  {corpus}_train:
{source}{options}    use: train
{limit}"""
OF_TREE = """\
    folder:
      root: {root}
      # {{speaker}}, {{session}} and {{utterance}} are parts of the path without a slash.
      # * is any such part.
      pattern: {pattern}
"""
OF_DIRECTORY = """\
    # Files of {root}
    # under names that a run can use: {names} has both.
    kaldi: {directory}
"""
QUICK = """\
    # limit: {speakers: 10, utterances: 8}    # a quick look
"""
LIMIT = """\
    # Of each speaker so many are tried. Without this line all are: that takes much longer.
    limit: {{utterances: {limit}}}
"""
LIMIT_OF_TRAINING = """\
    limit: {{utterances: {limit}}}
"""
CONVERSIONS = """\
  # PLDA that learnt from other anonymisers, not from yours: docs/guide/attackers.md.
  {entry}
"""
SEMI = """\
  # The semi-informed attacker learns from speech that each anonymiser protects, and the originals.
  semi:
    type: plda
    train: {{corpus: {corpus}_train, speech: anonymised{only}}}
    unprotected: true
    shrinkage: 0.1
"""
NO_SEMI = """\
  # No attacker learns from protected speech: there are too few speakers to keep some for training.
  # new-run --train DIR takes those of another folder.
"""
MIXED = """\
    # One list of all speakers, of unknown gender. It is easier for the attacker than the usual
    # lists of women and of men, which new-run --speakers TABLE makes.
    gender: mixed
"""
METHOD = """\
  {name}:
    function: {function}
"""
LONGEST_NAME = 60
SEXES = "sexes.tsv"


def name_of(text: str, *, kind: str = "speech") -> str:
    """A name that a corpus (or a system) can have, made from any text such as that of a folder."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    name = re.sub("_on(?=_)", "_of", name)
    if name == ORIGINAL or name.endswith(SECOND_RUN) or not re.match("[a-z]", name):
        name = f"{kind}_{name}"
    return re.sub(f"({SECOND_RUN}|_)+$", "", name[:LONGEST_NAME])


def corpus_name(run: NewRun) -> str:
    """The corpus's name in the config: the one that was asked for, or that of the folder."""
    return name_of(run.name or run.root.name)


def system_names(texts: Iterable[str]) -> dict[str, str]:
    """{name of an anonymiser in a config: what people call it}, in their order.

    Raises
    ------
    BadInput : a name cannot be used, whatever is changed of it
    """
    given: dict[str, str] = {}
    for text in texts:
        wanted = name_of(text, kind="system")
        name, number = wanted, 2
        while name in given:
            name, number = f"{wanted}_{number}", number + 1
        given[name] = text
    config = {"anonymisers": {name: {"audio": "."} for name in given}}
    for problem in configuration.problems(config):
        raise BadInput(f"--protected: {problem.what}")
    return given


def write_config(path: str | Path, run: NewRun) -> list[Path]:
    """Write a config, and beside it, where needed, lists of utterances and folders with a wav.scp.

    Returns
    -------
    list of Path : what was written

    Raises
    ------
    BadInput : the config would not be accepted
    """
    path = Path(path)
    refuse_no_utf8(path.parent, [path.absolute()])
    with scratch_folder(path) as folder:  # what cannot be written, fails there and leaves nothing
        try:
            draft, *_ = _written(folder / path.name, run)
            for problem in configuration.problems(configuration.read(draft)):
                raise BadInput(str(problem))  # an odd path, a strange name
        except BadInput as error:
            raise BadInput(str(error).replace(f"{folder.name}/", "")) from None
        for file in folder.rglob("*"):
            refuse_input(path.parent / file.relative_to(folder))
    return _written(path, run)


def _written(path, run):
    beside = _write_lists(path, run)
    for name, protected in run.protected.items():
        if protected.again:
            # Users release the first draw; an attacker enrols and learns from the second.
            beside.append(_write_scp(path_beside(path, name) / "trial", protected))
            for part in ("enrolment", "train"):
                beside.append(_write_scp(path_beside(path, name) / part, protected.again))
        elif not protected.plain:
            beside.append(_write_scp(path_beside(path, name), protected))
    _write(path, _config(path, run))
    return [path, *beside]


def _config(path, run):
    anonymisers = [_anonymiser(path, name, protected) for name, protected in run.protected.items()]
    anonymisers += [
        METHOD.format(name=name, function=_quoted(at)) for name, at in run.methods.items()
    ]
    if run.free_lengths:
        anonymisers = [f"{lines}    lengths: free\n" for lines in anonymisers]
    for name, why in run.set_aside.items():
        anonymisers.append(f"  # {name} is not shown: {ascii(why)[1:-1]}\n")
    extractors = defaults.strongest_extractors()
    conversions = defaults.conversions(extractors)
    return CONFIG.format(
        config=printable(path),
        speakers=counted(n_speakers_of(run.utterances), "speaker"),
        utterances=counted(len(run.utterances), "utterance"),
        length=length(run.seconds),
        enrolment=run.enrolment_utterances,
        enrolling=counted(run.enrolment_utterances, "utterance enrols", "utterances enrol"),
        corpus=corpus_name(run),
        source=_source(path, run.intake, corpus_name(run)),
        options=_options(path, run),
        limit=_limit(run.utterances, LIMIT) or QUICK,
        training=_training(path, run),
        semi=_semi_informed(run),
        lists=", ".join(run.lists),
        extractors=_flow(extractors),
        conversions=CONVERSIONS.format(entry=_flow(conversions)) if conversions else "",
        recogniser=words_measured(run),
        anonymisers="".join(anonymisers),
    )


def _semi_informed(run):
    """The attacker who learns from the systems that have protected speech to learn from."""
    if not run.training:
        return NO_SEMI
    lacking = lacking_training(run)
    learning = [name for name in [*run.protected, *run.methods] if name not in lacking]
    only = f", anonymisers: [{', '.join(learning)}]" if lacking else ""
    return SEMI.format(corpus=corpus_name(run), only=only) if learning else ""


def lacking_training(run: NewRun) -> list[str]:
    """Systems without a protected version of all training speech."""
    ids = {one.utterance for one in run.training}
    return [name for name, protected in run.protected.items() if not ids <= protected.files.keys()]


def words_measured(run: NewRun) -> str:
    """The measure of words by Whisper, where it is installed when the config is written."""
    if not is_installed(RECOGNISED_BY):
        return ""
    measure = WHISPER if run.transcripts or run.intake.texts else WORDS_KEPT
    return RECOGNISER.format(measure=measure, model=RECOGNISED_BY)


def _training(path, run):
    """The entry of the speakers who train an attacker; nothing where there are none."""
    if not run.training:
        return ""
    options = []
    if run.taught_by.is_plain:
        if run.speakers and run.taught_by is run.intake:
            options.append(f"      speakers: {_quoted(run.speakers)}\n")
        options.append(f"      list: {_quoted(path_beside(path, 'training.txt').absolute())}\n")
    return TRAINING.format(
        speakers=counted(n_speakers_of(run.training), "other speaker"),
        utterances=counted(len(run.training), "utterance"),
        corpus=corpus_name(run),
        source=_source(path, run.taught_by, f"{corpus_name(run)}_train"),
        options="".join(options),
        limit=_limit(run.training, LIMIT_OF_TRAINING),
    )


def _limit(utterances, text):
    """The limit of a large corpus; nothing where there is none."""
    limit = limit_of(utterances)
    return text.format(limit=limit) if limit else ""


def _source(path, intake, corpus):
    """Where the corpus's speech lies: a tree of good names, or a directory beside the config."""
    if intake.is_plain:
        pattern = _quoted(intake.looks_like)
        return OF_TREE.format(root=_quoted(intake.root), pattern=pattern)
    directory = _quoted(path_beside(path, corpus).absolute())
    names = path_beside(path, "names.tsv").name
    return OF_DIRECTORY.format(root=ascii(str(intake.root)), names=names, directory=directory)


def _options(path, run):
    lines = []
    if run.intake.is_plain:
        if run.speakers:
            lines.append(f"      speakers: {_quoted(run.speakers)}\n")
        if run.transcripts:
            lines.append(f"      transcripts: {_quoted(run.transcripts)}\n")
    if run.intake.is_plain and _is_a_choice(run):
        lines.append(f"      list: {_quoted(path_beside(path, 'utterances.txt').absolute())}\n")
    if run.left_out:
        table = path_beside(path, "left_out.tsv").name
        why = f"of {len(run.listed)} utterances; {table} says why"
        lines.append(f"    left_out: {len(run.left_out)}  # {why}\n")
    if run.lists == ["mixed"]:
        lines.append(MIXED)
    return "".join(lines)


def _anonymiser(path, name, protected):
    lines = [f"  {name}:\n"]
    if protected.again:
        lines.append("    # The attacker enrols and learns from a second, independent draw.\n")
        lines.append(f"    audio: {_quoted(path_beside(path, name).absolute() / '{part}')}\n")
    elif protected.plain:
        lines.append(f"    audio: {_quoted(protected.folder)}\n")
    else:
        folder = str(protected.folder)
        lines.append(f"    # The files lie in {folder!a}; wav.scp says which is whose.\n")
        lines.append(f"    audio: {_quoted(path_beside(path, name).absolute())}\n")
    if protected.sample_rates != [SAMPLE_RATE]:  # the check after the anonymiser would refuse it
        rates = " and ".join(map(str, protected.sample_rates))
        lines.append(f"    resample: true    # from {rates} Hz\n")
        lines.append("    env: torch\n")
    return "".join(lines)


def _is_a_choice(run):
    """Whether only some of the originals are evaluated."""
    return bool(run.left_out or (run.training and run.taught_by is run.intake))


def _write_lists(path, run):
    written = []
    if not run.intake.is_plain:
        folder = path_beside(path, corpus_name(run))
        written.append(_write_directory(folder, run.utterances, run.intake))
    elif _is_a_choice(run):
        written.append(_write_list(path_beside(path, "utterances.txt"), run.utterances))
    if run.training and not run.taught_by.is_plain:
        folder = path_beside(path, f"{corpus_name(run)}_train")
        written.append(_write_directory(folder, run.training, run.taught_by))
    elif run.training:
        written.append(_write_list(path_beside(path, "training.txt"), run.training))
    if names := _names(run):
        written.append(path_beside(path, "names.tsv"))
        write_table(written[-1], ["kind", "id", "name", "file"], names)
    if sexes := sexes_of(run):
        written.append(path_beside(path, SEXES))
        write_table(written[-1], ["speaker", "gender"], sorted(sexes.items()))
    if run.left_out:
        written.append(path_beside(path, "left_out.tsv"))
        write_table(written[-1], ["utterance", "why"], sorted(run.left_out.items()))
    return written


def sexes_of(run: NewRun) -> dict[str, str]:
    """{what people call a speaker: f or m} by the names, where no other source tells."""
    sexes = sexes_by_name(run.utterances) if run.lists == ["mixed"] else {}
    return {run.intake.speakers.get(speaker, speaker): sex for speaker, sex in sexes.items()}


def _names(run):
    """Lines of the table of names: what people call the things that a run calls otherwise."""
    rows = []
    corpus = run.name or run.root.name
    if corpus_name(run) != corpus:
        rows.append(["corpus", corpus_name(run), _one_line(corpus), _one_line(run.root)])
    for name, text in run.given.items():
        if text != name and name in run.protected:
            folder = run.protected[name].folder
            rows.append(["anonymiser", name, _one_line(text), _one_line(folder)])
    intakes = [run.intake] if run.taught_by is run.intake else [run.intake, run.taught_by]
    for intake in intakes:
        used = {one.speaker for one in intake.listed}
        for name, text in sorted(intake.speakers.items()):
            if name in used:
                rows.append(["speaker", name, _one_line(text), ABSENT])
        for one in intake.listed:
            text = intake.names.get(one.utterance)
            if text is not None:
                rows.append(["utterance", one.utterance, _one_line(text), _one_line(one.audio)])
    return rows


def _one_line(text):
    """A name as it can stand in a table: what cannot be printed is spelled out."""
    return printable(str(text)).replace("\t", " ")


def _write_directory(folder, utterances, intake):
    """Write a Kaldi data directory of utterances, and return its folder."""
    recordings = {one.utterance: whole(one.audio) for one in utterances}
    cut = [one for one in utterances if isinstance(one.audio, Cut)]
    _write_map(folder / "wav.scp", recordings)
    _write_segments(folder, {one.utterance: (one.audio.start_s, one.audio.end_s) for one in cut})
    _write_map(folder / "utt2spk", {one.utterance: one.speaker for one in utterances})
    genders = {one.speaker: one.gender for one in utterances if one.gender != ABSENT}
    texts = {name: text for name, text in intake.texts.items() if name in recordings}
    for name, values in (("spk2gender", genders), ("text", texts)):
        if values:
            _write_map(folder / name, values)
        else:
            remove_earlier(folder / name)
    return folder


def _write_map(path, values):
    """Write a table of Kaldi: an id and its value on each line."""
    _write(path, "".join(f"{name} {value}\n" for name, value in sorted(values.items())))


def _write_segments(folder, cuts):
    """Write a file segments of cuts {utterance: (start, end)}; a recording has its name."""
    if not cuts:
        remove_earlier(folder / "segments")
        return
    lines = {name: f"{name} {start:g} {end:g}" for name, (start, end) in cuts.items()}
    _write_map(folder / "segments", lines)


def _write_list(path, utterances):
    _write(path, "".join(f"{utterance.utterance}\n" for utterance in utterances))
    return path


def _write(path, text):
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _write_scp(folder, protected):
    _write_map(folder / "wav.scp", protected.files)
    _write_segments(folder, protected.cuts)
    return folder / "wav.scp"


def path_beside(path: Path, ending: str) -> Path:
    """The path of a file or folder beside a config: my.yaml and flat give my.flat."""
    return path.with_name(f"{path.stem}.{ending}")


def _flow(entries):
    """The lines of entries {name: {key: text or texts}} of a config, one for each."""
    lines = []
    for name, options in entries.items():
        keys = ", ".join(
            f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in options.items()
        )
        lines.append(f"{name}: {{{keys}}}")
    return "\n  ".join(lines)


def _quoted(text):
    """A YAML scalar in double quotes, as JSON has it."""
    return json.dumps(str(text), ensure_ascii=False)


# What new-run prints: the guess, how much there is, what is left out, and what to do next.


def length(seconds: float) -> str:
    """An amount of speech in words."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} hours of speech"
    if seconds < 90:
        return f"{counted(round(seconds), 'second')} of speech"
    return f"{counted(round(seconds / 60), 'minute')} of speech"


def n_speakers_of(utterances: Iterable[Listed]) -> int:
    """How many speakers utterances have."""
    return len({utterance.speaker for utterance in utterances})
