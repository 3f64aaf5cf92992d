# SPDX-License-Identifier: MIT
"""The wrapper's files: its entry point, layers, generated code and published memory."""
