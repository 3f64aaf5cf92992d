# SPDX-License-Identifier: MIT
"""What of a run's accesses to windows conflicts, and why it is not ordered (MPI-4.1, chapter 12).

Neither memory nor logs are read here: events come as values (`mpipp.model.onesided`).
"""

from mpipp.onesided.alone import ALL_OTHERS, of_one
from mpipp.onesided.analysis import Result, analyse
from mpipp.onesided.conflicts import Conflict, Side
from mpipp.onesided.mistakes import Mistake

__all__ = ["ALL_OTHERS", "Conflict", "Mistake", "Result", "Side", "analyse", "of_one"]
