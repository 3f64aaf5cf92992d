# SPDX-License-Identifier: MIT
"""Sets of ranks, and facts about the ranks of a job that are merged for people: without gdb."""
