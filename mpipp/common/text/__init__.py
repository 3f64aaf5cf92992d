# SPDX-License-Identifier: MIT
"""Text: sentences, XML, and escaping of text from other users."""
