# SPDX-License-Identifier: MIT
"""The checks of `mpipp check`, in correct and wrong programs."""
