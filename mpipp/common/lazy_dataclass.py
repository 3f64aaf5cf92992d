# SPDX-License-Identifier: MIT
"""Dataclasses that get their methods with their first instance.

`dataclasses.dataclass` compiles several methods for each class, which takes half a millisecond. A
watcher imports a hundred such classes, and the watcher of a correct program uses few of them. One
thread must make the first instance: another one could see the class without `__init__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, **options: bool) -> Any:
        """The decorator `dataclasses.dataclass`. Use `complete` to read the fields of a class."""
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        if "__init__" in vars(cls):
            raise TypeError(f"{cls.__name__} has an __init__ of its own: use dataclasses.dataclass")

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            complete(cls)
            cls.__init__(self, *args, **kwargs)

        cls.__init__ = __init__
        cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclasses inspects the signature
        _PENDING[cls] = options
        return cls


_PENDING: dict[type, dict[str, bool]] = {}


def complete(cls: type) -> None:
    """Make the methods of a dataclass, and of the dataclasses that it inherits from."""
    for each in reversed(cls.__mro__):
        options = _PENDING.pop(each, None)
        if options is not None:
            from dataclasses import dataclass

            del each.__init__  # type: ignore[misc]  # dataclasses keeps any __init__ that it finds
            dataclass(**options)(each)


__all__ = ["complete", "dataclass"]
