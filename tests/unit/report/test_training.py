"""The picture of a training: what is read, both panels, and one where nobody was held out."""

import pytest

from voiceprivacy.inout.files import RESOURCES, BadInput
from voiceprivacy.report.curves import COLUMNS, read_curve
from voiceprivacy.report.plots.evidence import training_picture as picture


def table(path, *rows):
    path.write_text("\n".join("\t".join(row) for row in [COLUMNS, *rows]) + "\n")
    return path


def test_the_curve_of_the_shipped_attacker_has_both_panels():
    curve = read_curve(RESOURCES / "ecapa_small" / "training.tsv")
    assert len(curve.epoch) == len(curve.held_out_eer_percent) == 10
    loss, eer = picture(curve, title="ecapa_small").axes
    assert loss.lines[0].get_ydata().tolist() == curve.loss.tolist()
    assert eer.lines[0].get_ydata().tolist() == curve.held_out_eer_percent.tolist()
    assert [text.get_text() for text in eer.get_legend().get_texts()] == ["lowest: epoch 2"]


def test_without_held_out_speakers_there_is_the_loss_alone(tmp_path):
    curve = read_curve(table(tmp_path / "training.tsv", ["1", "2.5", "10.0", "-", "0.001", "4"]))
    assert curve.held_out_eer_percent.size == 0
    assert len(picture(curve).axes) == 1


def test_a_curve_without_epochs_is_refused(tmp_path):
    with pytest.raises(BadInput, match="lists no epoch"):
        read_curve(table(tmp_path / "training.tsv"))
