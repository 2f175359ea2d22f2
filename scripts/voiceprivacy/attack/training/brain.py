"""The Brain that trains an extractor: SpeechBrain's training loop, validated by the EER of held-out speakers."""

import os
import shutil
import time
import uuid

import numpy as np
import speechbrain
import torch
from speechbrain.nnet.schedulers import update_learning_rate
from speechbrain.utils.checkpoints import (
    Checkpointer,
    mark_as_loader,
    mark_as_saver,
    register_checkpoint_hooks,
)
from speechbrain.utils.epoch_loop import EpochCounterWithStopper

from voiceprivacy.attack.training.batches import (
    cosine_eer_percent,
    validation_pairs,
    validation_pieces,
)
from voiceprivacy.inout import audio, seeds
from voiceprivacy.inout.tables import read_table, write_table

MIXED = {"bf16": torch.bfloat16, "fp16": torch.float16}
COLUMNS = ["epoch", "loss", "right_percent", "held_out_eer_percent", "learning_rate", "seconds"]


class SpeakerBrain(speechbrain.Brain):
    """Classifies pieces of speech by speaker; in validation it embeds them."""

    def prepare(self, schedule, *, history, seed):
        """What this training needs besides SpeechBrain's own: epochs and patience, the curve, the seed."""
        self.schedule, self.history, self.seed = schedule, history, seed
        self.counter = EpochCounterWithStopper(
            schedule.number_of_epochs, schedule.patience, 0, "min"
        )
        self.checkpointer.add_recoverable("counter", self.counter)

    def train_on(self, pieces, validation):
        """Train on a DataLoader of pieces, validate on a ValidationSet (or None), and load the best epoch's weights."""
        self.pieces, self.validation = pieces, validation
        of_validation = (
            None if validation is None else torch.utils.data.DataLoader(validation, batch_size=None)
        )
        self.fit(self.counter, pieces, of_validation)
        whole_curve = self.history.rows
        self.checkpointer.recover_if_possible(min_key=None if validation is None else "eer_percent")
        self.history.rows = whole_curve

    def compute_forward(self, batch, stage):
        waves, _ = batch
        waves = waves.to(self.device)
        frames = self.modules.compute_features(waves)
        frames = self.modules.mean_var_norm(frames, torch.ones(len(waves), device=self.device))
        embeddings = self.modules.embedding_model(frames)
        return (
            self.modules.classifier(embeddings) if stage == speechbrain.Stage.TRAIN else embeddings
        )

    def compute_objectives(self, predictions, batch, stage):
        speakers = batch[1].to(self.device)
        self.right += int((predictions.squeeze(1).argmax(dim=1) == speakers).sum())
        self.tried += len(speakers)
        return self.hparams.compute_cost(predictions, speakers[:, None])

    def evaluate_batch(self, batch, stage):
        with torch.no_grad():
            self.embedded.append(
                self.compute_forward(batch, stage).squeeze(1).float().cpu().numpy()
            )
        return torch.zeros(())

    def on_fit_batch_end(self, batch, outputs, loss, should_step):
        if hasattr(self.hparams.lr_annealing, "on_batch_end"):
            self.hparams.lr_annealing.on_batch_end(self.optimizer)

    def on_stage_start(self, stage, epoch=None):
        if stage == speechbrain.Stage.TRAIN:
            torch.manual_seed(seeds.derive(self.seed, "epoch", str(epoch)))
            self.pieces.batch_sampler.epoch = epoch
            self.right, self.tried, self.started = 0, 0, time.monotonic()
            self.step, self.avg_train_loss = (
                0,
                0.0,
            )  # a checkpoint of an epoch without validation holds that epoch's
        self.embedded = []

    def on_stage_end(self, stage, stage_loss, epoch=None):
        if stage == speechbrain.Stage.TRAIN:
            self.train_loss = stage_loss
            if self.validation is None:
                self._end_epoch(epoch, eer_percent=None)
        else:
            self._end_epoch(
                epoch,
                eer_percent=cosine_eer_percent(
                    np.concatenate(self.embedded), self.validation.pairs
                ),
            )

    def _end_epoch(self, epoch, *, eer_percent):
        rate = self.optimizer.param_groups[0]["lr"]
        self.history.add(
            epoch=epoch,
            loss=f"{self.train_loss:.4f}",
            right_percent=f"{100 * self.right / self.tried:.1f}",
            held_out_eer_percent="-" if eer_percent is None else f"{eer_percent:.2f}",
            learning_rate=f"{rate:.3g}",
            seconds=f"{time.monotonic() - self.started:.0f}",
        )
        if not hasattr(self.hparams.lr_annealing, "on_batch_end"):
            update_learning_rate(self.optimizer, self.hparams.lr_annealing(epoch)[1])
        if eer_percent is None:
            self.checkpointer.save_and_keep_only()
        else:
            self.counter.update_metric(eer_percent)
            self.checkpointer.save_and_keep_only(
                meta={"eer_percent": eer_percent}, min_keys=["eer_percent"]
            )


