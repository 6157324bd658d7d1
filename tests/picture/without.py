#!/usr/bin/python3
"""The program builds, starts and writes DOT where there is no Graphviz, and where it is gone.

    without.py BINARY SOURCE CMAKE BUILD

BINARY is the program with Graphviz.  A second one is built in BUILD, with a pkg-config that
does not know Graphviz.  It draws by a program of the PATH, and says so where there is none.
"""
import os
import shutil
import subprocess
import sys

BINARY, SOURCE, CMAKE, BUILD = map(os.path.abspath, sys.argv[1:5])
failures = []


def check(what, holds, detail=""):
    print(("ok      " if holds else "FAILED  ") + what + ("" if holds else f" {detail}"))
    if not holds:
        failures.append(what)


def must(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    check(" ".join(args)[:100], done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:])
    if failures:
        sys.exit(1)
    return done.stdout


def build():
    os.makedirs(BUILD, exist_ok=True)
    blind = os.path.join(BUILD, "pkg-config")
    with open(blind, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\ncase "$*" in *gvc*|*cgraph*) exit 1 ;; esac\n'
                   f'exec {shutil.which("pkg-config")} "$@"\n')
    os.chmod(blind, 0o755)
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    must(CMAKE, "-S", SOURCE, "-B", BUILD, "-DFSD_GRAPHVIZ=OFF", "-DFSD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug",
         f"-DPKG_CONFIG_EXECUTABLE={blind}", *launcher)
    must(CMAKE, "--build", BUILD, "--target", "fusiondiff")
    return os.path.join(BUILD, "fusiondiff")


def draws(without, pair):
    """By dot, or by graphviz-pure, of a folder with an absolute name, or by what FUSIONDIFF_DOT names; within the time."""
    tools = os.path.join(BUILD, "tools")
    shutil.rmtree(tools, ignore_errors=True)
    os.makedirs(tools)

    def tool(name, script):
        with open(os.path.join(tools, name), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(file.name, 0o755)
        return file.name

    def svg(*more, path=tools, **env):
        return subprocess.run([without, *pair, "-f", "svg", *more], env={"PATH": path, **env}, cwd=tools, capture_output=True, check=False)

    pure = tool("graphviz-pure", 'cat >/dev/null; echo "<svg pure$1"; echo "Warning: no value for width of non-ASCII character 226" >&2')
    done = svg(path=f":x:{tools}")
    check("graphviz-pure draws, and its word on widths is no note", done.stdout == b"<svg pure-Tsvg\n" and not done.stderr, done.stderr)
    for path in (".", "", "tools", f"{BUILD}/none"):
        done = svg(path=path)
        check(f"no program is run for the PATH '{path[-10:]}'", done.returncode == 2 and not done.stdout and
              b"neither dot nor graphviz-pure is on the PATH" in done.stderr, done.stderr)
    dot = tool("dot", 'cat >/dev/null; echo "<svg dot$1"; echo "Warning: an edge is lost" >&2')
    done = svg()
    check("dot is taken first, and its complaint is reported", done.stdout == b"<svg dot-Tsvg\n" and b"an edge is lost" in done.stderr, done.stderr)
    check("or the program that FUSIONDIFF_DOT names", svg(FUSIONDIFF_DOT=pure).stdout == b"<svg pure-Tsvg\n")
    for what, env, script in (("fails", {}, "exit 3"), ("is none", {"FUSIONDIFF_DOT": f"{BUILD}/none"}, "exit 0")):
        tool("dot", script)
        done = svg(**env)
        check(f"one that {what} is named", done.returncode == 2 and not done.stdout and b"writes no svg" in done.stderr, done.stderr)
    tool("dot", "while :; do :; done")
    done = svg("--layout-timeout", "1")
    check("one that takes too long is ended", done.returncode == 2 and b"within 1 seconds" in done.stderr, done.stderr)
    if shutil.which("dot"):
        for form in ("svg", "png", "pdf"):
            both = [subprocess.run([b, *pair, "-f", form], capture_output=True, check=False).stdout for b in (BINARY, without)]
            check(f"dot and the library draw one {form}", both[0] == both[1] and both[0] if form != "pdf" else both[1][:5] == b"%PDF-")
        done = subprocess.run([without, "doctor"], capture_output=True, text=True, check=False)
        check("doctor reports what the program draws", "laid out by Graphviz: svg, png, pdf\n" in done.stdout, done.stdout)
    done = subprocess.run([without, "doctor"], env={"PATH": "/"}, capture_output=True, text=True, check=False)
    check("and that there is none", "pictures      dot\n" in done.stdout, done.stdout + done.stderr)


def main():
    without = build()
    bare = {**os.environ, "PATH": os.path.join(BUILD, "none")}
    for binary in (BINARY, without):
        libraries = must("ldd", binary)
        check("only what lays out loads Graphviz", not any(n in libraries for n in ("libgvc", "libcgraph", "libcdt")),
              libraries)
    pair = [os.path.join(SOURCE, "fixtures/qat_block", n) for n in ("model.onnx", "engine.graph.json")]
    written = [subprocess.run([b, *pair, "-f", "dot"], capture_output=True, check=False)
               for b in (BINARY, without)]
    check("DOT is the same with and without", written[0].stdout == written[1].stdout and
          written[1].returncode == 0 and b"digraph" in written[1].stdout, written[1].stderr)
    page = subprocess.run([without, *pair, "-f", "html"], env=bare, capture_output=True, check=False)
    check("a page is written, and says why it has no drawing", page.returncode == 0 and not page.stderr and
          b'"note":"expected a format that needs no layout, found svg: this fusiondiff was built without Graphviz' in
          page.stdout and b'"svg":' not in page.stdout, page.stderr)
    for args in ((*pair,), ("compare", ",".join(pair), ",".join(pair))):
        svg = os.path.join(BUILD, "x.svg")
        done = subprocess.run([without, *args, "-o", svg], env=bare, capture_output=True, check=False)
        check(f"{args[0][-10:]}: SVG is refused by name, and no file is left",
              done.returncode == 2 and b"built without Graphviz" in done.stderr and not os.path.exists(svg),
              done.stderr)
    draws(without, pair)
    with open(os.path.join(BUILD, "libgvc.so.6"), "w", encoding="ascii"):
        pass
    gone = dict(os.environ, LD_LIBRARY_PATH=BUILD)
    done = subprocess.run([BINARY, *pair, "-f", "svg"], env=gone, capture_output=True, check=False)
    check("where the library is gone, that is said", done.returncode == 2 and not done.stdout and
          b"expected a layout, found none (Graphviz: Error: " in done.stderr and b"libgvc.so" in done.stderr, done.stderr)
    page = subprocess.run([BINARY, *pair, "-f", "html"], env=gone, capture_output=True, check=False)
    check("and the page has no drawing", page.returncode == 0 and b'"svg":' not in page.stdout, page.stderr)
    for name, binary, environment in (("without", without, bare), ("gone", BINARY, gone)):
        report = os.path.join(BUILD, f"report-{name}")
        shutil.rmtree(report, ignore_errors=True)
        done = subprocess.run([binary, "issue", *pair, "-o", report], env=environment, capture_output=True, check=False)
        check(f"{name}: a bug report has no picture, and does not speak of one", done.returncode == 0 and
              sorted(os.listdir(report)) == ["issue.md", "layers.json", "part.onnx"] and
              "part.svg" not in open(os.path.join(report, "issue.md"), encoding="utf-8").read(), done.stderr)
    sys.exit(1 if failures else 0)


main()
