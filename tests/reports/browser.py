# SPDX-License-Identifier: MIT
"""A headless browser, controlled through its DevTools pipe."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support import ROOT, lacking, need

AXE = ROOT / ".venv" / "axe-core" / "axe_playwright_python" / "axe.min.js"
_FOUND_BY_AXE = """axe.run(document, {resultTypes: ["violations"]}).then((found) =>
  found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 90)}`))
)"""

_WORDS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # root may run the tests
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--proxy-server=127.0.0.1:9",  # a dead proxy: there must be no network
)


class Browser:
    """A browser with one page at a time.

    Attributes:
        said: messages in the page's console, and errors of any kind.
        asked: the addresses that the page requested.
    """

    def __init__(self, sent: int, heard: int) -> None:
        self._sent, self._heard = sent, heard
        self._number = 0
        self._rest = b""
        self._session = ""
        self.said: list[str] = []
        self.asked: list[str] = []
        self._loaded = ""  # id of the completed load
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        found = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def ask(self, method: str, **parameters: Any) -> Mapping[str, Any]:
        """The answer to a command of the DevTools protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._sent, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: Mapping[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._heard, 1 << 16)
            assert data, "the browser has ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, of: Mapping[str, Any]) -> None:
        if event in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(of))
        elif event == "Audits.issueAdded":
            self.said.append(json.dumps(of["issue"]))
        elif event == "Network.requestWillBeSent":
            self.asked.append(of["request"]["url"])
        elif event == "Page.lifecycleEvent" and of["name"] == "load":
            self._loaded = of["loaderId"]

    def show(self, page: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a page."""
        self.said.clear()
        self.asked.clear()
        self.size(width, height)
        self.dark(dark)
        # An event about an earlier page, or about:blank, may arrive only now.
        load = self.ask("Page.navigate", url=page.as_uri())["loaderId"]
        while self._loaded != load:
            self._next()

    def size(self, width: int, height: int = 900) -> None:
        """Set the size of the page, in pixels."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def dark(self, dark: bool, media: str = "screen") -> None:
        """Set the user's colour scheme; `media` is "print" for paper."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def violations(self) -> list[str]:
        """The accessibility rules that the page violates, from axe-core."""
        if not AXE.exists():
            lacking("there is no axe-core: run tools/setup.sh")
        self.value(f"{AXE.read_text()}; 0")
        found: list[str] = self.value(_FOUND_BY_AXE)
        return found

    def picture(self) -> bytes:
        """The whole page as PNG, without scroll bars."""
        height = self.value("document.documentElement.scrollHeight")
        self.size(self.value("innerWidth"), height)
        data: str = self.ask("Page.captureScreenshot", format="png")["data"]
        return base64.b64decode(data)

    def press(self, key: str, code: int, modifiers: int = 0) -> None:
        """Press and release a key."""
        of = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **of, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **of)


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with its files in `profile`; skips the test if none is installed."""
    program = need("chromium-headless-shell")
    there, sent = os.pipe()
    heard, back = os.pipe()
    # The browser reads from descriptor 3 and writes to 4.
    words = ["bash", "-c", f'exec "$@" 3<&{there} 4>&{back}', "bash", program, *_WORDS]
    process = subprocess.Popen(
        [*words, f"--user-data-dir={profile}"],
        pass_fds=(there, back),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
    )
    os.close(there)
    os.close(back)
    try:
        yield Browser(sent, heard)
    finally:
        os.close(sent)
        os.close(heard)
        process.terminate()
        process.wait(30)
