"""Put an anonymiser's disclosure and voice distinctiveness in proportion to those of the original speech."""

import argparse

from voiceprivacy.inout.files import BadInput, read_json, write_json
from voiceprivacy.privacy.uncertainty import interval_files
from voiceprivacy.privacy.uncertainty.jackknife import normalise, resample, resample_gains
from voiceprivacy.running.command import print_metrics, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for family in ("zebra", "verification"):
        parser.add_argument(
            f"--{family}-original", required=True, help=f"metrics of assess_{family}.py, label oo"
        )
        parser.add_argument(
            f"--{family}", required=True, help=f"metrics of assess_{family}.py, labels op and pp"
        )
    parser.add_argument("--metrics", required=True, help="JSON to write")
    interval_files.add_arguments(parser)
    arguments = parser.parse_args()

    dece = (arguments.zebra_original, arguments.zebra, "dece_bit")
    cllr_min = (arguments.verification_original, arguments.verification, "cllr_min_bit")
    values = {"dece_bit": read(*dece), "cllr_min_bit": read(*cllr_min)}
    metrics = normalise(**values)
    write_json(arguments.metrics, metrics)
    if arguments.bootstrap:
        found = {
            "dece_bit": interval_files.read_left_out(*dece),
            "cllr_min_bit": interval_files.read_left_out(*cllr_min),
        }
        left_out = {name: of.numbers for name, of in found.items()}
        options = {
            "speakers": found["dece_bit"].speakers,
            "n_replicates": arguments.bootstrap,
            "seed": arguments.seed,
        }
        replicates = resample(metrics, **left_out, **options)
        replicates |= resample_gains(values, {name: of.replicates for name, of in found.items()})
        n_speakers = found["dece_bit"].n_speakers
        metrics = interval_files.write_normalised_intervals(
            arguments.metrics, metrics, replicates, n_speakers
        )
    print_metrics({"": metrics})


def read(original, protected, metric):
    """A metric under each condition: {oo, op, pp: value}."""
    values = {}
    for path, conditions in ((original, ["oo"]), (protected, ["op", "pp"])):
        metrics = read_json(path)
        for condition in conditions:
            try:
                values[condition] = metrics[condition][metric]
            except (KeyError, TypeError):
                raise BadInput(f"{path}: has no {metric} under {condition}") from None
    return values


if __name__ == "__main__":
    run(main)
