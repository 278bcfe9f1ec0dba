# SPDX-License-Identifier: Apache-2.0
"""A real browser that does what it is told: Chromium without a window, by the DevTools protocol
over two pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless=new",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-proxy-server",
    "--remote-debugging-pipe",
]
KEYS = {"Tab": 9, "Enter": 13, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36}
KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
SECONDS = 120


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        its_in, self.out = os.pipe()
        self.into, its_out = os.pipe()
        # The browser reads 3 and writes 4.
        ends = f'exec "$0" "$@" 3<&{its_in} 4>&{its_out}'
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        data = f"--user-data-dir={self.folder.name}"
        self.process = subprocess.Popen(
            ["bash", "-c", ends, chromium(), *FLAGS, *sandbox, data],
            pass_fds=(its_in, its_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(its_in)
        os.close(its_out)
        self.rest = b""
        self.calls = 0
        self.session = None
        self.complaints = []  # of the console, of the policy, of scripts that failed
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def read(self, seconds):
        """The next message; None when none has come."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                return None
            some = os.read(self.into, 1 << 20)
            if not some:
                raise EOFError("the browser has ended")
            self.rest += some
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(SECONDS)
            if answer is None:
                raise TimeoutError(f"{method}: no answer in {SECONDS} s")
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.hear(answer)

    def hear(self, event):
        about = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            what = details.get("exception", {}).get("description", details["text"])
            self.complaints.append(what)
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(about["entry"]["text"])

    def ask(self, script):
        """What a script says, as JSON has it."""
        said = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in said:
            raise RuntimeError(f"{script}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def until(self, script, seconds=20):
        """True as soon as the script says something that is so; False when it never did."""
        end = time.monotonic() + seconds
        while not self.ask(f"Boolean({script})"):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def open(self, address, width=1360, height=900, dark=False):
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.call("Emulation.setDeviceMetricsOverride", mobile=False, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        return self.until("document.documentElement?.dataset.ready", SECONDS)

    def press(self, *keys):
        for key in keys:
            code = KEYS.get(key, 0)
            about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type="keyDown", **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError):
            self.process.kill()
        self.process.wait(20)
        self.folder.cleanup()
