# SPDX-License-Identifier: Apache-2.0
"""What goes into an image: files of Debian's packages, as few as the programs need, and our own."""

import io
import os
import re
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

CPU = {"amd64": "x86_64", "arm64": "aarch64"}
USER = 65532
PASSWD = f"root:x:0:0:root:/:/sbin/nologin\nnonroot:x:{USER}:{USER}:nonroot:/:/sbin/nologin\n"
GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"
GO = "go"  # beside its modules
LICENCES = {
    "Apache-2.0": r"Apache License,? Version 2\.0",
    "BSD-2-Clause": r"Redistribution and use in source and binary forms",
    "BSD-3-Clause": r"(Neither the name|nor the names|may not be used to endorse)",
    "ISC": r"Permission to use, copy, modify, and(/or)? distribute this software for any purpose",
    "MIT": r"Permission is hereby granted, free of charge",
    "MPL-2.0": r"Mozilla Public License,? [Vv]ersion 2\.0",
}
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"


def run(*command, **more):
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, **more
    )
    return done.stdout


@dataclass
class File:
    data: bytes = b""
    link: str = ""
    mode: int = 0o644


class Package:
    """A .deb: what it says of itself, and its files by their path without the first slash."""

    def __init__(self, path):
        self.path = path
        self.control = run("dpkg-deb", "-f", path)
        fields = dict(re.findall(r"^([\w-]+): (.*)$", self.control, re.MULTILINE))
        self.name, self.version = fields["Package"], fields["Version"]
        self.source = fields.get("Source", self.name).split()[0]
        self.arch, self.maintainer = fields["Architecture"], fields["Maintainer"]
        self.homepage = fields.get("Homepage", "")
        packed = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", path], check=True, stdout=subprocess.PIPE
        )
        self.files = {}
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if member.issym():
                    self.files[name] = File(link=member.linkname)
                elif member.isfile():
                    data = tar.extractfile(member).read()
                    self.files[name] = File(data, mode=member.mode & 0o755)


def packages(folder):
    found = [Package(path) for path in sorted(folder.glob("*.deb"))]
    return {package.name: package for package in found}


def needs(path):
    """The interpreter and the libraries that a program or a library names."""
    said = run("readelf", "-dlW", path, env=dict(os.environ, LC_ALL="C"))
    interpreter = re.search(r"program interpreter: /(\S+?)\]", said)
    return interpreter and interpreter[1], re.findall(r"\(NEEDED\).*\[(.*)\]", said)


class Debian:
    """The part of an image that is Debian's. What of it was used, and from which package."""

    def __init__(self, debs, arch, scratch):
        self.packages, self.scratch = packages(debs), scratch
        triple = f"{CPU[arch]}-linux-gnu"
        self.folders = [f"lib/{triple}", f"usr/lib/{triple}"]
        self.files, self.used = {}, {}

    def add(self, path):
        """A file, and what it points to. False: no package has it."""
        for name, package in self.packages.items():
            if path not in package.files:
                continue
            file = self.files[path] = package.files[path]
            self.used[name] = package
            if file.link:
                target = os.path.normpath(
                    os.path.join("/", os.path.dirname(path), file.link)
                )
                return self.add(target.lstrip("/"))
            return True
        return False

    def follow(self, path):
        """What the program or library at a path of this machine needs, and what that needs."""
        interpreter, libraries = needs(path)
        paths = [[interpreter]] if interpreter else []
        paths += [[f"{folder}/{name}" for folder in self.folders] for name in libraries]
        for places in paths:
            if any(place in self.files for place in places):
                continue
            found = next((place for place in places if self.add(place)), None)
            if not found:
                raise SystemExit(
                    f"image: no package has {places[-1]}, which {path} needs"
                )
            self.follow(self.unpacked(found))

    def unpacked(self, path):
        """The path, on this machine, of a file for readelf to look at."""
        while link := self.files[path].link:
            path = os.path.normpath(
                os.path.join("/", os.path.dirname(path), link)
            ).lstrip("/")
        copy = self.scratch / PurePosixPath(path).name
        copy.write_bytes(self.files[path].data)
        return copy

    def certificates(self):
        """What update-ca-certificates makes of its package."""
        package = self.packages["ca-certificates"]
        names = sorted(name for name in package.files if name.endswith(".crt"))
        self.used[package.name] = package
        self.files[CERTIFICATES] = File(
            b"".join(package.files[name].data for name in names)
        )

    def finish(self):
        """How each package may be used, and what scanners look for in images without dpkg."""
        for name, package in self.used.items():
            copyright = f"usr/share/doc/{name}/copyright"
            self.add(copyright)
            status = package.control + "Status: install ok installed\n"
            self.files[f"var/lib/dpkg/status.d/{name}"] = File(status.encode())
        self.files["etc/passwd"] = File(PASSWD.encode())
        self.files["etc/group"] = File(GROUP.encode())
        self.files["etc/nsswitch.conf"] = File(b"hosts: files dns\n")


