# SPDX-License-Identifier: MIT
"""The debug adapter: it passes messages between the client, gdb and the job."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpipp.cli.commands.dap import debuggee
from mpipp.cli.commands.dap.debuggee import Sockets
from mpipp.cli.commands.dap.rank_sessions import JobSession, RankSessions
from mpipp.cli.commands.debug.gdb_link import GdbLink
from mpipp.cli.commands.debug.held_ranks import HeldRank
from mpipp.cli.commands.debug.job import Events, Job, Start, listen
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.dap import arguments, messages
from mpipp.dap.capabilities import CAPABILITIES, LACKING_IN_RANK
from mpipp.dap.messages import Message, MessageReader

_STEP = 0.1  # seconds between searches for processes that have ended
_PATIENCE = 5.0  # seconds that gdb gets to detach from the processes
_MOST = 1 << 16
_INPUT, _OUTPUT = 0, 1
_OWN = -1  # the number of a request from the adapter itself


class Adapter:
    """One session of a client.

    Args:
        directory: the directory for the sockets.
    """

    def __init__(self, directory: str) -> None:
        self._sockets = Sockets(*(os.path.join(directory, name) for name in Sockets._fields))
        self._selector = selectors.DefaultSelector()
        self._reader = MessageReader()
        self._number = 0
        self._gdb: subprocess.Popen[bytes] | None = None
        self._job: Job | None = None
        self._link: GdbLink | None = None
        self._ranks: RankSessions | None = None  # the sessions of single ranks
        self._job_session: JobSession | None = None  # the job, if this session is for one rank
        self._waiting: dict[int, Message] = {}  # requests that gdb has not answered
        self._starts_sessions = False  # whether the client starts sessions on request
        # The `launch` or `attach` request, until the client has configured the session.
        self._start: Message | None = None
        self._is_attached = self._is_over = self._has_ended = False

    def run(self) -> int:
        """Serve the client until it disconnects; returns the exit status."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        # Only this class may write to the client: other output goes to standard error.
        self._output = os.dup(_OUTPUT)
        os.dup2(sys.stderr.fileno(), _OUTPUT)
        self._selector.register(_INPUT, selectors.EVENT_READ, self._hear)
        try:
            while not self._is_over:
                self._listen()
            return 0
        except BrokenPipeError:  # the client has ended
            return 0
        finally:
            self._end()

    def _listen(self) -> None:
        listen(self._selector, _STEP)
        if self._job is not None:
            self._job.look()
        if self._gdb is not None and self._gdb.poll() is not None and not self._is_over:
            self._lose_gdb(self._gdb.returncode)

    def _send(self, message: Message) -> int:
        self._number += 1
        data = messages.encoded({"seq": self._number, **message})
        while data:
            data = data[os.write(self._output, data) :]
        return self._number

    def _hear(self) -> None:
        data = os.read(_INPUT, _MOST)
        if not data:
            self._is_over = True
            return
        try:
            for message in self._reader.feed(data):
                if self._is_over:
                    break
                if message.get("type") == "request":
                    self._answer(message)
                elif message.get("type") == "response" and self._ranks is not None:
                    self._ranks.note_response(message)
        except MpippError as error:
            sys.stderr.write(plain(f"mpipp: {error}\n"))
            self._is_over = True

    def _answer(self, request: Message) -> None:
        own: dict[str, Callable[[Message], None]] = {
            "initialize": self._initialize,
            "launch": self._begin,
            "attach": self._begin,
            "disconnect": self._disconnect,
            "terminate": self._terminate,
        }
        try:
            own.get(str(request.get("command")), self._pass_on)(request)
        except MpippError as error:
            self._send(messages.failure(request, str(error)))

    def _initialize(self, request: Message) -> None:
        client = request.get("arguments") or {}
        self._starts_sessions = bool(client.get("supportsStartDebuggingRequest"))
        self._send(messages.response(request, CAPABILITIES))

    def _pass_on(self, request: Message) -> None:
        if self._job_session is not None:
            self._job_session.send(request)
            self._waiting[request["seq"]] = request
            return
        if self._gdb is None or self._link is None:
            raise MpippError("no program is debugged: send launch or attach first")
        if not self._link.is_connected:
            raise MpippError("gdb is still starting: wait for the event initialized")
        self._waiting[request["seq"]] = request
        self._link.send(request=request)

    def _begin(self, request: Message) -> None:
        if self._gdb is not None or self._job_session is not None:
            raise MpippError("a program is debugged already: disconnect first")
        settings = request.get("arguments") or {}
        if not isinstance(settings, dict):
            raise MpippError("the arguments of a request must be an object")
        self._is_attached = request["command"] == "attach"
        own_rank = arguments.rank_session(settings) if self._is_attached else None
        if own_rank is not None:
            self._begin_rank(own_rank.path, request)
            return
        if self._is_attached:
            running = arguments.attach(settings)
            self._listen_for_ranks(running.by_rank)
            words = debuggee.gdb_of_attach(running, self._sockets)
        else:
            wanted = arguments.launch(settings)
            self._listen_for_ranks(wanted.by_rank)
            words = debuggee.gdb_of_launch(wanted, self._sockets)
            start = debuggee.job(wanted, self._sockets)
            self._job = self._new_job(start, wanted.stdin_rank)
        self._link = GdbLink(self._sockets.gdb, self._job, self._selector, self._hear_gdb)
        self._gdb = self._started(words)
        if self._job is not None:
            self._job.debugger = self._gdb.pid
        self._start = request

    def _begin_rank(self, path: str, request: Message) -> None:
        self._job_session = JobSession(path, self._selector, self._hear_job)
        self._send(messages.event("capabilities", capabilities=LACKING_IN_RANK))
        self._pass_on(request)

    def _listen_for_ranks(self, by_rank: bool) -> None:
        if not by_rank:
            return
        if not self._starts_sessions:
            raise MpippError("this editor does not start sessions on request: leave out sessions")
        if self._ranks is None:
            self._ranks = RankSessions(self._sockets.sessions, self._selector, self._pass_to_gdb)

    def _pass_to_gdb(self, request: Message) -> None:
        if self._link is not None:
            self._link.send(request=request)

    def _new_job(self, start: Start, stdin_rank: int) -> Job:
        events = Events(self._held, self._show, self._report_end, self._fail)
        return Job(self._sockets.ranks, start, stdin_rank, self._selector, events)

    def _started(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        # gdb ends when its input ends. This pipe stays open and empty while this process lives. On
        # standard output, gdb reports stops and ends of single threads.
        gdb = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert gdb.stderr is not None
        descriptor = gdb.stderr.fileno()
        self._selector.register(descriptor, selectors.EVENT_READ, lambda: self._read(descriptor))
        return gdb

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, _MOST)
        if not data:
            self._selector.unregister(descriptor)
            return
        text = plain(data.decode("utf-8", "replace"))
        if text.strip():
            self._send(messages.event("output", category="console", output=text))

    def _held(self, rank: HeldRank) -> None:
        if self._link is not None:
            self._link.send(held=rank.message)

    def _show(self, lines: Sequence[str]) -> None:
        text = "".join(f"{plain(line, chr(9))}\n" for line in lines)
        self._send(messages.event("output", category="stdout", output=text))

    def _report_end(self, status: int) -> None:
        if self._start is not None:
            self._refuse(f"the job has ended with exit status {status} before all ranks began")
        elif self._link is not None:
            self._link.send(ended=status)

    def _fail(self, sentence: str) -> None:
        if self._start is not None:
            self._refuse(sentence)
        elif self._link is not None:
            self._link.send(failed=sentence)

    def _refuse(self, sentence: str) -> None:
        # The session has not begun: its first request fails.
        request, self._start = self._start, None
        if request is not None:
            self._send(messages.failure(request, sentence))
        self._end_session()

    def _end_session(self) -> None:
        if self._ranks is not None:
            self._ranks.close()
        if not self._has_ended:
            self._has_ended = True
            self._send(messages.event("terminated"))

    def _hear_gdb(self, message: Mapping[str, Any]) -> None:
        if message.get("event") == "terminated":
            if self._start is None:
                self._end_session()
            else:  # the launcher could not be started
                self._refuse("the job cannot be started: the console has the reason")
            return
        rank = message.get(messages.SESSION)
        if rank is not None and self._ranks is not None:
            self._ranks.send(rank, message)
            return
        if message["type"] == "request" and self._ranks is not None:
            request = self._ranks.completed(message)
            self._ranks.note_request(self._send(request), request)
            return
        is_response = message["type"] == "response"
        if is_response and message["request_seq"] == _OWN:
            self._waiting.pop(_OWN, None)
            return
        self._send(dict(message))
        if not is_response:
            return
        known = self._waiting.pop(message["request_seq"], None)
        is_configured = message["command"] == "configurationDone" and message["success"]
        if known is not None and is_configured and self._start is not None:
            start, self._start = self._start, None
            self._send(messages.response(start))

    def _hear_job(self, message: Message | None) -> None:
        if message is not None:
            self._send(message)
            if message["type"] == "response":
                self._waiting.pop(message["request_seq"], None)
            elif message.get("event") == "terminated":
                self._has_ended = True
            return
        for request in self._waiting.values():
            self._send(messages.failure(request, "the session of the job has ended"))
        self._waiting.clear()
        self._end_session()

    def _lose_gdb(self, status: int) -> None:
        # gdb has crashed, or the user typed "quit" in the console.
        self._gdb = None
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        self._waiting.pop(_OWN, None)
        for request in self._waiting.values():
            self._send(messages.failure(request, f"gdb has ended with {how}"))
        self._waiting.clear()
        text = f"gdb has ended with {how}: the session ends\n"
        self._send(messages.event("output", category="important", output=text))
        if self._job is not None:
            self._job.end()
        self._refuse(f"gdb has ended with {how}")

    def _terminate(self, request: Message) -> None:
        if self._is_attached:
            self._ask_gdb("kill")
        elif self._job is not None:
            self._job.end()
        self._send(messages.response(request))
        self._end_session()

    def _disconnect(self, request: Message) -> None:
        ends = bool(
            (request.get("arguments") or {}).get("terminateDebuggee", not self._is_attached)
        )
        if self._gdb is not None:
            if not ends:
                self._ask_gdb("detach")
                self._end_gdb()
            elif self._is_attached:
                self._ask_gdb("kill")
        self._send(messages.response(request))
        if not ends and self._job is not None:
            self._follow(self._job)
        self._is_over = True

    def _ask_gdb(self, command: str) -> None:
        # Wait until gdb has released the processes: killing gdb earlier would kill them, too.
        if self._link is None or not self._link.is_connected:
            return
        self._waiting[_OWN] = {"seq": _OWN, "command": command}
        self._link.send(request=self._waiting[_OWN])
        until = time.monotonic() + _PATIENCE
        while _OWN in self._waiting and time.monotonic() < until and self._gdb is not None:
            self._listen()

    def _follow(self, job: Job) -> None:
        # The job continues without debugger and client. Ranks block unless their output is read.
        job.detach()
        self._output = os.open(os.devnull, os.O_WRONLY)
        while job.is_running:
            listen(self._selector, _STEP)
            job.look()

    def _end(self) -> None:
        self._is_over = True
        if self._is_attached and self._gdb is not None and self._gdb.poll() is None:
            with contextlib.suppress(BrokenPipeError):
                self._ask_gdb("detach")
        if self._job is not None:
            self._job.end()
        self._end_gdb()

    def _end_gdb(self) -> None:
        if self._gdb is not None and self._gdb.poll() is None:
            self._gdb.kill()
            self._gdb.wait()
