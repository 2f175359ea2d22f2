"""What a command that embeds speech imports: each of these takes a tenth of its start-up."""

import subprocess
import sys

import pytest

from voiceprivacy.vocabulary import RESOURCES, SCRIPTS


def printed(program):
    return subprocess.check_output([sys.executable, "-c", program], cwd=SCRIPTS, text=True).split()


def test_a_model_of_a_folder_is_loaded_without_what_it_does_not_need():
    program = f"""import sys
from voiceprivacy.attack.extractors import networks
from voiceprivacy.models import encoders, hub
from voiceprivacy.attack.training import training
networks.Extractor(hub.model_folder({str(RESOURCES / "ecapa_small")!r}))
print(*sys.modules)"""
    needless = {"scipy.stats", "httpcore", "transformers", "speechbrain.inference", "matplotlib"}
    assert needless.isdisjoint(printed(program))


@pytest.mark.parametrize("first", ["", "import scipy.stats\n"])
def test_what_speechbrain_needs_of_scipy_is_there_when_it_is_used(first):
    program = f"""{first}import voiceprivacy.models
import speechbrain.dataio.sampler as sampler
print(sampler.lognorm.ppf(0.5, s=1))
from scipy import stats
print(stats.lognorm.ppf(0.5, s=1))"""
    assert printed(program) == ["1.0", "1.0"]
