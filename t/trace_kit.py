# SPDX-License-Identifier: Apache-2.0
"""What t/trace and t/trace_limits share: points, hosts that run, and folders of pins."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("SLUICE_BUILD", "build")).resolve()
BUILT = Path(os.environ.get("SLUICE_LIB", BUILD / "sluice.so")).resolve()
TRACE, SIM = BUILD / "sluice-trace", BUILD / "sluice-sim"
HOST = Path(__file__).resolve().parent / "trace_host"
INSIDE = "SLUICE_TRACE_TEST"
done = {"points": 0, "failures": 0}


def point(passed, says, *seen):
    done["points"] += 1
    done["failures"] += not passed
    print(f"{'' if passed else 'not '}ok {done['points']} - {says}", flush=True)
    for one in seen if not passed else ():
        for line in str(one).splitlines()[:40]:
            print(f"#   {line}")


def run(*command, **more):
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run([str(c) for c in command], check=False, **{**both, **more})


def trace(*options, **more):
    return run(TRACE, *options, **more)


class Host:
    """A process that has the library, and does what it is told."""

    def __init__(self, library):
        pipe = subprocess.PIPE
        command = [HOST, library]
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, bufsize=1
        )
        self.pid = int(self.process.stdout.readline().split()[1])

    def tell(self, order):
        self.process.stdin.write(order + "\n")
        return self

    def wait(self):
        return self.process.stdout.readline() == "done\n"

    def do(self, order):
        return self.tell(order).wait()

    def end(self):
        self.process.stdin.close()
        return self.process.wait() == 0


class Pins:
    """A folder of pins, attached while it lasts."""

    def __init__(self, folder, *options):
        self.folder = Path(folder)
        self.made = trace(*options, "--pin", folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        trace("--pin", self.folder, "--detach")

    def read(self):
        got = run(
            TRACE, "--pin", self.folder, "-o", "json", "hist", stderr=subprocess.PIPE
        )
        return json.loads(got.stdout)


def slots(picture, part="totals"):
    """{(stage, queue): {slot: count}} of all processes together."""
    sums = {}
    for row in picture[part]:
        into = sums.setdefault((row["stage"], row.get("queue")), {})
        for slot, count in row["slots"].items():
            into[int(slot)] = into.get(int(slot), 0) + count
    return sums


def slot(milliseconds):
    return max(int(milliseconds * 1_000_000).bit_length() - 1, 0)


def programs():
    """How many programs of ours the kernel has."""
    shown = run("bpftool", "-j", "prog", "show")
    return sum(p.get("name", "").startswith("gate_") for p in json.loads(shown.stdout))


def settled(count):
    """The kernel frees what a process had a moment after its end."""
    for _ in range(100):
        if programs() == count:
            return True
        time.sleep(0.05)
    return False


def why_not():
    if not TRACE.exists():
        return "sluice-trace was not built: libbpf, libelf, clang or bpftool is missing"
    if os.geteuid() != 0:
        return "tracing takes root"
    if "sluice_probe_" not in run("nm", "-D", BUILT).stdout:
        return "the library was built with -Dprobes=disabled"
    if run(sys.executable, "-c", "import msgpack").returncode != 0:
        return f"no module msgpack in {sys.executable}: apt-get install python3-msgpack"
    tried = trace("--library", BUILT, "--for", "0.01", "hist")
    return tried.stdout.strip().splitlines()[0] if tried.returncode else None


def main(tests):
    """Runs the tests in a mount namespace of their own: each gets a folder on a BPF file system,
    and a copy of the library beside it, since others may use the one that was built."""
    if why := why_not():
        print(f"1..0 # SKIP {why}")
        return 0
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        bpffs = Path(folder) / "bpf"
        bpffs.mkdir()
        library = Path(shutil.copy(BUILT, folder))
        run("mount", "-t", "bpf", "bpf", bpffs)
        try:
            for test in tests:
                test(bpffs, library)
        finally:
            run("umount", bpffs)
    print(f"1..{done['points']}")
    return done["failures"] > 0
