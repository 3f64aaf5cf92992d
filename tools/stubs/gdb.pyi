# SPDX-License-Identifier: MIT
# gdb's own module, for mypy: the tests have a folder of that name.
from typing import Any

def __getattr__(name: str) -> Any: ...
