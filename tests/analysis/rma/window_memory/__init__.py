# SPDX-License-Identifier: MIT
"""The memory of windows and of operations' buffers."""
