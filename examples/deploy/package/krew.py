#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts kubectl-sluice into archives, one for each platform, and writes the manifest by which krew
installs it. `build` calls it."""

import argparse
import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "image"))
import contents
import image

MANIFEST = """\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: sluice
spec:
  version: v{version}
{homepage}  shortDescription: Queues, and the pods that wait in them
  description: |
    Shows the queues of sluice-scheduler and why pods wait in them, and suspends,
    resumes, opens and closes queues. It asks the leading scheduler through the
    API server, and changes queues by Commands.
  platforms:
"""
PLATFORM = """\
  - selector:
      matchLabels:
        os: {system}
        arch: {arch}
    uri: {url}/{name}
    sha256: {digest}
    bin: kubectl-sluice
    files:
    - from: kubectl-sluice
      to: .
    - from: LICENSE
      to: .
"""


def archive(args, system, arch):
    module = args.root / "examples/kubectl-sluice"
    program = args.work / f"krew/{system}-{arch}/kubectl-sluice"
    env = dict(os.environ, GOOS=system, GOARCH=arch)
    subprocess.run([module / "build", program], check=True, env=env)
    words = [(args.root / "LICENSE").read_text()]
    words += contents.notices(program, module, arch, system)
    files = {
        "kubectl-sluice": contents.File(program.read_bytes(), mode=0o755),
        "LICENSE": contents.File("\n".join(words).encode()),
    }
    tar = image.tar_of(files, int(os.environ["SOURCE_DATE_EPOCH"]))
    return gzip.compress(tar, compresslevel=9, mtime=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--homepage", required=True)
    for folder in ("work", "out", "root"):
        parser.add_argument(f"--{folder}", required=True, type=Path)
    parser.add_argument("platforms", nargs="+", metavar="SYSTEM/ARCH")
    args = parser.parse_args()
    homepage = f"  homepage: {args.homepage}\n" if args.homepage else ""
    manifest = MANIFEST.format(version=args.version, homepage=homepage)
    for platform in args.platforms:
        system, arch = platform.split("/")
        name = f"kubectl-sluice_{args.version}_{system}_{arch}.tar.gz"
        data = archive(args, system, arch)
        (args.out / name).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        manifest += PLATFORM.format(
            system=system, arch=arch, url=args.url, name=name, digest=digest
        )
        print(f"packages: {name}: {len(data) / 1e6:.1f} MB")
    (args.out / "sluice.yaml").write_text(manifest)


if __name__ == "__main__":
    main()
