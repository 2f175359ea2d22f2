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
PAGE = [
    "condition",
    "speaker",
    "n_target",
    "dece_bit",
    "worst_case_log10",
    "deid_percent",
    "mean_target_llr",
    "mean_impostor_llr",
    "animal",
    "doddington",
]


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


def page_rows(exposures, zoo):
    """What is known of every speaker whose speech was protected, those who give away most first.

    Parameters
    ----------
    exposures, zoo : TSV of assess_speakers.py --table and of assess_similarity.py --zoo, of one system and attacker

    Returns
    -------
    list of dict : the columns of PAGE; None where a number is undefined

    Raises
    ------
    BadInput : the two do not hold the same conditions and speakers
    """
    at_risk, animals = read_speakers(exposures, EXPOSURES), read_speakers(zoo, ZOO)
    if {label: of.keys() for label, of in at_risk.items()} != {label: of.keys() for label, of in animals.items()}:
        raise BadInput(f"{zoo}: holds other speakers than {exposures}")
    rows = [
        {column: row.get(column) for column in PAGE}
        for label in at_risk
        if label != "oo"
        for speaker in at_risk[label]
        for row in [{"condition": label, "speaker": speaker, **animals[label][speaker], **at_risk[label][speaker]}]
    ]
    return sorted(rows, key=lambda row: (row["condition"], -_or_lowest(row["dece_bit"]), row["speaker"]))


def _or_lowest(bits):
    return float("-inf") if bits is None else bits


def _value(column, text, path, line):
    if column in ("corner", "animal", "doddington"):
        return text
    return None if text in MISSING else number(text, path, line)
