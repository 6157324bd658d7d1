"""Runs and checks each file of a release, for matrix, which has fetched what runs them:

    matrix.py TOOLS RELEASE [SHARED [PAGE]]

Each program, and each module that a Python of its system can import here, writes the JSON of
the builds of fixtures/ and SHARED/corpus, which must be that of the first program; of all files
the headers are read: processor, oldest system, libraries, symbols.
"""

import dataclasses
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import lief

lief.logging.disable()
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS, RELEASE = map(os.path.abspath, sys.argv[1:3])
SHARED = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else f"{TOP}/../shared")
PAIRS = [("fixtures/qat_block/model.onnx", "fixtures/qat_block/engine.graph.json"), ("fixtures/kernels/model.onnx", "fixtures/kernels/engine.log")]
QEMU = shutil.which("qemu-aarch64-static")
ARM = f"{TOOLS}/arm64/root"
ENV = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": f"{TOOLS}/wine"}
PIP = next(iter(glob.glob(f"{TOOLS}/tools/lib/python3*/site-packages")), "")
IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); import fusiondiff; sys.stdout.write(fusiondiff.diff(*sys.argv[2:]).write('json'))"
PAINTERS = {system: next(iter(glob.glob(f"{TOOLS}/pictures/{platform}/*.data/scripts/graphviz-pure*")), "")
            for system, platform in (("linux", "manylinux2014_x86_64"), ("windows", "win_amd64"))}
WINDOWS = re.compile(r"(kernel32|advapi32|shell32|ntdll|python3|api-ms-win-crt-[a-z0-9-]+)\.dll")
bad: list[str] = []


@dataclasses.dataclass
class Row:
    """What became of a file."""

    name: str
    ran: list[str] = dataclasses.field(default_factory=list)
    checked: list[str] = dataclasses.field(default_factory=list)
    equal: str = ""
    seconds: str = ""

    def check(self, holds: object, what: str) -> None:
        self.checked.append(what if holds else f"WRONG: {what}")
        if not holds:
            bad.append(f"{self.name}: {what}")


# -- what the programs write

def builds() -> list[tuple[str, list[str]]]:
    """The folder that each is read in, and its words."""
    found = [(TOP, list(pair)) for pair in PAIRS]
    return found + [(f"{SHARED}/corpus", [os.path.basename(path.rstrip("/"))]) for path in sorted(glob.glob(f"{SHARED}/corpus/*/"))]


def write(command: list[str], build: tuple[str, list[str]], options: list[str]) -> tuple[int, bytes]:
    done = subprocess.run([*command, *build[1], *options], cwd=build[0], capture_output=True, timeout=900, env=ENV)
    return done.returncode, done.stdout or done.stderr


expected: list[tuple[int, bytes]] = []


def run(row: Row, how: str, command: list[str], module: bool = False) -> None:
    """Compares what a program or a module writes of all builds; a module raises what a program reports."""
    options = [] if module else ["-q", "-f", "json"]
    try:
        write(command, builds()[0], options)   # wine makes its folder, and files are read from the disk
        began = time.monotonic()
        write(command, builds()[0], options)
        seconds = f"{time.monotonic() - began:.2f} s"
        got = [write(command, build, options) for build in builds()]
    except (OSError, subprocess.TimeoutExpired) as error:
        row.check(False, f"run {how}: {error}")
        return
    if not expected:
        expected.extend(got)
    pairs = [(one, other) for one, other in zip(got, expected) if not module or other[0] < 2]
    equal = sum(one[1] == other[1] if module else one == other for one, other in pairs)
    if equal != len(pairs):
        bad.append(f"{row.name}: {equal} of {len(pairs)} reports are equal, {how}: {next(one[1] for one, other in pairs if one[1] != other[1])[:300]!r}")
    row.ran.append(how)
    row.equal = f"{row.equal}, {equal} of {len(pairs)}".lstrip(", ")
    row.seconds = row.seconds or seconds


drawn: list[bytes] = []


