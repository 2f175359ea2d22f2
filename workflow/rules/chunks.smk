"""Runs in chunks: what is measured of some systems, or what compares all that were measured."""

if CHUNK and CHUNK.is_last:
    # Systems are measured. Files that no rule makes need no place in the graph.
    for name in chunks.rules_of_one_system(workflow.rules):
        del workflow._rules[name]


def files_of_chunk():
    """Numbers, intervals, curves and evidence of the systems of this chunk."""
    systems = ["original", *plan.speech.protected, *plan.given.names("anonymiser")]
    curves = itertools.chain.from_iterable(figure.files for figure in CONTENTS.figures)
    intervals = [*CONTENTS.intervals, *replicates_beside(CONTENTS.intervals)]
    fusions = itertools.chain.from_iterable(
        plan.atlas.fusions(trial_list).values() for trial_list in plan.atlas.lists
    )
    files = [*CONTENTS.metrics, *intervals, *curves, *score_files(plan), *fusions]
    return chunks.files(CHUNK, systems, files)


if CHUNK and not CHUNK.is_last:

    rule measure_chunk:
        """Target of a run in chunks: what is measured of some systems."""
        input:
            files_of_chunk(),
        localrule: True
