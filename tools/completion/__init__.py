# SPDX-License-Identifier: MIT
"""Shell completion for bash, zsh and fish."""
