# SPDX-License-Identifier: MIT
"""The wrapper's files: its front door, layers, generated code and published memory."""
