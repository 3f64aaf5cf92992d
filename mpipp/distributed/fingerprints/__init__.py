# SPDX-License-Identifier: MIT
"""Fingerprints of calls: small numbers that agree if the calls of thousands of processes agree."""
