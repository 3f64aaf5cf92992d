# SPDX-License-Identifier: MIT
"""The files of a release."""
