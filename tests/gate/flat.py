#!/usr/bin/env python3
"""flat.py BINARY FIXTURES: the memory of `check --list` grows by what a report prints of a build, not by the build."""
import os
import pathlib
import subprocess
import sys
import tempfile

FEW, MANY = 20, 200
MOST = 100 << 10     # bytes a build; its run takes some MB


def peak(binary, listed):
    """Of the program's memory, in bytes; at least Python's, from which it was started."""
    with subprocess.Popen([binary, "check", "--list", listed, "-j", "1"], stdout=subprocess.DEVNULL, cwd=listed.parent) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"FAILED {listed}: status {process.returncode}")
    return usage.ru_maxrss << 10


def main():
    binary, fixtures = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve() / "qat_block"
    with tempfile.TemporaryDirectory() as folder:
        snapshot, listed = (pathlib.Path(folder) / name for name in ("s.fsd", "builds"))
        for name in ("model.onnx", "engine.graph.json"):
            (pathlib.Path(folder) / name).write_bytes((fixtures / name).read_bytes())
        subprocess.run([binary, "snapshot", f"{folder}/model.onnx", f"{folder}/engine.graph.json", "-o", snapshot], check=True)
        peaks = []
        for n in (FEW, MANY):
            listed.write_text("".join(f"model.onnx engine.graph.json snapshot=s.fsd label=b{i}\n" for i in range(n)))
            peaks.append(peak(binary, listed))
    grown = (peaks[1] - peaks[0]) / (MANY - FEW)
    print(f"{peaks[0] >> 10} kB for {FEW} builds, {peaks[1] >> 10} kB for {MANY}: {grown / 1024:.1f} kB a build")
    return grown > MOST


if __name__ == "__main__":
    sys.exit(main())
