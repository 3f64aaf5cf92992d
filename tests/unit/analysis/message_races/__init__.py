# SPDX-License-Identifier: MIT
"""Tests of pure functions of `mpipp.analysis.message_races`."""