def keep_precision(module, precision, *, device_type="cuda"):
    """Let a module compute in a mixed precision (of MIXED) in whatever thread calls it.

    Torch keeps that precision per thread, and the threads that DataParallel starts would take float16 for bfloat16.
    """
    module.register_forward_pre_hook(
        lambda *_: torch.set_autocast_dtype(device_type, MIXED[precision])
    )


class ValidationSet(torch.utils.data.IterableDataset):
    """Batches of pieces of held-out speakers, in a fixed order, and which of them to compare."""

    def __init__(self, utterances, schedule, *, batch_size):
        self.pieces = validation_pieces(
            utterances, piece_s=schedule.validation_s, sample_rate=schedule.sample_rate
        )
        self.pairs = validation_pairs(self.pieces)
        self.length = round(schedule.validation_s * schedule.sample_rate)
        self.batch_size = batch_size

    def __len__(self):
        return -(-len(self.pieces) // self.batch_size)

    def __iter__(self):
        for start in range(0, len(self.pieces), self.batch_size):
            waves = [
                audio.read_piece(of.path, start=first, length=self.length)
                for of, first in self.pieces[start : start + self.batch_size]
            ]
            yield torch.from_numpy(np.stack(waves)), torch.zeros(len(waves))


class WholeCheckpointer(Checkpointer):
    """SpeechBrain's checkpointer, whose checkpoints are whole or absent.

    SpeechBrain first writes the file that makes a folder a checkpoint: after a kill it would go on from half of one.
    """

    def save_checkpoint(self, **fields):
        """Save elsewhere and move the whole checkpoint here; fields (but for ``name``) and result are SpeechBrain's."""
        here = self.checkpoints_dir
        unfinished = here.with_name(f"{here.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        self.checkpoints_dir = unfinished
        try:
            saved = super().save_checkpoint(**fields | {"name": uuid.uuid4().hex})
        finally:
            self.checkpoints_dir = here
        path = here / saved.path.name
        os.replace(saved.path, path)
        return saved._replace(
            path=path,
            paramfiles={name: path / file.name for name, file in saved.paramfiles.items()},
        )


@register_checkpoint_hooks
class History:
    """The curve of a training, one row an epoch; part of every checkpoint."""

    def __init__(self):
        self.rows = []

    def add(self, **row):
        """Take down an epoch and print it."""
        self.rows.append([str(row[column]) for column in COLUMNS])
        print("  ".join(f"{column} {value}" for column, value in row.items()), flush=True)

    @mark_as_saver
    def write(self, path):
        """Write the rows as TSV."""
        write_table(path, COLUMNS, self.rows)

    @mark_as_loader
    def read(self, path, end_of_epoch=True):
        """Read the rows of a checkpoint."""
        self.rows = [list(row.values()) for row in read_table(path, COLUMNS)]
