"""Everything that can be wrong with a corpus, found before any hour is spent on it."""

from collections import Counter

from voiceprivacy.corpora import listing, protocol
from voiceprivacy.corpora.recordings import headers
from voiceprivacy.files import BadInput


def check(source, chosen_protocol, sample_rate):
    """Check a corpus: its listing, the headers of all its audio and its trial lists.

    Parameters
    ----------
    source : dict {kind: options}
    chosen_protocol : dict {protocol: options}
        Empty for a corpus that only trains.
    sample_rate : int
        What the corpus will be converted to, Hz.

    Returns
    -------
    listing.Findings : all errors and oddities
    """
    findings = listing.Findings()
    try:
        utterances = listing.list_utterances(source, findings)
        _check_audio(utterances, sample_rate, findings)
        if chosen_protocol:
            _check_protocol(source, chosen_protocol, utterances, findings)
    except BadInput as error:
        findings.error(*_place(error))
    return findings


def check_entry(entry):
    """Check a corpus as a completed config describes it: {kind: options, protocol, sample_rate, use}."""
    source = {key: value for key, value in entry.items() if key not in ("protocol", "sample_rate", "use")}
    return check(source, entry.get("protocol", {}) if entry["use"] == "evaluation" else {}, entry["sample_rate"])


def _check_audio(utterances, sample_rate, findings):
    files = [utterance for utterance in utterances if utterance.audio is not None]
    narrow = Counter()
    for utterance, header in zip(files, headers([utterance.audio for utterance in files]), strict=True):
        if isinstance(header, BadInput):
            what = str(header).removeprefix(f"{utterance.audio}: ")
            findings.error(utterance.audio, "-", f"{what} (utterance '{utterance.utterance}')")
        elif header.sample_rate < sample_rate:
            narrow[header.sample_rate] += 1
    for rate, count in sorted(narrow.items()):
        findings.oddity(
            "audio", "-", f"{count} files have {rate} Hz and are made {sample_rate} Hz: no sound above {rate // 2} Hz"
        )


def _check_protocol(source, chosen_protocol, utterances, findings):
    enrolment, trial = protocol.split(source, chosen_protocol, utterances, findings)
    for name in protocol.list_names(chosen_protocol):
        try:
            protocol.list_trials(chosen_protocol, name, enrolment, trial, findings)
        except BadInput as error:
            findings.error(*_place(error))


def _place(error):
    """File, line and reason of a BadInput about a whole file."""
    file, _, what = str(error).partition(": ")
    return file, "-", what
