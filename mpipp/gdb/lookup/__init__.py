# SPDX-License-Identifier: MIT
"""Look-up of the program's variables: by name, and by the address of a buffer."""
