# SPDX-License-Identifier: MIT
"""The start of the watcher, and its connections to processes."""
