#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what was built into an OCI image, for each architecture, and all of them into one layout.
`build` calls it, and says what the folders hold."""

import argparse
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path, PurePosixPath

import contents
import sbom

OCI = "application/vnd.oci.image"
ABOUT = {
    "sluice-scheduler": "The stock kube-scheduler with sluice's queues in it",
    "sluice-manager": "Dispatches Kueue's workloads to worker clusters",
}
PACKAGE = {"sluice-scheduler": ".", "sluice-manager": "./sluice-manager"}


def text(value):
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def epoch(root):
    """When the image was made: when its commit was, so that it is the same when made again."""
    asked = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    said = subprocess.run(asked, check=False, capture_output=True, text=True).stdout
    return int(os.environ.get("SOURCE_DATE_EPOCH") or said or 0)


class Layout:
    """A folder as the OCI's image layout has it."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "blobs/sha256").mkdir(parents=True)
        (folder / "oci-layout").write_bytes(text({"imageLayoutVersion": "1.0.0"}))

    def add(self, kind, data, **more):
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "blobs/sha256" / digest).write_bytes(data)
        return {
            "mediaType": kind,
            "digest": f"sha256:{digest}",
            "size": len(data),
        } | more

    def finish(self, index, name, tag):
        index["annotations"] = {
            "org.opencontainers.image.ref.name": tag,
            "io.containerd.image.name": f"docker.io/library/{name}:{tag}",
        }
        whole = {
            "schemaVersion": 2,
            "mediaType": f"{OCI}.index.v1+json",
            "manifests": [index],
        }
        (self.folder / "index.json").write_bytes(text(whole))


def tar_of(files, when):
    """An archive with the folders above its files, in one order, and nothing of this machine."""
    out = io.BytesIO()
    parents = {str(p) for name in files for p in PurePosixPath(name).parents}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(parents - {"."} | files.keys()):
            info = tarfile.TarInfo(name)
            info.mtime = when
            file = files.get(name)
            if not file:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
            elif file.link:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, file.link, 0o777
            else:
                info.size, info.mode = len(file.data), file.mode
            tar.addfile(info, io.BytesIO(file.data) if file else None)
    return out.getvalue()


def tag(args):
    """A scheduler is for one release of Kubernetes, and its tag says for which."""
    number = args.version.partition("+")[0]
    return f"{number}-k8s{args.kubernetes}" if args.kubernetes else number


def image(layout, args, arch, when, layers):
    """An image of layers, each a map of files and a word about it."""
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    descriptors, unpacked, history = [], [], []
    for files, about in layers:
        tar = tar_of(files, when)
        unpacked.append("sha256:" + hashlib.sha256(tar).hexdigest())
        packed = gzip.compress(tar, compresslevel=9, mtime=0)
        descriptors.append(layout.add(f"{OCI}.layer.v1.tar+gzip", packed))
        history.append({"created": created, "created_by": about})
    number, _, commit = args.version.partition("+")
    labels = {
        "org.opencontainers.image.title": args.name,
        "org.opencontainers.image.description": ABOUT[args.name],
        "org.opencontainers.image.version": number,
        "org.opencontainers.image.revision": commit,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }
    if args.kubernetes:
        labels["sh.sluice.kubernetes"] = args.kubernetes
    config = {
        "created": created,
        "architecture": arch,
        "os": "linux",
        "config": {
            "User": f"{contents.USER}:{contents.USER}",
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": [f"/usr/bin/{args.name}"],
            "WorkingDir": "/",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": unpacked},
        "history": history,
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": layout.add(f"{OCI}.config.v1+json", text(config)),
        "layers": descriptors,
        "annotations": labels,
    }
    size = sum(d["size"] for d in descriptors)
    platform = {"architecture": arch, "os": "linux"}
    return layout.add(
        f"{OCI}.manifest.v1+json", text(manifest), platform=platform
    ), size


def build(args, layout, arch, when, scratch):
    work = args.out / "work" / arch
    program, library = work / args.name, work / "sluice.so"
    debian = contents.Debian(args.debs / arch, arch, scratch)
    debian.follow(program)
    debian.follow(library)
    debian.certificates()
    debian.finish()

    go_version, go_modules = contents.modules(program)
    names = {path for path, _ in go_modules}
    words = contents.licences(
        args.root / "examples/kube-scheduler", PACKAGE[args.name], names, arch
    )
    ours = {args.name: program.read_bytes(), "sluice.so": library.read_bytes()}
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    bill = text(
        sbom.document(
            args.name,
            args.version,
            arch,
            created,
            ours,
            debian.used,
            go_version,
            go_modules,
            contents.declared(words),
        )
    )
    (args.out / f"{args.name}-{arch}.spdx.json").write_bytes(bill)
    doc = "usr/share/doc/sluice"
    files = {
        f"usr/bin/{args.name}": contents.File(ours[args.name], mode=0o755),
        "usr/lib/sluice/sluice.so": contents.File(ours["sluice.so"]),
        f"{doc}/LICENSE": contents.File((args.root / "LICENSE").read_bytes()),
        f"{doc}/sbom.spdx.json": contents.File(bill),
    } | {f"{doc}/modules/{path}": file for path, file in words.items()}
    layers = [(debian.files, "Debian's packages"), (files, f"sluice {args.version}")]
    described, size = image(layout, args, arch, when, layers)
    used = " ".join(f"{p.name} {p.version}" for _, p in sorted(debian.used.items()))
    print(f"images: {args.name} {arch}: {size / 1e6:.1f} MB, {described['digest']}")
    print(
        f"images: {args.name} {arch}: of Debian {used}; {len(go_modules)} modules of Go"
    )
    return described


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, choices=sorted(ABOUT))
    parser.add_argument("--version", required=True)
    parser.add_argument("--kubernetes", metavar="MINOR")
    for folder in ("debs", "out", "root"):
        parser.add_argument(f"--{folder}", required=True, type=Path)
    parser.add_argument("archs", nargs="+", choices=sorted(contents.CPU))
    args = parser.parse_args()
    when = epoch(args.root)
    layout = Layout(args.out / args.name)
    with tempfile.TemporaryDirectory() as scratch:
        manifests = [
            build(args, layout, a, when, Path(scratch)) for a in sorted(set(args.archs))
        ]
    index = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.index.v1+json",
        "manifests": manifests,
    }
    described = layout.add(f"{OCI}.index.v1+json", text(index))
    layout.finish(described, args.name, tag(args))
    files = {
        str(path.relative_to(layout.folder)): contents.File(path.read_bytes())
        for path in layout.folder.rglob("*")
        if path.is_file()
    }
    archive = args.out / f"{args.name}.tar"
    archive.write_bytes(tar_of(files, when))
    print(
        f"images: {archive}: {archive.stat().st_size / 1e6:.1f} MB, {described['digest']}"
    )


if __name__ == "__main__":
    main()
