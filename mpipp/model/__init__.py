# SPDX-License-Identifier: MIT
"""What the registry says, as plain values: one frozen class for each kind of MPI object, and calls.

Nothing here reads memory; `mpipp.registry.reader` makes these. Objects are referred to by handle,
except datatypes, which come along as records because a freed handle may already name another
object.
"""

from mpipp.model.buffers import Buffer, Share
from mpipp.model.calls import Call, Constructor, GivenType, OwnOp, Polls, Request, Thread
from mpipp.model.covers import Cover
from mpipp.model.headers import KINDS, Broken, DatatypeRecord, Header, PythonLine, Site
from mpipp.model.levels import Breach, ThreadCall
from mpipp.model.objects import (
    Channel,
    Comm,
    Errhandler,
    File,
    Group,
    Info,
    Message,
    Object,
    Op,
    Session,
    Win,
)
from mpipp.model.past import Kept, Outline, Singles, Stretch
from mpipp.model.processinfo import NOTHING_ATTACHED, Attachment, ProcessInfo, Unheard
from mpipp.model.provoked import Provoked
from mpipp.model.touches import MEANWHILE, NEVER, Touch

__all__ = [
    "KINDS",
    "MEANWHILE",
    "NEVER",
    "NOTHING_ATTACHED",
    "Attachment",
    "Breach",
    "Broken",
    "Buffer",
    "Call",
    "Channel",
    "Comm",
    "Constructor",
    "Cover",
    "DatatypeRecord",
    "Errhandler",
    "File",
    "GivenType",
    "Group",
    "Header",
    "Info",
    "Kept",
    "Message",
    "Object",
    "Op",
    "Outline",
    "OwnOp",
    "Polls",
    "ProcessInfo",
    "Provoked",
    "PythonLine",
    "Request",
    "Session",
    "Share",
    "Singles",
    "Site",
    "Stretch",
    "Thread",
    "ThreadCall",
    "Touch",
    "Unheard",
    "Win",
]