def draw(row: Row, command: list[str], system: str) -> None:
    """Compares the picture of a build by graphviz-pure of the same system with the first program's."""
    if not PAINTERS[system]:
        return
    painter = PAINTERS[system] if system == "linux" else "Z:" + PAINTERS[system].replace("/", "\\")
    done = subprocess.run([*command, *PAIRS[0], "-q", "-f", "svg"], cwd=TOP, capture_output=True, timeout=900, env={**ENV, "FUSIONDIFF_DOT": painter})
    if not drawn:
        drawn.append(done.stdout)
    if done.returncode or done.stderr or b"</svg>" not in done.stdout or done.stdout != drawn[0]:
        bad.append(f"{row.name}: the picture by graphviz-pure is another one: {done.returncode} {(done.stderr or done.stdout)[:300]!r}")
    else:
        row.ran.append("its picture by graphviz-pure")


def contain(row: Row) -> None:
    """Builds the container of packaging/Containerfile, and compares what it writes of a build with the program's."""
    if not shutil.which("buildah"):
        return
    with tempfile.TemporaryDirectory() as at:
        def buildah(*words: str) -> bytes:
            return subprocess.run(["buildah", "--root", f"{at}/images", "--runroot", f"{at}/run", "--storage-driver", "vfs", *words],
                                  capture_output=True, check=True).stdout

        try:
            image = buildah("bud", "-q", "-f", f"{TOP}/packaging/Containerfile", "--build-arg", f"PROGRAM={row.name}", RELEASE).decode().strip()
            container = buildah("from", image).decode().strip()
            wrote = buildah("run", "--isolation", "chroot", "-v", f"{TOP}:/work", container, "--", "/usr/bin/fusiondiff", *PAIRS[0], "-q", "-f", "json")
        except subprocess.CalledProcessError as error:
            row.check(False, f"container: {error.stderr!r}")
            return
    if wrote == expected[0][1]:
        row.ran.append("its container by buildah")
    else:
        bad.append(f"{row.name}: the container writes another report: {wrote[:300]!r}")


# -- what the files are

def check_elf(row: Row, path: str, what: str) -> None:
    elf = lief.ELF.parse(path)
    needs = sorted(elf.libraries)
    row.check(all(re.fullmatch(r"(lib(c|m|dl|pthread|rt)|ld-linux.*)\.so\.\d+|libc\.musl-.*\.so\.1", name) for name in needs),
              f"{what} needs {', '.join(needs) or 'no library'}")


def check_macos(row: Row, path: str, what: str) -> None:
    fat = lief.MachO.parse(path)
    for one in fat:
        cpu = {"ARM64": "arm64", "X86_64": "x86_64"}.get(one.header.cpu_type.name, one.header.cpu_type.name)
        least = ".".join(map(str, one.build_version.minos[:2]))
        needs = [os.path.basename(library.name) for library in one.libraries if library.name != "@rpath/_native.abi3.so"]  # its own name
        row.check(cpu in row.name and least == "11.0" and needs == ["libSystem.B.dylib"], f"{what} for {cpu}, macOS {least} or later, needs {', '.join(needs)}")
        row.check(one.has_code_signature or cpu != "arm64", "signed ad hoc" if one.has_code_signature else "not signed")
        if what == "module":
            row.check(any(symbol.name == "_PyInit__native" for symbol in one.exported_symbols), "exports PyInit__native")


def check_windows(row: Row, path: str, what: str) -> None:
    pe = lief.PE.parse(path)
    needs = sorted({entry.name.lower() for entry in pe.imports})
    strange = [name for name in needs if not WINDOWS.fullmatch(name)]
    least = f"{pe.optional_header.major_subsystem_version}.{pe.optional_header.minor_subsystem_version}"
    row.check(pe.header.machine.name == "AMD64" and not strange,
              f"{what} for amd64, Windows {least} or later, needs {', '.join(strange or [name for name in needs if 'api-ms' not in name])} and the C runtime")
    if what == "module":
        row.check("python3.dll" in needs and any(entry.name == "PyInit__native" for entry in pe.get_export().entries), "exports PyInit__native")


