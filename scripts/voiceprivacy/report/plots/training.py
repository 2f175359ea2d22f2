"""The picture of a training: loss and the equal error rate of held-out speakers, epoch by epoch."""

from voiceprivacy.report.plots import style


def picture(curve, *, title=""):
    """Make the figure; ``style.save`` writes it.

    Parameters
    ----------
    curve : report.training.Curve
        With held-out speakers a second panel shows their EER and the first epoch where it is lowest.
    title : str
    """
    panels = 2 if len(curve.held_out_eer_percent) else 1
    figure, axes = style.figure(6, 1.6 * panels + 0.8, panels, 1, squeeze=False, sharex=True)
    marker = "o" if len(curve.epoch) <= 60 else ""
    draw = {"marker": marker, "markersize": 3}
    axes[0, 0].plot(curve.epoch, curve.loss, color=style.colour(0), **draw)
    axes[0, 0].set(ylabel="training loss", title=title)
    if panels == 2:
        eers = curve.held_out_eer_percent
        lowest = int(eers.argmin())
        ax = axes[1, 0]
        ax.plot(curve.epoch, eers, color=style.colour(1), **draw)
        ax.axvline(curve.epoch[lowest], color="black", linestyle=":", linewidth=0.8)
        ax.plot(
            curve.epoch[lowest],
            eers[lowest],
            "o",
            color="black",
            label=f"lowest: epoch {curve.epoch[lowest]:g}",
        )
        ax.set(ylabel="EER of held-out\nspeakers [%]", ylim=(0, None))
        ax.legend(loc="lower right")
    axes[-1, 0].set_xlabel("epoch")
    axes[-1, 0].xaxis.get_major_locator().set_params(integer=True)
    return figure
