# SPDX-License-Identifier: MIT
"""The output of a watcher: findings without repetitions, and the list of unchecked things."""
