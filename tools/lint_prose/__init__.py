# SPDX-License-Identifier: MIT
"""A linter for the English of documents, messages, docstrings and comments."""
