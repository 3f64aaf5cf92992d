# SPDX-License-Identifier: MIT
"""Debugging of all ranks of a job in non-stop mode: focus, run control, merged stops."""
