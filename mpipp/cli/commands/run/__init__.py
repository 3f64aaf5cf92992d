# SPDX-License-Identifier: MIT
"""The subcommand `mpipp run`, and its modes: checking, perturbation, valgrind."""
