# SPDX-License-Identifier: MIT
"""The explanation of a running job's hang, on all its nodes."""
