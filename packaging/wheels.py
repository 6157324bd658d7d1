#!/usr/bin/env python3
"""Writes a wheel of what was built for one platform:

    wheels.py TAG METADATA_DIRECTORY BUILD_DIRECTORY LICENSES OUT

TAG is the platform's, as manylinux_2_17_aarch64.manylinux2014_aarch64; METADATA_DIRECTORY the
fusiondiff-*.dist-info that scikit-build-core prepares, LICENSES a file on what is linked.  The same input gives the same bytes:
names are sorted, and each date is SOURCE_DATE_EPOCH.
"""

import base64
import glob
import hashlib
import os
import sys
import time
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def contents(tag: str, metadata: str, build: str, licenses: str) -> dict[str, tuple[bytes, int]]:
    """Each file of the wheel, with its mode."""
    info = os.path.basename(metadata)
    files = {}
    for path in glob.glob(f"{TOP}/python/fusiondiff/*"):
        if path.endswith((".py", ".pyi", ".typed")):
            files[f"fusiondiff/{os.path.basename(path)}"] = (read(path), 0o644)
    for name in ("fusiondiff", "fusiondiff.exe", "_native.abi3.so", "_native.pyd"):
        if os.path.isfile(f"{build}/{name}"):
            files[f"fusiondiff/{name}"] = (read(f"{build}/{name}"), 0o755)
    for path in glob.glob(f"{metadata}/**", recursive=True):
        if os.path.isfile(path) and os.path.basename(path) not in ("WHEEL", "RECORD"):
            files[f"{info}/{os.path.relpath(path, metadata)}"] = (read(path), 0o644)
    files[f"{info}/licenses/{os.path.basename(licenses)}"] = (read(licenses), 0o644)
    wheel = "Wheel-Version: 1.0\nGenerator: fusiondiff packaging/wheels.py\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: cp39-abi3-{one}\n" for one in tag.split("."))
    files[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    return files


def record(files: dict[str, tuple[bytes, int]], name: str) -> bytes:
    lines = []
    for path, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return ("".join(lines) + f"{name},,\n").encode()


def main(tag: str, metadata: str, build: str, licenses: str, out: str) -> None:
    info = os.path.basename(metadata)
    files = contents(tag, metadata, build, licenses)
    if not {"fusiondiff/_native.abi3.so", "fusiondiff/_native.pyd"} & files.keys():
        sys.exit(f"wheels: {build} has no module")
    files[f"{info}/RECORD"] = (record(files, f"{info}/RECORD"), 0o644)
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    path = f"{out}/{info.removesuffix('.dist-info')}-cp39-abi3-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, (data, mode) in sorted(files.items(), key=lambda item: (".dist-info/" in item[0], item[0])):
            member = zipfile.ZipInfo(name, date)
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, data)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
