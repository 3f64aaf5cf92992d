# SPDX-License-Identifier: MIT
"""The gdb front end, the only package that imports gdb: printers, commands and settings."""

from __future__ import annotations


def register() -> None:
    """Make gdb use mpipp, in place of an mpipp that was registered before."""
    # Not at the top: the modules of this package import each other through it.
    import mpipp.gdb.autoload
    import mpipp.gdb.commands
    import mpipp.gdb.commands.breakpoints
    import mpipp.gdb.commands.guarded
    import mpipp.gdb.commands.halted
    import mpipp.gdb.commands.summary
    import mpipp.gdb.commands.watchpoints
    import mpipp.gdb.functions
    import mpipp.gdb.notices
    import mpipp.gdb.parameters
    import mpipp.gdb.printing.printers
    import mpipp.gdb.program.unwinder
    import mpipp.gdb.sessions

    mpipp.gdb.autoload.allow()
    mpipp.gdb.parameters.register()
    mpipp.gdb.sessions.register()
    mpipp.gdb.notices.register()
    mpipp.gdb.printing.printers.register()
    mpipp.gdb.commands.register()
    mpipp.gdb.commands.breakpoints.register()
    mpipp.gdb.commands.guarded.register()
    mpipp.gdb.commands.halted.register()
    mpipp.gdb.commands.watchpoints.register()
    mpipp.gdb.commands.summary.register()
    mpipp.gdb.functions.register()
    mpipp.gdb.program.unwinder.register()


def unregister() -> None:
    """Stop listening to gdb and to browsers; printers and commands are replaced when made anew."""
    import mpipp.gdb.commands.breakpoints
    import mpipp.gdb.commands.browse
    import mpipp.gdb.commands.guarded
    import mpipp.gdb.commands.halted
    import mpipp.gdb.commands.summary
    import mpipp.gdb.commands.watchpoints
    import mpipp.gdb.notices
    import mpipp.gdb.printing.printers
    import mpipp.gdb.sessions

    mpipp.gdb.printing.printers.unregister()
    mpipp.gdb.commands.breakpoints.unregister()
    mpipp.gdb.commands.guarded.unregister()
    mpipp.gdb.commands.halted.unregister()
    mpipp.gdb.commands.watchpoints.unregister()
    mpipp.gdb.commands.summary.unregister()
    mpipp.gdb.commands.browse.close()
    mpipp.gdb.notices.unregister()
    mpipp.gdb.sessions.unregister()
