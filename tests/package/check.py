#!/usr/bin/python3
"""What is installed, as those who use it do:  check.py BUILD SOURCE

Installs BUILD into a folder of its own and compiles embed.c against that: as C11 and
C++17, through pkg-config and through find_package, linked with the shared library.  What
the embedding program prints of a run is held against the JSON report.  The shared
library exports what the public header declares, and its interface is the one that
packaging/fusiondiff.abi keeps (abidiff), where BUILD has debug information.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
PAIRS = (("qat_block/model.onnx", "qat_block/engine.graph.json"), ("kernels/model.onnx", "kernels/engine.log"),
         ("kernels/loop.onnx", "kernels/loop.log"))
bad = []


def claim(holds, what):
    if not holds:
        bad.append(what)


def run(*args, **more):
    done = subprocess.run(args, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(args)}\n{done.stdout}{done.stderr}")
    return done.stdout


def declared():
    """The functions of the public headers."""
    text = ""
    for name in ("fusiondiff.h", "edit.h"):
        with open(f"{SOURCE}/include/fusiondiff/{name}") as header:
            text += re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    return set(re.findall(r"FSD_API[^;]*?(fsd_\w+)\(", text))


def sanitizers():
    """A library with sanitizers wants programs with the same ones."""
    with open(f"{BUILD}/CMakeCache.txt") as cache:
        found = re.search(r"^FSD_SANITIZE:STRING=(\S+)$", cache.read(), re.M)
    return [f"-fsanitize={found[1]}"] if found else []


def check_symbols(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    exported = {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}
    claim(exported == declared(), f"packaging/fusiondiff.map and the headers differ in {sorted(exported ^ declared())}")


def abi_change(kept, library):
    """What abidiff reports of the library against a kept interface: "" if it still fits.

    packaging/abi keeps public types alone, without the headers that declare them.  With --drop-private-types abidiff
    takes each of them for a private one, and reports no change of a type.
    """
    done = subprocess.run(["abidiff", "--no-added-syms", kept, library], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def check_abi(library, at):
    baseline = f"{SOURCE}/packaging/fusiondiff.abi"
    if not os.path.exists(baseline) or "debug_info" not in run("readelf", "-SW", library):
        return
    change = abi_change(baseline, library)
    claim(not change, f"the interface changed (packaging/abi keeps a new baseline when that is meant):\n{change}")
    with open(baseline) as file:
        text = file.read()
    for what, pattern in (("a member", r"(class-decl name='fsd_options'.*?layout-offset-in-bits=')64"), ("the value of an enum", r"(<enumerator name='FSD_\w+' value=')1(?=')")):
        with open(f"{at}/other.abi", "w") as file:
            file.write(re.sub(pattern, r"\g<1>96", text, count=1, flags=re.S))
        claim(abi_change(f"{at}/other.abi", library), f"abidiff does not report that {what} changed")


def said_of(report):
    """The lines that embed.c prints, made of a JSON report."""
    bits = {word: 1 << i for i, word in enumerate(("metadata", "name", "log", "tensor", "structure", "path"))}
    levels = {"info": 0, "warning": 1, "error": 2}
    links = []
    for layer in report["layers"]:
        macs = layer.get("macs")
        precision = layer["precision"]
        yield ("layer", layer["index"], layer["name"], layer["type"], layer["kind"], layer.get("cause", ""),
               "" if precision == "unknown" else precision, int(layer["inserted"]), -1 if macs is None else macs,
               len(layer["nodes"]))
        links += [("link", layer["index"], link["index"], sum(bits[word] for word in link["evidence"]))
                  for link in layer["nodes"]]
    for node in report["nodes"]:
        yield ("node", node["index"], node.get("name", ""), node["op"], node["fate"], node.get("why", ""),
               ",".join(str(layer) for layer in node["layers"]))
    yield from links
    for finding in report["findings"]:
        yield ("finding", finding["rule"], levels[finding["severity"]], finding["message"],
               finding["nodes"][0] if finding["nodes"] else 0)
    for part in ("layers", "nodes", "findings"):
        for i, row in enumerate(report[part]):
            yield from (("member", part, i, key, value if isinstance(value, str) else f"{value:.9g}")
                        for key, value in row.items() if not isinstance(value, (list, dict)))


def check_runs(program, embedded, env):
    for pair in PAIRS:
        files = [f"{SOURCE}/fixtures/{name}" for name in pair]
        report = json.loads(run(program, *files, "-f", "json", env=env))
        want = ["\t".join(str(word) for word in row) for row in said_of(report)]
        for words in ([], ["memory"]):
            got = run(embedded, *files, *words, env=env).splitlines()
            claim(len(want) > 10 and got == want, f"{embedded} {words} of {pair} prints otherwise than the report says:\n" +
                  "\n".join(f"  {a}\n  {b}" for a, b in zip(got, want) if a != b)[:2000])


def main():
    flags = sanitizers()
    with tempfile.TemporaryDirectory() as at:
        prefix = f"{at}/usr"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        libdir = os.path.dirname(run("find", prefix, "-name", "libfusiondiff.so").strip())
        env = dict(os.environ, PKG_CONFIG_PATH=f"{libdir}/pkgconfig", LD_LIBRARY_PATH=libdir)
        source = f"{SOURCE}/tests/package/embed.c"
        words = run("pkg-config", "--cflags", "--libs", "fusiondiff", env=env).split()
        run("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", f"{at}/c11", *flags, *words)
        run("c++", "-std=c++17", "-x", "c++", "-Wall", "-Wextra", "-Werror", source, "-x", "none", "-o", f"{at}/cxx17",
            *flags, *words)
        with open(f"{at}/CMakeLists.txt", "w") as project:
            project.write("cmake_minimum_required(VERSION 3.20)\nproject(embed C)\n"
                          "find_package(fusiondiff REQUIRED)\n"
                          f"add_executable(found \"{source}\")\ntarget_compile_options(found PRIVATE {' '.join(flags)})\n"
                          f"target_link_options(found PRIVATE {' '.join(flags)})\n"
                          "target_link_libraries(found fusiondiff::fusiondiff)\n")
        run("cmake", "-S", at, "-B", f"{at}/b", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", f"{at}/b")
        for embedded in (f"{at}/c11", f"{at}/cxx17", f"{at}/b/found"):
            check_runs(f"{prefix}/bin/fusiondiff", embedded, env)
        check_symbols(f"{libdir}/libfusiondiff.so")
        check_abi(f"{libdir}/libfusiondiff.so", at)
    print("\n".join(bad) or "installed, embedded three ways, as the report says")
    sys.exit(bool(bad))


main()
