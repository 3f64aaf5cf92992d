# SPDX-License-Identifier: MIT
"""The collective pre-check (`--strict`): calls are compared before they begin."""
