# SPDX-License-Identifier: MIT
"""The commands for all ranks of a job."""
