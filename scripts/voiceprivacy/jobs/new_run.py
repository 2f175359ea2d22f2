"""The job new_run."""

import os
from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.plan.configuration import refuse_braces
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.intake import read
from voiceprivacy.tools.new_config import system_names, write_config
from voiceprivacy.tools.new_run import examine, refuse_copies, refuse_one_folder
from voiceprivacy.tools.new_run_words import preview_all, summary
from voiceprivacy.tools.unpacking import Unpacking, refuse_packed


def new_run(
    *,
    original: Path,
    protected: tuple[str, ...] = (),
    again: tuple[str, ...] = (),
    method: tuple[str, ...] = (),
    train: Path | None = None,
    config: Path | None = None,
    name: str | None = None,
    preview: bool = False,
    pattern: str | None = None,
    speakers: Path | None = None,
    transcripts: Path | None = None,
    free_lengths: bool = False,
    overwrite: bool = False,
) -> None:
    """From folders of wavs to a config: your speech, protected versions of it, and their speakers.

    Two commands make a report of protected speech that lies there already:

        voiceprivacy new-run --original DIR --protected NAME=DIR --config my.yaml
        voiceprivacy run --configfile my.yaml

    Parameters
    ----------
    original : the speech before protection: a folder, a zip, a tar, or tables with sound inside
    protected : NAME=DIR for each anonymiser: its version of the speech
    again : NAME=DIR: a second, independent draw of it, from which attackers enrol and learn
    method : [NAME=]FILE.py:FUNCTION for each anonymiser in Python
    train : speech of other speakers, as --original, on whom the semi-informed attacker is trained
    config : YAML to write, required unless --preview is given
    name : what the speech is called (default: as its folder)
    preview : show who speaks and some pairs, and write nothing
    pattern : who speaks, where the guess is wrong: '{speaker}/{utterance}.wav' and the like
    speakers : TSV: columns speaker and gender (f, m, or x, who is left out), with a list of each
    transcripts : TSV: columns utterance and text: how many words are still understood is measured
    free_lengths : protected speech may be longer or shorter than the original, as that of a voice
        that reads out what was said
    overwrite : replace a config of that name
    """
    if preview:
        refuse_packed(original)
        seen = read(
            original.absolute(), pattern=pattern, speakers=speakers, transcripts=transcripts
        )
        say(*preview_all(seen, map(parse, protected)))
        return
    if not ((protected or method) and config):
        raise BadInput(
            "--protected and --config are required unless --preview is given (or --method instead"
            " of --protected)"
        )
    given = dict(map(parse, protected))
    functions = dict(map(parse_method, method))
    drawn_again = dict(parse(text, "--again") for text in again)
    texts = [*given, *functions]
    if len({*texts}) + len(drawn_again) < len(protected) + len(method) + len(again):
        raise BadInput("--protected, --again, --method: a name occurs twice; give each its own")
    for lost in drawn_again.keys() - given.keys():
        raise BadInput(f"--again {lost}: there is no --protected {lost}, which it could repeat")
    # Before any file is looked at: a wrong name must not cost minutes.
    names = system_names(texts)
    if config.exists() and not overwrite:
        raise BadInput(f"{config}: is there already; name another file, or add --overwrite")
    spoken = (original, *given.values(), *drawn_again.values(), *([train] if train else []))
    refuse_braces(Path.cwd(), config, *spoken)
    ids = {text: name for name, text in names.items()}
    refuse_one_folder(original, given, drawn_again, train=train)
    with Unpacking(config) as unpack:
        again_in = {ids[text]: unpack(folder) for text, folder in drawn_again.items()}
        protected_in = {ids[text]: unpack(folder) for text, folder in given.items()}
        speech = unpack(original)
        examined = examine(
            speech,
            protected_in,
            again=again_in,
            threads=os.cpu_count() or 2,
            pattern=pattern,
            speakers=speakers,
            transcripts=transcripts,
            train=unpack(train) if train else None,
            methods={ids[text]: function for text, function in functions.items()},
            free_lengths=free_lengths,
        )
        refuse_copies(examined)
        examined = examined._replace(name=name or original.absolute().name, given=names)
        written = write_config(config, examined)
    say(*summary(examined, written))


def parse(text: str, flag: str = "--protected") -> tuple[str, Path]:
    """NAME=DIR as (name, Path)."""
    name, separator, folder = text.partition("=")
    if not (name and separator and folder):
        raise BadInput(f"{flag} {text}: expected NAME=DIR, such as mine=/data/mine")
    return name, Path(folder)


def parse_method(text: str) -> tuple[str, str]:
    """[NAME=]FILE.py:FUNCTION as (name, the function with its absolute path)."""
    name, separator, function = text.rpartition("=")
    path, colon, attribute = function.rpartition(":")
    if not (path and colon and attribute):
        raise BadInput(
            f"--method {text}: expected NAME=FILE.py:FUNCTION, such as mine.py:anonymise"
        )
    if not Path(path).is_file():
        raise BadInput(f"--method {text}: {path} not found")
    return name if separator else Path(path).stem, f"{Path(path).absolute()}:{attribute}"


if __name__ == "__main__":
    run(new_run)
