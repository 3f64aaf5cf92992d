# SPDX-License-Identifier: MIT
"""Starting the watcher, and its connections to processes."""
