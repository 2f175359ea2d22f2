"""The job measure_voices."""

from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.inout.arrays import read_embeddings_of
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.tables import write_table
from voiceprivacy.privacy.law.attributes import class_kept, read_corpus
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.utility.kinds.voice import CONSISTENCY, SEX_KEPT, consistency
from voiceprivacy.utility.rows import COLUMNS, Measured
from voiceprivacy.vocabulary import UNDEFINED

PERCENT = 100


def measure_voices(
    *,
    corpus: str,
    extractor: str,
    embeddings: Path,
    audio: Path,
    seed: int = 0,
    output: list[Path],
) -> None:
    """Measure the voices of a corpus: whether speakers keep one voice, and sound of their sex.

    Of each system a table is written, like those of measure_utility. What is protected is compared
    by embeddings that an attacker of the run has made of it.

    Parameters
    ----------
    corpus : name of the corpus
    extractor : whose embeddings are taken
    embeddings : folder of CORPUS/PART/SYSTEM/EXTRACTOR.npz
    audio : folder of CORPUS/PART/original/manifest.tsv
    seed : of the folds
    output : TSVs SYSTEM/NAME.tsv to write
    """
    spoken = read_corpus(corpus, audio=audio, facts=None)
    systems = {path.parent.name: path for path in output}
    kept = class_kept(spoken, "sex", extractor, list(systems), embeddings=embeddings, seed=seed)
    for system, path in systems.items():
        folder = embeddings / spoken.name / "trial" / system
        tried = spoken.utterances["trial"]
        measured = voices(tried, folder / f"{extractor}.npz", kept.recognised[system])
        write_table(path, COLUMNS, measured)
    say(f"voices of {counted(len(systems), 'system')} by {extractor}")
    if kept.reason:
        say(f"{SEX_KEPT} is undefined: {kept.reason}")


def voices(tried: list[Utterance], path: Path, of_its_sex: dict[str, float]) -> list[Measured]:
    """Both metrics of every trial utterance of one system.

    Parameters
    ----------
    path : its embeddings
    of_its_sex : {utterance: 1 where it sounds of its speaker's sex, else 0}, where that is known
    """
    _, values = read_embeddings_of(path, [line.utterance for line in tried])
    similar = consistency(values, [line.speaker for line in tried])
    measured: list[Measured] = []
    for line, value in zip(tried, similar, strict=True):
        recognised = of_its_sex.get(line.utterance)
        percent = UNDEFINED if recognised is None else PERCENT * recognised
        measured.append(Measured(line.utterance, CONSISTENCY, value))
        measured.append(Measured(line.utterance, SEX_KEPT, percent))
    return measured


if __name__ == "__main__":
    run(measure_voices)
