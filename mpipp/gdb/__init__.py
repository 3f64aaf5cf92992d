# SPDX-License-Identifier: MIT
"""The gdb front end, the only package that imports gdb: printers, commands and settings."""

from __future__ import annotations


def register() -> None:
    """Register mpipp with gdb. This mpipp replaces one that was registered before."""
    # Imported here, not at the top, because the modules of this package import each other through
    # it.
    import mpipp.gdb.all_ranks.tui_window
    import mpipp.gdb.autoload
    import mpipp.gdb.commands
    import mpipp.gdb.commands.break_
    import mpipp.gdb.commands.convenience_functions
    import mpipp.gdb.commands.watch
    import mpipp.gdb.notices
    import mpipp.gdb.printers.printers
    import mpipp.gdb.program.sessions
    import mpipp.gdb.settings
    import mpipp.gdb.stop_events.guarded_access
    import mpipp.gdb.stop_events.summary
    import mpipp.gdb.stop_events.watcher_stop
    import mpipp.gdb.wrapper_sources
    import mpipp.gdb.wrapper_unwinder

    mpipp.gdb.autoload.allow()
    mpipp.gdb.wrapper_sources.register()
    mpipp.gdb.settings.register()
    mpipp.gdb.program.sessions.register()
    mpipp.gdb.notices.register()
    mpipp.gdb.printers.printers.register()
    mpipp.gdb.commands.register()
    mpipp.gdb.commands.break_.register()
    mpipp.gdb.stop_events.guarded_access.register()
    mpipp.gdb.stop_events.watcher_stop.register()
    mpipp.gdb.commands.watch.register()
    mpipp.gdb.stop_events.summary.register()
    mpipp.gdb.commands.convenience_functions.register()
    mpipp.gdb.wrapper_unwinder.register()
    mpipp.gdb.all_ranks.tui_window.register()


def unregister() -> None:
    """Disconnect from gdb's events and from browsers. A new `register` replaces printers and
    commands."""
    import mpipp.gdb.commands.break_
    import mpipp.gdb.commands.browse
    import mpipp.gdb.commands.watch
    import mpipp.gdb.notices
    import mpipp.gdb.printers.printers
    import mpipp.gdb.program.sessions
    import mpipp.gdb.stop_events.guarded_access
    import mpipp.gdb.stop_events.summary
    import mpipp.gdb.stop_events.watcher_stop

    mpipp.gdb.printers.printers.unregister()
    mpipp.gdb.commands.break_.unregister()
    mpipp.gdb.stop_events.guarded_access.unregister()
    mpipp.gdb.stop_events.watcher_stop.unregister()
    mpipp.gdb.commands.watch.unregister()
    mpipp.gdb.stop_events.summary.unregister()
    mpipp.gdb.commands.browse.close()
    mpipp.gdb.notices.unregister()
    mpipp.gdb.program.sessions.unregister()
