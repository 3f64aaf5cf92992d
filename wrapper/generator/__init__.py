# SPDX-License-Identifier: MIT
"""The generator of the wrappers; `python -m wrapper.generator.generate` runs it."""
