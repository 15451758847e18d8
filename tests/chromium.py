"""A page in Chromium, driven over a pipe as its developer tools do."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"),
    "--host-resolver-rules=MAP explorer.test 127.0.0.1",
)
FAULTS: Final = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}


class Chromium:
    """A page. `events` has what Chromium reported; files are saved in `folder`."""

    def __init__(self, folder: Path, *flags: str) -> None:
        """Start Chromium with an empty profile."""
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            pytest.skip("there is no Chromium on PATH")
        self.events: list[dict[str, Any]] = []
        self._last = 0
        self._session: dict[str, str] = {}
        there, self._to = os.pipe()
        from_, back = os.pipe()
        self._from = os.fdopen(from_, "rb")
        command = f'exec "$0" "$@" 3<&{there} 4>&{back}'
        profile = f"--user-data-dir={folder / 'profile'}"
        arguments = [program, *FLAGS, *flags, profile, "about:blank"]
        nothing = subprocess.DEVNULL
        self._process = subprocess.Popen(
            ["bash", "-c", command, *arguments],
            pass_fds=(there, back),
            stdout=nothing,
            stderr=nothing,
        )
        os.close(there)
        os.close(back)
        targets = self.send("Target.getTargets")["targetInfos"]
        (target,) = [each["targetId"] for each in targets if each["type"] == "page"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": session["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.send(f"{domain}.enable")
        self.send("Browser.grantPermissions", permissions=["clipboardReadWrite"])
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and return its result."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params} | self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = json.loads(self._read())
            if found.get("id") == self._last:
                assert "error" not in found, (method, found)
                result: dict[str, Any] = found["result"]
                return result
            self.events.append(found)

    def _read(self) -> bytes:
        parts = bytearray()  # adding to bytes would copy them each time
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "Chromium ended"
            parts += byte
        return bytes(parts)

    def open(self, address: str) -> None:
        """Open an address, and wait until the page is loaded."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait('document.readyState === "complete" && location.href !== "about:blank"')

    def run(self, script: str) -> Any:  # noqa: ANN401 - it is JSON
        """Return what a script returns that runs as if a reader had clicked."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        found = self.send("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in found, (script, found)
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until a script returns true."""
        self.until(lambda: bool(self.run(script)), script)

    def until(self, condition: Callable[[], bool], name: str = "") -> None:
        """Wait until a condition is true."""
        end = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < end, name
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press a key, with what it types."""
        for kind in ("keyDown", "keyUp"):
            text = "\r" if key == "Enter" else ""
            code = {"Enter": 13, "Tab": 9}[key]
            options = {"key": key, "windowsVirtualKeyCode": code, "text": text}
            self.send("Input.dispatchKeyEvent", type=kind, **options)

    def choose(self, selector: str, file: Path) -> None:
        """Choose a file in a field for files."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(file)])

    def spoken(self) -> str:
        """Return what a screen reader finds on the page."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        return " ".join(str(node.get("name", {}).get("value", "")) for node in nodes)

    def faults(self) -> list[dict[str, Any]]:
        """Return what the page wrote to the console, with the errors."""
        return [event for event in self.events if event["method"] in FAULTS]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        sent = [each for each in self.events if each["method"] == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]

    def close(self) -> None:
        """End Chromium."""
        self.send("Browser.close")
        self._process.wait()
        self._from.close()
        os.close(self._to)
