# SPDX-License-Identifier: MIT
"""Decoders of records: calls, datatypes, objects, threads."""
