"""Snakemake's logger plug-in of ``voiceprivacy run``: one line of progress, and why jobs failed."""

import logging
import sys
import threading

from snakemake_interface_logger_plugins.base import LogHandlerBase

from voiceprivacy.running.progress import ProgressHandler, is_silent


class LogHandler(LogHandlerBase):
    """Hands what Snakemake says to our handler."""

    writes_to_stream, writes_to_file = True, False
    has_filter = has_formatter = needs_rulegraph = False

    def __post_init__(self) -> None:
        screen = logging.StreamHandler(sys.stdout if self.common_settings.dryrun else sys.stderr)
        self.ours = ProgressHandler(screen, silent=is_silent())
        threading.Thread(target=self.ours.tick, daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Show a message, in the form that Snakemake gives it."""
        self.ours.shown.setFormatter(self.formatter)
        self.ours.handle(record)

    def close(self) -> None:
        """Say why jobs have failed, at the end of a run."""
        self.ours.explain()
        super().close()
