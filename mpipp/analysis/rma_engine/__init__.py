# SPDX-License-Identifier: MIT
"""Search for accesses to windows that are data races (MPI-4.1, chapter 12).

The engine reads neither memory nor logs: events come as values (`mpipp.model.rma_events`).
"""

from mpipp.analysis.rma_engine.conflicts.conflict import Conflict, Side
from mpipp.analysis.rma_engine.epoch_errors import Mistake
from mpipp.analysis.rma_engine.replay import analyse
from mpipp.analysis.rma_engine.result import Result
from mpipp.analysis.rma_engine.single_process import ALL_OTHERS, check_process

__all__ = ["ALL_OTHERS", "Conflict", "Mistake", "Result", "Side", "analyse", "check_process"]
