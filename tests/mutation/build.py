"""The builds that mutants are judged by, and a mutant's own programs.

`fast` is optimized, with assertions and without sanitizers: a mutant is one file compiled
with its flags, put before the libraries when a program is linked.  `sanitized` is the one of
the quick loop, for what survives.  `coverage` is clang's, and shows which lines a test
executes.
"""
import json
import os
import re
import shlex
import subprocess

OPTIONS = {
    "fast": ["-DCMAKE_BUILD_TYPE=Debug", "-DFSD_WERROR=OFF",
             "-DCMAKE_C_FLAGS_DEBUG=-O2",
             "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold"],
    "sanitized": ["-DCMAKE_BUILD_TYPE=Debug", "-DFSD_SANITIZE=address,undefined",
                  "-DFSD_WERROR=OFF"],
    # The counters are mapped to their file: what a test kills has counted, too.
    "coverage": ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_COMPILER=clang", "-DFSD_WERROR=OFF",
                 "-DCMAKE_C_FLAGS=-fprofile-instr-generate -fcoverage-mapping",
                 "-DCMAKE_C_FLAGS_DEBUG=-O0 -mllvm -runtime-counter-relocation"],
}


class Build:
    """One configured and built folder below `at`."""

    def __init__(self, root, at, name, jobs):
        self.root = root
        self.at = os.path.join(at, name)
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if found("ccache") else []
        run(["cmake", "-S", root, "-B", self.at, "-G", "Ninja", "-DFSD_TESTS=ON",
             *OPTIONS[name], *launcher])
        run(["cmake", "--build", self.at, "-j", str(jobs)])
        with open(os.path.join(self.at, "compile_commands.json"), encoding="utf-8") as f:
            self.commands = {os.path.relpath(os.path.realpath(c["file"]), root): c
                             for c in json.load(f)}
        self.links = {}

    def program(self, path):
        """The name below the build of what an argument of a test is, if it is a program."""
        path = os.path.realpath(path)
        if path.startswith(self.at + os.sep) and os.path.isfile(path) and \
                os.access(path, os.X_OK):
            return os.path.relpath(path, self.at)
        return None

    def tests(self):
        """What ctest would run: dictionaries with name, command and properties."""
        said = subprocess.run(["ctest", "--test-dir", self.at, "--show-only=json-v1"],
                              capture_output=True, check=True, text=True).stdout
        return [t for t in json.loads(said)["tests"] if t.get("command")]

    def arguments(self, path):
        """Those that determine how a parser reads a file."""
        words = shlex.split(self.commands[path]["command"])
        kept = []
        for i, word in enumerate(words):
            if word.startswith(("-D", "-I", "-std=")):
                kept.append(word)
            elif word in ("-isystem", "-I", "-iquote"):
                kept += [word, words[i + 1]]
        return kept

    def compile(self, path, source, folder):
        """Compiles `source` in place of the file `path`; returns the object, or None."""
        name = os.path.basename(path)
        copy, made = os.path.join(folder, name), os.path.join(folder, name + ".o")
        with open(copy, "wb") as f:
            f.write(source)
        command = self.commands[path]
        words = shlex.split(command["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        kept = []
        skip = False
        for word in words:
            if skip or word == "-c" or os.path.realpath(word) == os.path.realpath(command["file"]):
                skip = False
                continue
            skip = word == "-o"
            if not skip and word != "-Werror":
                kept.append(word)
        kept += ["-w", "-g0", f"-ffile-prefix-map={folder}=.", "-iquote",
                 os.path.dirname(os.path.join(self.root, path)), "-c", copy, "-o", made]
        done = subprocess.run(kept, cwd=command["directory"], capture_output=True)
        return made if done.returncode == 0 else None

    def link(self, program, path, made, folder):
        """Links a program anew with the object `made` of the file `path`: in place of the
        program's own or before the libraries'."""
        if program not in self.links:
            said = subprocess.run(["ninja", "-C", self.at, "-t", "commands", program],
                                  capture_output=True, check=True, text=True).stdout
            line = [l for l in said.splitlines() if l.startswith(": && ")][-1]
            self.links[program] = re.sub(r"^: && (.*) && :$", r"\1", line)
        target = os.path.join(folder, program)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        words = shlex.split(self.links[program])
        words[words.index("-o") + 1] = target
        own = [i for i, w in enumerate(words) if w.endswith(f"/{path}.o")]
        if own:
            words[own[0]] = made
        else:
            words.insert(next(i for i, w in enumerate(words) if re.fullmatch(r"libfusiondiff\w*\.a", w)), made)
        subprocess.run(words, cwd=self.at, check=True, capture_output=True)
        return target


def found(program):
    return subprocess.run(["which", program], capture_output=True).returncode == 0


def run(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)}\n{done.stdout[-3000:]}")