def modules(program):
    """The modules of Go in a program, and the version of Go: what it says of itself."""
    said = run(go(), "version", "-m", program).splitlines()
    found = []
    for line in said[1:]:
        kind, *words = line.strip().split("\t")
        if kind == "dep":
            found.append(words)
        elif kind == "=>":
            found[-1] = words if len(words) > 2 else found[-1]
    return said[0].split()[-1], [(path, version) for path, version, *_ in found]


def go():
    for folder in os.environ["PATH"].split(":") + ["/usr/local/go/bin"]:
        if os.access(f"{folder}/go", os.X_OK):
            return f"{folder}/go"
    raise SystemExit("image: no Go")


def licences(module, package, names, arch, system="linux"):
    """How the modules of a program, and Go itself, may be used: their own words."""
    form = "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}"
    env = dict(os.environ, GOARCH=arch, GOOS=system, CGO_ENABLED="0")
    told = run(go(), "list", "-deps", "-f", form, package, cwd=module, env=env)
    folders = dict(line.split("\t") for line in told.splitlines() if "\t" in line)
    folders[GO] = run(go(), "env", "GOROOT", cwd=module, env=env).strip()
    files = {}
    for name in sorted(names & folders.keys() | {GO}):
        for path in sorted(Path(folders[name]).iterdir()):
            if (
                re.match(r"(LICEN[CS]E|COPYING|NOTICE)", path.name, re.IGNORECASE)
                and path.is_file()
            ):
                files[f"{name}/{path.name}"] = File(path.read_bytes())
    return files


def declared(files):
    """The licences of each module, as SPDX names them, by words that each of them has. Where no
    word is known the module is missing."""
    found = {}
    for place, file in files.items():
        said = " ".join(file.data.decode(errors="replace").split())
        known = {name for name, words in LICENCES.items() if re.search(words, said)}
        if "BSD-3-Clause" in known:
            known.discard("BSD-2-Clause")
        if known:
            found.setdefault(place.rpartition("/")[0], set()).update(known)
    return {path: " AND ".join(sorted(known)) for path, known in found.items()}


def notices(program, module, arch, system="linux"):
    """The same of a program in one text; words that are the same are said once."""
    go_version, found = modules(program)
    version = go_version.removeprefix("go")
    versions, whose = dict(found) | {GO: version}, {}
    for place, file in licences(module, ".", versions.keys(), arch, system).items():
        text = file.data.decode(errors="replace")
        whose.setdefault(text, []).append(place.rpartition("/")[0])
    yield f"{program.name} is made with Go {version}, and has in it:\n"
    for text, paths in sorted(whose.items(), key=lambda item: item[1]):
        yield "-" * 78
        yield "".join(f"{path} {versions[path]}\n" for path in paths)
        yield text
