# SPDX-License-Identifier: MIT
"""The destination of a watcher's findings."""

from __future__ import annotations

import os
import socket
from typing import Union

from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc.protocol import LAUNCHER
from mpipp.watcher.output.channel import ToLauncher, ToRun, ToStream
from mpipp.watcher.output.remote_launcher import ToRemoteLauncher, shares_directory
from mpipp.watcher.settings import Settings

Destination = Union[ToLauncher, ToRemoteLauncher, ToStream]


def destination(directory: str, settings: Settings) -> tuple[Destination, Settings]:
    """Connect to the launcher that listens in a directory. Without a launcher, use stderr.

    Also returns the settings, with the run's directory that this node can use.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        launch.connect(connection, os.path.join(directory, LAUNCHER))
        return ToLauncher(connection), settings
    except OSError:
        connection.close()
    if settings.token and not shares_directory(settings):
        remote = ToRemoteLauncher(directory, settings)
        return remote, settings._replace(report=remote.directory)
    return (ToRun(settings) if settings.report else ToStream()), settings
