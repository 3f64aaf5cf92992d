# SPDX-License-Identifier: MIT
"""The registry's contents as plain values: one frozen class for each kind of MPI object, and calls.

Nothing here reads memory; `mpipp.registry.registry` makes these values. Objects refer to others by
handle. Datatypes are included as records instead, because MPI may already have reused a freed
handle for another datatype.
"""

from mpipp.model.buffer_accesses import MEANWHILE, NEVER, Touch
from mpipp.model.buffers import Buffer, Share
from mpipp.model.call_history import KeptCall, Outline, Singles, Stretch
from mpipp.model.calls import (
    ArrayArgument,
    Call,
    Constructor,
    DatatypeArgument,
    OwnOp,
    Polls,
    Request,
    Thread,
)
from mpipp.model.guard_coverage import Coverage
from mpipp.model.keyvals import KeyvalPlace
from mpipp.model.object_header import (
    KINDS,
    Broken,
    DatatypeRecord,
    Header,
    PythonLine,
    Site,
)
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
from mpipp.model.perturbations import Provoked
from mpipp.model.process_info import NOTHING_ATTACHED, Attachment, ProcessInfo, UnconfirmedSends
from mpipp.model.returned_codes import ReturnedCode
from mpipp.model.thread_violations import Breach, ThreadCall

__all__ = [
    "KINDS",
    "MEANWHILE",
    "NEVER",
    "NOTHING_ATTACHED",
    "ArrayArgument",
    "Attachment",
    "Breach",
    "Broken",
    "Buffer",
    "Call",
    "Channel",
    "Comm",
    "Constructor",
    "Coverage",
    "DatatypeArgument",
    "DatatypeRecord",
    "Errhandler",
    "File",
    "Group",
    "Header",
    "Info",
    "KeptCall",
    "KeyvalPlace",
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
    "ReturnedCode",
    "Session",
    "Share",
    "Singles",
    "Site",
    "Stretch",
    "Thread",
    "ThreadCall",
    "Touch",
    "UnconfirmedSends",
    "Win",
]
