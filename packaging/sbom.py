#!/usr/bin/env python3
"""Writes the bill of materials of a release, as CycloneDX 1.5:

    sbom.py VERSION SOURCES ZIG_LIBRARY OUT

Each library is named with its version, its licence and the checksum of its source: what is
built by packaging/cross has all of them in it, and some files a C library besides.  SOURCES is
where packaging/libraries/fetch put them, ZIG_LIBRARY the folder of what zig links.  The
same input gives the same bytes.
"""

import datetime
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

# The licence of what is compiled, which of a source package may be less than all; "" is public domain.
LIBRARIES = {
    "protobuf-c": ("BSD-2-Clause", "decodes ONNX"),
    "cjson": ("MIT", "reads JSON"),
    "xxhash": ("BSD-2-Clause", "hashes"),
    "utf8proc": ("MIT", "widths of characters"),
    "zlib": ("Zlib", "decompresses gzip"),
    "xz-utils": ("", "liblzma: decompresses xz"),
    "libzstd": ("BSD-3-Clause", "decompresses zstd"),
}


def hash_of(path: str) -> dict[str, str]:
    with open(path, "rb") as file:
        return {"alg": "SHA-256", "content": hashlib.sha256(file.read()).hexdigest()}


def component(name: str, sources: str) -> dict[str, object]:
    licence, use = LIBRARIES[name]
    with open(f"{sources}/{name}.version", encoding="ascii") as file:
        version = file.read().strip()
    purl = f"pkg:deb/debian/{name}@{version}?arch=source"
    archives = [path for path in glob.glob(f"{sources}/{name}_*.orig.tar.*") if not path.endswith(".asc")]
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "description": use,
        "scope": "required", "purl": purl,
        "licenses": [{"license": {"id": licence} if licence else {"name": "public domain"}}],
        "hashes": [hash_of(sorted(archives)[0])],
    }


def found(path: str, pattern: str) -> str:
    """A version, as a header of zig's has it."""
    with open(path, encoding="utf-8") as file:
        match = re.search(pattern, file.read())
    if not match:
        sys.exit(f"sbom: {path} has no version")
    return ".".join(match.groups())


def runtimes(zig: str) -> list[dict[str, object]]:
    """The C libraries that are linked with some files."""
    debian = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libc6-dev"], capture_output=True, text=True, check=True).stdout
    rows = (("musl", found(f"{zig}/libc/musl/src/internal/version.h", r'VERSION "([0-9.]+)"'), {"id": "MIT"}, "the C library of musllinux wheels"),
            ("mingw-w64", found(f"{zig}/libc/include/any-windows-any/_mingw_mac.h", r"MAJOR (\d+)\s+#define __MINGW64_VERSION_MINOR (\d+)"),
             {"id": "ZPL-2.1"}, "starts programs and modules for Windows"),
            ("glibc", debian, {"id": "LGPL-2.1-or-later"}, "the C library of the static programs for Linux, -linux-amd64 and -linux-arm64"))
    return [{"type": "library", "bom-ref": f"pkg:generic/{name}@{version}", "name": name, "version": version, "description": use, "scope": "optional",
             "purl": f"pkg:generic/{name}@{version}", "licenses": [{"license": licence}]} for name, version, licence, use in rows]


def main(version: str, sources: str, zig: str, out: str) -> None:
    own = f"pkg:generic/fusiondiff@{version}"
    components = [component(name, sources) for name in sorted(LIBRARIES)] + runtimes(zig)
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, own + json.dumps(components))}",
        "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": own, "name": "fusiondiff", "version": version,
                          "purl": own, "licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [c["bom-ref"] for c in components]}],
    }
    with open(out, "w", encoding="ascii") as file:
        json.dump(bom, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
