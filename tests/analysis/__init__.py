# SPDX-License-Identifier: MIT
"""The checks of `mpipp check`, in programs that are right and wrong."""
