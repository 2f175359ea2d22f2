"""The zoo picture: a similarity matrix above the plane of mean target and impostor LLRs, for OO, OP and PP."""

from matplotlib.lines import Line2D

from voiceprivacy.report.curves import span_of_means
from voiceprivacy.report.plots import style
from voiceprivacy.report.plots.similarity import SCALE

TITLES = {
    "oo": "OO: originals",
    "op": "OP: original enrols, protected tried",
    "pp": "PP: protected",
}
ANIMALS = {
    "dove": (1, "D"),
    "chameleon": (4, "s"),
    "phantom": (2, "v"),
    "worm": (0, "^"),
    "-": (None, "o"),
}
GREY = "#8c8c8c"
PANEL_INCHES = 3.1
FEW_SPEAKERS = 25
SIGNIFICANCE = 0.05  # as in the table


def picture(*, zoo, matrices, speakers, title=""):
    """Make the figure: a column for each condition with its matrix, its zoo plot, and the same from close up.

    Parameters
    ----------
    zoo : {condition: {speaker: {mean_target_llr, mean_impostor_llr (None: undefined), corner, animal}}}
    matrices : {condition: masked array (S, S)}
    speakers : sequence of str
        In the order of the rows; numbered from 1 on in all panels.
    title : str

    Returns
    -------
    matplotlib figure : ``style.save`` writes it
    """
    rows, columns = 3, len(zoo)
    figure, axes = style.figure(
        PANEL_INCHES * columns + 0.8, PANEL_INCHES * rows + 0.9, rows, columns, squeeze=False
    )
    spans = {
        axis: span_of_means(zoo, mean)
        for axis, mean in (("xlim", "mean_target_llr"), ("ylim", "mean_impostor_llr"))
    }
    for column, (condition, of) in enumerate(zoo.items()):
        image = _plot_matrix(axes[0, column], matrices[condition], speakers)
        axes[0, column].set_title(TITLES.get(condition, condition), fontsize="medium")
        plot_zoo(axes[1, column], animals=of, speakers=speakers)
        axes[1, column].set(**spans)
        plot_zoo(axes[2, column], animals=of, speakers=speakers, numbered=True)
        axes[2, column].set_xlabel("mean target LLR")
    axes[1, 0].set_ylabel("mean impostor LLR\n(dotted: no evidence)")
    axes[2, 0].set_ylabel("mean impostor LLR\n(close up)")
    bar = figure.colorbar(image, ax=axes[0], label="similarity", shrink=0.9)
    bar.outline.set_linewidth(0.5)
    note = f"corners of the quartiles; filled: more speakers than chance puts there (p < {SIGNIFICANCE})"
    figure.legend(handles=_legend(zoo), loc="outside lower center", ncols=5, title=note)
    figure.suptitle(title)
    return figure


def plot_zoo(ax, *, animals, speakers, numbered=False):
    """Draw every speaker at mean target and impostor LLR (Figure 6 of Noe et al., CSL 72, 2022).

    Parameters
    ----------
    ax : matplotlib axes
    animals : {speaker: {mean_target_llr, mean_impostor_llr, corner, animal}}
        Markers are filled where the animal is more than chance.
    speakers : sequence of str
    numbered : bool
        Whether the numbers of the speakers stand beside their points, where they are few, and the axes fit the points;
        otherwise lines mark where there is no evidence.
    """
    for position, speaker in enumerate(speakers, start=1):
        of = animals[speaker]
        if of["mean_target_llr"] is None or of["mean_impostor_llr"] is None:
            continue
        point = (of["mean_target_llr"], of["mean_impostor_llr"])
        colour, marker = _look(of["corner"])
        ax.plot(
            *point,
            marker,
            color=colour,
            markerfacecolor=colour if of["animal"] != "-" else "white",
            markersize=5,
        )
        if numbered and len(speakers) <= FEW_SPEAKERS:
            ax.annotate(str(position), point, xytext=(4, 3), textcoords="offset points", fontsize=6)
    if numbered:
        ax.margins(0.12)
    else:
        ax.axhline(0, color="black", linestyle=":", linewidth=0.8)
        ax.axvline(0, color="black", linestyle=":", linewidth=0.8)


def _plot_matrix(ax, values, speakers):
    image = ax.imshow(values, cmap=SCALE, vmin=0, vmax=1, interpolation="nearest")
    ax.spines[:].set_visible(True)
    step = next(
        step for step in (1, 2, 5, 10, 20, 50, 100, len(speakers)) if len(speakers) <= 16 * step
    )
    shown = range(0, len(speakers), step)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(shown, [str(position + 1) for position in shown], fontsize=6)
    if len(speakers) <= FEW_SPEAKERS:
        names = [f"{speaker}  {position}" for position, speaker in enumerate(speakers, start=1)]
        ax.set_yticks(range(len(speakers)), names, fontsize=6)
    ax.tick_params(length=0, pad=2)
    return image


def _look(corner):
    index, marker = ANIMALS[corner]
    return (GREY if index is None else style.colour(index)), marker


def _legend(zoo):
    """Every corner that holds speakers: hollow where chance explains it in all conditions."""
    everyone = [of for speakers in zoo.values() for of in speakers.values()]
    corners, named = {of["corner"] for of in everyone}, {of["animal"] for of in everyone} - {"-"}
    handles = []
    for corner in (corner for corner in ANIMALS if corner in corners):
        colour, marker = _look(corner)
        look = {
            "marker": marker,
            "color": colour,
            "markerfacecolor": colour if corner in named else "white",
        }
        handles.append(
            Line2D([], [], linestyle="", label="none" if corner == "-" else corner, **look)
        )
    return handles
