# SPDX-License-Identifier: MIT
"""The browser: its protocol, tree, window and terminal."""
