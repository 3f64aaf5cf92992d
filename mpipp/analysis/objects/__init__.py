# SPDX-License-Identifier: MIT
"""Objects over time: calls that failed to create one, handles without one, growth."""
