"""The job assess_scores."""

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import write_curves
from voiceprivacy.privacy.scores.assessment import assess, write_law
from voiceprivacy.privacy.scores.tags import read_tags
from voiceprivacy.privacy.uncertainty.interval_files import Draws, print_metrics, write_intervals
from voiceprivacy.privacy.uncertainty.normalised import Proportion, write_normalised
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import label_inputs
from voiceprivacy.vocabulary import N_REPLICATES, P_TARGET, WITHIN_RELEASE


def assess_scores(
    *,
    scores: list[str],
    label: list[str],
    trials: str | None = None,
    release: str | None = None,
    tags: str | None = None,
    p_target: float = P_TARGET,
    speakers: str | None = None,
    bootstrap: int = N_REPLICATES,
    seed: int = 0,
    verification: str,
    verification_original: str | None = None,
    zebra: str,
    zebra_original: str | None = None,
    curves: str,
    normalised: str | None = None,
    law: str | None = None,
) -> None:
    """Assess the score files of one system: verification, ZEBRA, and what an anonymiser changed.

    It writes what assess verification and assess zebra write, and curves of the law.

    Parameters
    ----------
    scores : enrolment trial label score
    label : a name for each score file
    trials : TSV: the trial list that all but rr must be scores of
    release : TSV: the list that those of rr must be scores of
    tags : YAML with tags of your own: {tag: {from_log10: 1, meaning: ...}}
    p_target : prior of min_dcf
    speakers : TSV: id speaker, of enrolments and trials; adds intervals
    bootstrap : replicates of intervals; 0 for none
    seed : of the draws of speakers
    verification : JSON to write
    verification_original : what --verification wrote of original speech, label oo
    zebra : JSON to write
    zebra_original : what --zebra wrote of original speech, label oo
    curves : TSV to write: label prior_log_odds ece_bit ece_default_bit
    normalised : JSON to write: op and pp in proportion to the original's metrics
    law : TSV to write: singling out and linkability over N and L
    """
    if normalised and not (verification_original and zebra_original):
        raise BadInput("--normalised needs --verification-original and --zebra-original")
    draws = Draws.of(bootstrap, seed)
    own_tags = read_tags(tags)
    assessed = {
        label: assess(
            label,
            path,
            draws=draws,
            trials=release if label in WITHIN_RELEASE else trials,
            speakers=speakers,
            tags=own_tags,
            p_target=p_target,
            law=bool(law),
        )
        for label, path in label_inputs(scores, label).items()
    }
    write_curves(curves, {label: own.curve for label, own in assessed.items()})
    if law:
        write_law(law, {label: own.law for label, own in assessed.items()})
    numbers = {label: own.metrics["verification"] for label, own in assessed.items()}
    eers = {label: own["eer_percent"] for label, own in numbers.items()}
    for family, path in {"verification": verification, "zebra": zebra}.items():
        metrics = {label: own.metrics[family] for label, own in assessed.items()}
        resampled = {
            label: own.resampled[family] for label, own in assessed.items() if own.resampled
        }
        write_json(path, metrics)
        print_metrics(write_intervals(path, metrics, resampled, label, eers))
    if normalised and verification_original and zebra_original:
        proportions = write_normalised(
            normalised,
            dece=Proportion(zebra_original, zebra, "dece_bit"),
            cllr_min=Proportion(verification_original, verification, "cllr_min_bit"),
            draws=draws if speakers else draws._replace(n_replicates=0),
        )
        print_metrics(proportions)


if __name__ == "__main__":
    run(assess_scores)
