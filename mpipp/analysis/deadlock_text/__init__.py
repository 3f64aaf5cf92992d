# SPDX-License-Identifier: MIT
"""The explanation of a hang as text, JSON and diagrams."""
