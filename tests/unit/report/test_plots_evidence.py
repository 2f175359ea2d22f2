"""Pictures of evidence: curves and legends of ECE profiles, and both panels of a training."""

import numpy as np

from voiceprivacy.inout.tables import write_curves
from voiceprivacy.report.curves import Curve, read_curve
from voiceprivacy.report.plots import evidence
from voiceprivacy.report.uncertainty import Shown
from voiceprivacy.vocabulary import RESOURCES

CURVE = dict.fromkeys(("prior_log_odds", "ece_bit", "ece_default_bit"), np.ones(2))


def test_a_system_has_one_colour_in_every_panel_and_its_draws_stand_together():
    men = dict.fromkeys(("original/oo", "b2r/op"), CURVE)
    profiles = {"demo f": {"original/oo": CURVE, "b2/op": CURVE, "b2r/op": CURVE}, "demo m": men}
    lines = [ax.get_lines() for ax in evidence.all_profiles_picture(profiles).axes]
    colours = [{line.get_label(): line.get_color() for line in drawn} for drawn in lines]
    assert colours[0]["b2r OP"] == colours[1]["b2r OP"] != colours[0]["b2 OP"]
    metrics = {}
    for label, bit in {"b2r_draw2/pp": 0.1, "b2/pp": 0.3, "b2r/pp": 0.6}.items():
        metrics[label] = {"dece_bit": bit, "worst_case_log10": 1.0, "tag": "B"}
    [legend] = evidence.profiles_picture(
        curves=dict.fromkeys(metrics, CURVE), metrics=metrics
    ).legends
    entries = [text.get_text().partition(" ")[0] for text in legend.get_texts()][1:]
    assert entries == ["b2/pp", "b2r/pp", "b2r_draw2/pp"], "the mean of both draws is 0.35"


def test_the_legend_has_the_interval_and_says_what_is_zero_evidence():
    metrics = {
        "much": {"dece_bit": 0.6, "shown": {"dece_bit": Shown(0.6, (0.44, 0.7))}},
        "more": {"dece_bit": 0.7, "shown": {"dece_bit": Shown(0.5, (0.4, 0.6), definition=0.7)}},
        "none": {"dece_bit": 0.05, "dece_null95_bit": 0.1, "shown": {}},
        "unknown": {"dece_bit": 0.01, "dece_null95_bit": "undefined"},
    }
    for numbers in metrics.values():
        numbers |= {"worst_case_log10": 1.5, "tag": "B"}
    [legend] = evidence.profiles_picture(
        curves=dict.fromkeys(metrics, CURVE), metrics=metrics
    ).legends
    entries = [text.get_text() for text in legend.get_texts()][1:]
    assert entries == [
        "unknown (0.010, 1.500, B)",
        "none (0.050, 1.500, B) *",
        "much (0.600 [0.440, 0.700], 1.500, B)",
        "more (0.500 [0.400, 0.600] (by definition 0.700), 1.500, B)",
    ]
    assert "* no more than zero evidence" in legend.get_title().get_text()


def test_a_calibration_that_costs_more_than_no_evidence_is_drawn_whole():
    kinds = {"default": 1.0, "train": 0.4, "test": 0.5, "isotonic": 0.9, "linear": 3.0}
    profile = {f"ece_{kind}_bit": np.array([0.1, bit]) for kind, bit in kinds.items()}
    metrics = dict.fromkeys(("cece_linear_bit", "cece_isotonic_bit"), 1.0)
    metrics |= dict.fromkeys(("cllr_linear_bit", "cllr_isotonic_bit"), 1.0)
    for run in ("train", "test"):
        metrics |= {f"worst_case_{run}_log10": 1.0, f"dece_{run}_bit": 0.3, f"tag_{run}": "B"}
    curves = {"op": profile | {"prior_log_odds": np.arange(2)}}
    [ax] = evidence.calibration_picture(curves=curves, metrics={"op": metrics}).axes
    assert ax.get_ylim() == (0, 3)


def test_a_training_has_both_panels_or_the_loss_alone():
    curve = read_curve(RESOURCES / "ecapa_small" / "training.tsv")
    assert len(curve.epoch) == len(curve.held_out_eer_percent) == 10
    loss, eer = evidence.training_picture(curve, title="ecapa_small").axes
    assert loss.lines[0].get_ydata().tolist() == curve.loss.tolist()
    assert eer.lines[0].get_ydata().tolist() == curve.held_out_eer_percent.tolist()
    assert [text.get_text() for text in eer.get_legend().get_texts()] == ["lowest: epoch 6"]
    curve = Curve(epoch=np.ones(1), loss=np.array([2.5]), held_out_eer_percent=np.array([]))
    assert len(evidence.training_picture(curve).axes) == 1
    tied = Curve(np.arange(1, 4), np.ones(3), np.array([2.0, 1.0, 1.0]))
    marked = evidence.training_picture(tied).axes[1].get_legend().get_texts()
    assert [text.get_text() for text in marked] == ["lowest: epoch 3"], "the one that is kept"


def test_profiles_of_pp_alone_are_drawn(tmp_path):
    write_curves(tmp_path / "pp.tsv", {"pp": CURVE})
    [ax] = evidence.all_profiles(systems=["b2"], sets=["f"], curves=[tmp_path / "pp.tsv"]).axes
    assert "b2 PP" in [line.get_label() for line in ax.get_lines()]
