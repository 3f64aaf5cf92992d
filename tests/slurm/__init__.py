# SPDX-License-Identifier: MIT
"""Tests of jobs that Slurm starts on several nodes."""
