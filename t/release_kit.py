# SPDX-License-Identifier: Apache-2.0
"""What t/image, t/packages and t/first_minute share: points, the image's files run as a container
would run them, and krew."""

import json
import os
import re
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = {
    "sluice-scheduler": ("base/scheduler.yaml", "base/config.yaml"),
    "sluice-manager": ("fleet/manager/manager.yaml", "fleet/manager/config.yaml"),
}
ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"
KREW = "sigs.k8s.io/krew/cmd/krew@v0.4.3"


class Tap:
    points = failures = 0

    def point(self, name, wrong):
        self.points += 1
        self.failures += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {self.points} - {name}", flush=True)
        for line in wrong[:60]:
            print(f"# {line}")

    def skip(self, name, why):
        self.points += 1
        print(f"ok {self.points} - {name} # SKIP {why}", flush=True)


def run(*command, **more):
    done = subprocess.run(
        command,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )
    return done.returncode, done.stdout


def copy_of_tree(to):
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    for name in done.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def blob(layout, descriptor):
    return (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()


class Image:
    """The one of an architecture in a layout, unpacked into a folder."""

    def __init__(self, layout, arch, root):
        self.layout, self.root, self.members = layout, root, {}
        index = json.loads((layout / "index.json").read_text())
        whole = json.loads(blob(layout, index["manifests"][0]))
        manifest = next(
            m for m in whole["manifests"] if m["platform"]["architecture"] == arch
        )
        self.manifest = json.loads(blob(layout, manifest))
        self.config = json.loads(blob(layout, self.manifest["config"]))
        self.size = sum(layer["size"] for layer in self.manifest["layers"])
        for layer in self.manifest["layers"]:
            path = root.parent / "layer"
            path.write_bytes(blob(layout, layer))
            with tarfile.open(path) as tar:
                self.members |= {member.name: member for member in tar}
                tar.extractall(root)


class Container:
    """Runs the image's files as a container would: its own mounts and processes, a root that cannot
    be written, a user who may nothing. It is alone in a network of its own, or, with an account of
    a cluster, in this machine's: `server` is where that cluster's API server is."""

    # The folders are made before, as a container's runtime makes those of what is mounted.
    # An emulator that is linked statically needs nothing else in there.
    SCRIPT = """
        mount --bind "$1" "$1" && { [ ! "$4" ] || mount --bind "$4" "$1/$4"; } &&
        mount --bind "$2" "$1/etc/sluice" &&
        mount --bind "$3" "$1/%s" && mount -t proc proc "$1/proc" &&
        mount -o remount,bind,ro "$1" && cd "$1" && shift 4 &&
        exec env -i PATH=/usr/bin:/usr/sbin KUBERNETES_SERVICE_HOST=%s \\
            KUBERNETES_SERVICE_PORT=%s setpriv --no-new-privs \\
            chroot --userspec=65532:65532 --groups= . "$@"
    """

    def __init__(self, image, scratch, config, emulator="", account=None, server=None):
        self.root, self.emulator = image.root, emulator
        self.server, self.alone = server or ("192.0.2.1", 443), account is None
        self.config, self.account = scratch / "etc", scratch / "account"
        self.config.mkdir()
        self.account.mkdir()
        shutil.copy(config, self.config / "config.yaml")
        authorities = self.root / "etc/ssl/certs/ca-certificates.crt"
        token, ca = account or ("nobody's", authorities.read_bytes())
        (self.account / "token").write_text(token)
        (self.account / "namespace").write_text("kube-system")
        (self.account / "ca.crt").write_bytes(ca)
        for folder in ("etc/sluice", ACCOUNT, "proc"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        if emulator:
            place = self.root / emulator.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()

    def command(self, *words):
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        alone += ["--net", "--"] if self.alone else ["--"]
        shell = [
            "sh",
            "-c",
            self.SCRIPT % (ACCOUNT, *self.server),
            "sh",
            self.root,
            self.config,
            self.account,
            self.emulator,
            *([self.emulator] if self.emulator else []),
        ]
        return [*alone, *shell, *words]

    def until(self, pattern, *words, seconds=120):
        """Runs until what it says has this in it; all that it said."""
        said = ""
        process = subprocess.Popen(
            self.command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        late = time.monotonic() + seconds
        for line in process.stdout:
            said += line
            if re.search(pattern, said) or time.monotonic() > late:
                break
        process.kill()
        process.wait()
        return said


def shipped(name):
    """Command and flags of the manifest; they have no blanks in them."""
    text = (ROOT / "examples/deploy" / SHIPPED[name][0]).read_text()
    words = re.search(r"command: \[(.*)\]\n +args: \[(.*)\]", text)
    return words[1].split(", ") + words[2].split(", ")


def install_krew(go, scratch):
    """krew itself, built; False: it cannot be had here."""
    env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-trimpath", GOBIN=str(scratch))
    return run(go, "install", KREW, env=env)[0] == 0


def install_by_krew(scratch, manifest, archive):
    """Whether krew installs kubectl-sluice, what it said, and where the program is then."""
    env = dict(os.environ, KREW_ROOT=str(scratch / "krew-root"), HOME=str(scratch))
    words = [f"--manifest={manifest}", f"--archive={archive}"]
    status, said = run(scratch / "krew", "install", *words, env=env)
    return status == 0, said, scratch / "krew-root/bin/kubectl-sluice"
