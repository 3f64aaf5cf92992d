# SPDX-License-Identifier: MIT
"""The processes of a watcher: their records, labels and ends."""
