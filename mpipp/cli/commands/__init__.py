# SPDX-License-Identifier: MIT
"""The subcommands of `mpipp`, one module for each."""
