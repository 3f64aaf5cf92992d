# SPDX-License-Identifier: MIT
"""The output of a watcher: findings, each once, and what was not checked."""
