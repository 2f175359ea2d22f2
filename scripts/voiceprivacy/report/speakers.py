"""Tables with a line for every speaker, read back for pictures and for the page: the zoo, and who is at risk."""

from voiceprivacy.files import BadInput
from voiceprivacy.tables import number, read_rows

ZOO = [
    "label",
    "speaker",
    "n_target",
    "n_impostor",
    "mean_target_llr",
    "mean_impostor_llr",
    "corner",
    "p_value",
    "animal",
    "doddington",
]
EXPOSURES = ["label", "speaker", "n_target", "n_nontarget", "dece_bit", "worst_case_log10", "deid_percent"]
MISSING = ("undefined", "-")


def read_speakers(path, columns):
    """Read a table with a line for every condition and speaker.

    Parameters
    ----------
    path : TSV with these columns, label and speaker first
    columns : ZOO or EXPOSURES

    Returns
    -------
    {label: {speaker: {column: value}}} : numbers where they are some, None where undefined, else the words

    Raises
    ------
    BadInput : a speaker occurs twice, or nothing is there
    """
    found = {}
    for line, row in read_rows(path, columns):
        label, speaker = row.pop("label"), row.pop("speaker")
        of_label = found.setdefault(label, {})
        if speaker in of_label:
            raise BadInput(f"{path}:{line}: {label} {speaker} occurs twice")
        of_label[speaker] = {column: _value(column, text, path, line) for column, text in row.items()}
    if not found:
        raise BadInput(f"{path}: lists no speaker")
    return found


def span_of_means(zoo, mean):
    """The range of a mean LLR over all conditions, and 0, the point of zero evidence, with a margin.

    Parameters
    ----------
    zoo : {condition: {speaker: {mean: float, None where undefined}}}
    mean : str

    Returns
    -------
    (low, high)
    """
    means = [of[mean] for speakers in zoo.values() for of in speakers.values()]
    means = [0.0, *(of for of in means if of is not None)]
    margin = 0.08 * (max(means) - min(means)) or 1.0
    return min(means) - margin, max(means) + margin


def _value(column, text, path, line):
    if column in ("corner", "animal", "doddington"):
        return text
    return None if text in MISSING else number(text, path, line)
