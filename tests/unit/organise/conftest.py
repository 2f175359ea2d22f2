"""Numbers of scores are computed once for all tests of exchanged results: it takes long."""

from unittest import mock

import pytest
from support import exchange

from voiceprivacy.organise import checking
from voiceprivacy.organise import recomputed as made


@pytest.fixture(scope="package", autouse=True)
def computed_once():
    known = {}

    def recomputed(condition, scores, listed, *, draws, path):
        key = repr((condition, sorted(scores.items()), listed, draws))
        if key not in known:
            known[key] = made.recomputed(condition, scores, listed, draws=draws, path=path)
        return known[key]

    patches = [mock.patch.object(one, "recomputed", recomputed) for one in (checking, exchange)]
    with patches[0], patches[1]:
        yield
