# SPDX-License-Identifier: MIT
"""A client of the Debug Adapter Protocol, for gdb's own server and for mpipp's."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Body = dict[str, Any]
_PATIENCE = 200.0  # seconds between two messages, because the machine may be busy


class Adapter:
    """A client that sends requests to a server and reads its messages."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0
        self._events: list[Body] = []
        self._responses: dict[int, Body] = {}
        self._requests: list[Body] = []  # from the server

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; returns its number."""
        self._number += 1
        request = {"seq": self._number, "type": "request", "command": command}
        self._write({**request, "arguments": arguments})
        return self._number

    def _write(self, message: Body) -> None:
        text = json.dumps(message).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(text), text))
        self._process.stdin.flush()

    def ask(self, command: str, **arguments: Any) -> Body:
        """Send a request, wait for its response, and return the body."""
        return self.response(self.send(command, **arguments))

    def response(self, number: int) -> Body:
        """Wait for the response to a request, and return its body."""
        response = self._response(number)
        assert response["success"], response
        return dict(response.get("body") or {})

    def refusal(self, command: str, **arguments: Any) -> str:
        """Send a request that must fail, and return the sentence with the reason."""
        response = self._response(self.send(command, **arguments))
        assert not response["success"], response
        assert response["body"]["error"]["variables"]["sentence"] == response["message"]
        return str(response["message"])

    def _response(self, number: int) -> Body:
        while number not in self._responses:
            self._read()
        return self._responses.pop(number)

    def event(self, name: str, **with_: Any) -> Body:
        """Wait for the next event with this name and these members in its body, and return the
        body."""
        while True:
            names = [event["event"] for event in self._events]
            assert name not in ("initialized", "stopped") or "terminated" not in names, self._events
            for event in self._events:
                body = dict(event.get("body", {}))
                if event["event"] == name and with_.items() <= body.items():
                    self._events.remove(event)
                    return body
            self._read()

    def request(self, command: str) -> Body:
        """Wait for the next request from the server."""
        while not self._requests:
            self._read()
        found = self._requests.pop(0)
        assert found["command"] == command, found
        return found

    def reply(self, request: Body, success: bool) -> None:
        """Answer a request from the server."""
        self._number += 1
        response = {"seq": self._number, "type": "response", "request_seq": request["seq"]}
        self._write({**response, "command": request["command"], "success": success})

    def unasked(self) -> list[Body]:
        """Responses to requests that this client has not sent, or not waited for."""
        return list(self._responses.values())

    def output(self, text: str) -> str:
        """Wait until the output contains a text, and return the output up to there."""
        found = ""
        while text not in found:
            found += str(self.event("output")["output"])
        return found

    def variables(self, reference: int, start: int = 0, count: int = 0) -> dict[str, Body]:
        """Return the children [start, start + count) of a variable by name, or all of them if count
        is 0."""
        body = self.ask("variables", variablesReference=reference, start=start, count=count)
        return {variable["name"]: variable for variable in body["variables"]}

    def _read(self) -> None:
        # Without a message for a long time, end the server: then the failure lists the events.
        watch = threading.Timer(_PATIENCE, self._process.kill)
        watch.start()
        try:
            self._read_message()
        finally:
            watch.cancel()

    def _read_message(self) -> None:
        stream = self._process.stdout
        assert stream
        length = 0
        for line in stream:
            name, _, value = line.decode().partition(":")
            if name == "Content-Length":
                length = int(value)
            if not line.strip():
                break
        text = stream.read(length)
        assert text, f"the server ended; events: {self._events}"
        message = json.loads(text)
        if message["type"] == "event":
            self._events.append(message)
        elif message["type"] == "response":
            self._responses[message["request_seq"]] = message
        else:
            self._requests.append(message)


@contextmanager
def stopped(
    words: Sequence[str], program: str, function: str, env: Mapping[str, str]
) -> Iterator[tuple[Adapter, dict[str, Body]]]:
    """Run gdb until the program stops in a function that main calls; yield the
    variables of main."""
    with subprocess.Popen(
        [*words[:1], "--interpreter=dap", *words[1:]],
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        adapter = Adapter(process)
        try:
            adapter.ask("initialize", adapterID="test", supportsVariablePaging=True)
            adapter.event("initialized")
            launch = adapter.send("launch", program=program)
            adapter.ask("setFunctionBreakpoints", breakpoints=[{"name": function}])
            adapter.ask("configurationDone")
            adapter.response(launch)
            thread = adapter.event("stopped")["threadId"]
            frames = adapter.ask("stackTrace", threadId=thread)["stackFrames"]
            scopes = adapter.ask("scopes", frameId=frames[1]["id"])["scopes"]
            found: dict[str, Body] = {}
            for scope in scopes:
                if scope["name"] != "Registers":
                    found.update(adapter.variables(scope["variablesReference"]))
            yield adapter, found
        finally:
            process.kill()
