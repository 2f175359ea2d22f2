"""A SpeechBrain model that is loaded by SpeechBrain itself, so that whatever its folder names runs as code.

Only for folders that somebody vouches for (``trust: true``): models that ``extractors`` does not build.
Published folders say in ``pretrained_path`` that their weights are those of the hub, whatever these are today: here
they are those of the folder.
"""

import tempfile
from pathlib import Path

from speechbrain.inference.speaker import EncoderClassifier

from voiceprivacy.attack.extractors.hyperparameters import Hyperparameters
from voiceprivacy.attack.extractors.networks import SETTINGS, Extractor, torch_device
from voiceprivacy.attack.extractors.preparation import NOTHING
from voiceprivacy.inout.files import BadInput

PATH = "pretrained_path"


class TrustedExtractor(Extractor):
    """As Extractor, for any folder that EncoderClassifier loads; one utterance at a time."""

    def __init__(self, folder, *, device="cpu", preparation=NOTHING):
        self.folder, self.device, self.preparation = Path(folder), torch_device(device), preparation
        if not self.folder.is_dir():
            raise BadInput(f"{folder}: not found")
        source = str(self.folder.absolute())
        overrides = {PATH: source} if PATH in Hyperparameters(self.folder / SETTINGS) else {}
        with tempfile.TemporaryDirectory() as links:
            try:
                self.model = EncoderClassifier.from_hparams(
                    source=source,
                    savedir=links,
                    overrides=overrides,
                    run_opts={"device": str(self.device)},
                )
            except Exception as error:
                reason = " ".join(str(error).split())[:200]
                raise BadInput(
                    f"{folder}: SpeechBrain cannot load it ({type(error).__name__}: {reason})"
                ) from None
        self.sample_rate = self.model.audio_normalizer.sample_rate
        self.shortest, self.batch_size = 1, 1

    def _embed(self, waves):
        try:
            return self.model.encode_batch(waves)
        except RuntimeError as error:
            reason = " ".join(str(error).split())[:200]
            raise BadInput(
                f"{self.folder}: cannot embed {waves.shape[1]} samples ({reason})"
            ) from None
