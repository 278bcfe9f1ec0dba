# SPDX-License-Identifier: Apache-2.0
"""What is in an image, as SPDX 2.3 says it in JSON."""

import hashlib
import json
import re


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def package(kind, name, version, purl, **more):
    return {
        "SPDXID": identifier(kind, name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": purl,
            }
        ],
    } | more


def sha256(data):
    return {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}


def quoted(text):
    return re.sub(r"[^A-Za-z0-9._~-]", lambda m: f"%{ord(m[0]):02X}", text)


def of_debian(deb):
    purl = f"pkg:deb/debian/{deb.name}@{quoted(deb.version)}?arch={deb.arch}&distro=debian-12"
    return package(
        "deb",
        deb.name,
        deb.version,
        purl,
        supplier=f"Organization: {deb.maintainer}",
        sourceInfo=f"built from the source package {deb.source}",
        checksums=[sha256(deb.path.read_bytes())],
        **({"homepage": deb.homepage} if deb.homepage else {}),
    )


def of_us(name, version, data):
    return package(
        "sluice",
        name,
        version,
        f"pkg:generic/{name}@{quoted(version)}",
        licenseDeclared="Apache-2.0",
        checksums=[sha256(data)],
    )


def of_go(path, version, licence):
    purl = f"pkg:golang/{path}@{quoted(version)}"
    ours = "Apache-2.0" if path.startswith("sluice/") else "NOASSERTION"
    return package("go", path, version, purl, licenseDeclared=licence or ours)


def document(
    name, version, arch, created, ours, debs, go_version, go_modules, licences
):
    """ours: the files that we built, by name. The image contains them and what Debian has; the
    program contains Go and its modules, whose licences are by their paths."""
    image = package(
        "image", name, version, f"pkg:oci/{name}?arch={arch}", licenseDeclared="Apache-2.0",
        primaryPackagePurpose="CONTAINER",
    )  # fmt: skip
    built = [of_us(what, version, data) for what, data in sorted(ours.items())]
    debian = [of_debian(deb) for _, deb in sorted(debs.items())]
    modules = [of_go("stdlib", go_version.removeprefix("go"), licences.get("go"))]
    modules += [
        of_go(path, number, licences.get(path)) for path, number in sorted(go_modules)
    ]
    program = identifier("sluice", name)

    def related(one, how, other):
        return {
            "spdxElementId": one,
            "relationshipType": how,
            "relatedSpdxElement": other,
        }

    relationships = [related("SPDXRef-DOCUMENT", "DESCRIBES", image["SPDXID"])]
    relationships += [
        related(image["SPDXID"], "CONTAINS", p["SPDXID"]) for p in built + debian
    ]
    relationships += [related(program, "CONTAINS", p["SPDXID"]) for p in modules]
    packages = [image, *built, *debian, *modules]
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}-{arch}",
        "documentNamespace": f"https://sluice.sh/spdx/{name}-{arch}-{digest}",
        "creationInfo": {"created": created, "creators": ["Organization: sluice"]},
        "packages": packages,
        "relationships": relationships,
    }
