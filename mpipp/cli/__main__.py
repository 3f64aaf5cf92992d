# SPDX-License-Identifier: MIT
"""`python -m mpipp.cli` runs the command `mpipp`."""

from __future__ import annotations

import sys

from mpipp.cli.main import main

sys.exit(main())
