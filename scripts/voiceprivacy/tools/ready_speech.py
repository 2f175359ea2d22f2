"""Speech that is said to be anonymised already: is all of it there, before a run takes hours to come to it?"""

from pathlib import Path

from voiceprivacy.anonymise.submissions import find_audio
from voiceprivacy.corpora import parts
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.files import BadInput, counted
from voiceprivacy.plan import Plan
from voiceprivacy.tables import Utterance

SHOWN = 10  # utterances that a finding names


def findings_of(config, examined):
    """Look for every utterance in the folders of the config's ``audio`` anonymisers.

    Parameters
    ----------
    config : dict, completed and without problems
    examined : dict {corpus: checks.Examination}
        Corpora with errors are passed over.

    Returns
    -------
    Findings : an error for each anonymiser and part of a corpus that lacks utterances. Of a corpus that is cut into
        segments nothing is looked for: what its pieces are called is known when it is cut.
    """
    findings, plan = Findings(), Plan(config)
    ready = [name for name, entry in plan.anonymisers.items() if "audio" in entry]
    attacked = dict.fromkeys(attack.corpus for attack in plan.attacks())
    listed = [name for name in attacked if examined[name].parts and not examined[name].findings.errors()]
    for corpus in [name for name in listed if ready and "segments" not in plan.source(name)]:
        for part in ("enrolment", "trial"):
            chosen, excluded = plan.corpora[corpus]["protocol"], examined[corpus].excluded
            utterances = [
                _utterance(of) for of in parts.list_part(plan.source(corpus), chosen, part, excluded=excluded)
            ]
            for name in ready:
                _look(name, plan.anonymiser_call(name, corpus, part)["audio"], utterances, findings)
    return findings


def _look(name, folders, utterances, findings):
    try:
        found = find_audio(folders, utterances)
    except BadInput as error:
        findings.error(f"anonymiser {name}", "-", str(error))
        return
    if missing := [of.utterance for of in utterances if of.utterance not in found]:
        first = ", ".join(missing[:SHOWN]) + ", ..." * (len(missing) > SHOWN)
        what = f"{len(missing)} of {counted(len(utterances), 'utterance')} missing: {first}"
        findings.error(" ".join(folders), "-", f"{what} (anonymiser '{name}')")


def _utterance(listed):
    path = listed.audio if isinstance(listed.audio, Path) else Path(listed.utterance)
    return Utterance(listed.utterance, listed.speaker, listed.gender, path, 0.0)