def check_audit(row: Row, path: str) -> None:
    arch = "aarch64" if "aarch64" in row.name else "x86_64"
    with tempfile.TemporaryDirectory() as at:
        paths = []
        if "musl" in row.name:   # the library of musl by the name that the module has for it
            loader = f"{TOOLS}/{'arm64' if arch == 'aarch64' else 'amd64'}/root/lib/ld-musl-{arch}.so.1"
            shutil.copy(loader, f"{at}/libc.musl-{arch}.so.1")
            paths = ["--ldpaths", at]
        done = subprocess.run([f"{TOOLS}/tools/bin/auditwheel", "show", *paths, path], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{TOOLS}/tools/bin:{os.environ['PATH']}"})
    found = re.search(r'"((many|musl)linux_(\d+)_(\d+)_\w+)"', " ".join(done.stdout.split()))
    most = (1, 2) if "musl" in row.name else (2, 17)
    row.check(found and (int(found[3]), int(found[4])) <= most and found[2] in row.name, f"auditwheel: {found[1] if found else ' '.join((done.stdout + done.stderr).split())}")


def check_musl_symbols(row: Row, module: str, arch: str) -> None:
    """musl's loader relocates the module: what it lacks then are Python's own symbols."""
    command = [f"{TOOLS}/amd64/root/lib/ld-musl-x86_64.so.1"] if arch == "x86_64" else [QEMU, f"{ARM}/lib/ld-musl-aarch64.so.1"]
    done = subprocess.run([*command, "--list", module], capture_output=True, text=True)
    lacks = re.findall(r"Error relocating .*: (\S+): symbol not found", done.stdout + done.stderr)
    strange = [name for name in lacks if not re.match(r"_?Py", name)]
    row.check(lacks and not strange, f"musl's loader finds all symbols but {', '.join(strange) or 'those of Python'}")


# -- each file

def unpack(row: Row, path: str, at: str, python: list[str]) -> None:
    """Installs a wheel by the pip of a Python that runs here, which refuses what is for another system; decompresses others."""
    if python:
        done = subprocess.run([*python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-cache-dir", "--target", at, path],
                              capture_output=True, text=True, env={**ENV, "PYTHONPATH": PIP})
        row.check(not done.returncode, f"pip installs it {done.stderr if done.returncode else ''}".strip())
    if not os.listdir(at):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(at)


def do_wheel(row: Row, path: str, at: str) -> None:
    arm = "aarch64" in row.name
    root = [QEMU, "-L", ARM] if arm else []
    runs = not arm or QEMU and os.path.isdir(ARM)
    python = [*root, f"{ARM}/usr/bin/python3.11" if arm else shutil.which("python3")] if runs and "manylinux" in row.name else []
    unpack(row, path, at, python)
    row.check(len(glob.glob(f"{at}/*.dist-info/licenses/*")) == 2, "licences")
    program = next(iter(glob.glob(f"{at}/fusiondiff/fusiondiff*")))
    module = next(path for path in glob.glob(f"{at}/fusiondiff/_native.*") if not path.endswith("pyi"))
    os.chmod(program, 0o755)
    if "macosx" in row.name:
        check_macos(row, program, "program")
        check_macos(row, module, "module")
    elif "win_" in row.name:
        check_windows(row, module, "module")
        if shutil.which("wine"):
            run(row, "program by wine", ["wine", program])
    else:
        check_audit(row, path)
        check_elf(row, program, "program")
        check_elf(row, module, "module")
        if runs:
            run(row, "program by qemu" if arm else "program", [*root, program])
        if "musl" in row.name:
            check_musl_symbols(row, module, "aarch64" if arm else "x86_64")
        elif runs:
            run(row, "module by qemu in Debian's Python" if arm else "module in Python", [*python, "-I", "-c", IMPORT, at], module=True)


def do_other(row: Row, path: str, at: str) -> None:
    if row.name.endswith("-linux-amd64"):
        check_elf(row, path, "program")
        run(row, "program", [path])
        draw(row, [path], "linux")
        contain(row)
    elif row.name.endswith("-linux-arm64"):
        check_elf(row, path, "program")
        if QEMU:
            run(row, "program by qemu", [QEMU, path])
    elif row.name.endswith(".exe"):
        check_windows(row, path, "program")
        if shutil.which("wine"):
            run(row, "program by wine", ["wine", path])
            draw(row, ["wine", path], "windows")
    elif "macos" in row.name:
        check_macos(row, path, "program")
    elif row.name.startswith("fusiondiff_") and row.name.endswith(".deb"):
        subprocess.run(["dpkg", "-x", path, at], check=True)
        run(row, "program", [f"{at}/usr/bin/fusiondiff"])
    elif row.name.endswith(".deb"):
        row.check(not subprocess.run(["dpkg", "-x", path, at]).returncode, "decompressed")
    elif row.name.endswith(".cdx.json"):
        with open(path, encoding="utf-8") as file:
            parts = json.load(file)["components"]
        row.check(len(parts) > 7 and all(part["version"] and part["licenses"] for part in parts), f"{len(parts)} libraries with version and licence")
    elif row.name == "THIRD-PARTY.txt":
        with open(path, encoding="utf-8") as file:
            row.check(file.read().count("\n====") > 7, "the licences of what is linked")
    elif row.name.endswith(".tar.gz"):
        done = subprocess.run(["tar", "-tzf", path], capture_output=True, text=True)
        row.check("/CMakeLists.txt\n" in done.stdout and "/src/host/host.h\n" in done.stdout, f"{done.stdout.count(chr(10))} names")


def do_sums(row: Row) -> None:
    with open(f"{RELEASE}/SHA256SUMS", encoding="ascii") as file:
        sums = dict(reversed(line.split()) for line in file)
    names = sorted(name for name in os.listdir(RELEASE) if name != "SHA256SUMS")
    right = [name for name in names if sums.get(name) == hashlib.sha256(open(f"{RELEASE}/{name}", "rb").read()).hexdigest()]
    row.check(right == names == sorted(sums), f"{len(right)} of {len(names)} files have their checksum")


def order(name: str) -> tuple[bool, str]:
    """The program that the others are held against comes first."""
    return not name.endswith("-linux-amd64"), name


def table(rows: list[Row]) -> str:
    text = "| file | bytes | run here | JSON equal | first report | checked |\n|---|---|---|---|---|---|\n"
    for row in rows:
        size = os.path.getsize(f"{RELEASE}/{row.name}")
        text += f"| {row.name} | {size:,} | {'; '.join(row.ran) or '-'} | {row.equal} | {row.seconds} | {'; '.join(row.checked)} |\n"
    return text


HEAD = """# Platforms of a release

Written by `tests/package/matrix` of the files that `packaging/release` makes; do not edit.  "Run here" names what ran on the
machine that built them, an x86_64 with Debian 12: by itself, by Debian's qemu-user-static or by Debian's wine.  Of what it could not run the
headers were read: a file without an entry in that column has run nowhere.  "JSON equal" counts the reports of {n} builds, most of them
real, that are the bytes of the first program's (of a module: of those that can be read), and "first report" is the time that the quantized
block in fixtures/ took, start included, on a machine that did other work as well.

"""


def main() -> int:
    rows = []
    for name in sorted(os.listdir(RELEASE), key=order):
        row = Row(name)
        rows.append(row)
        with tempfile.TemporaryDirectory() as at:
            if name == "SHA256SUMS":
                do_sums(row)
            else:
                (do_wheel if name.endswith(".whl") else do_other)(row, f"{RELEASE}/{name}", at)
        print(table([row]).split("\n")[2], flush=True)
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", encoding="utf-8") as page:
            page.write(HEAD.format(n=len(builds())) + table(rows))
    print("\n".join(bad) or f"{len(rows)} files are what their names promise")
    return 1 if bad else 0


sys.exit(main())
