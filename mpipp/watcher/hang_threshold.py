# SPDX-License-Identifier: MIT
"""The time without an MPI call after which a run counts as hanging: `--hang-after`."""

from __future__ import annotations

# Seconds; a user's --hang-after replaces it. progress/hang_detector.py compares it with the time
# since the last movement.
HANG_THRESHOLD = 30.0
