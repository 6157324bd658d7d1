"""Changes by strangers, as commits, against which our templates are played.

A stranger's commit may bring reports that are forged or are links, folders where files are expected, links to what is secret
in place of inputs, names that are commands, and programs by the names that a job may call: all of them leave a trace where
they run.
"""
import os
import shutil

from runner import git, write

SECRET, FORGED = "SECRET-of-the-machine", "FORGED-by-the-change"
KEPT = "what others keep\n"
# By what the templates, old and new, read back or publish.
REPORTS = [*(f"{folder}gate.{kind}" for folder in ("", "fusiondiff-reports/", "reports/", "build/") for kind in ("md", "sarif", "xml", "json")),
           "gl-code-quality-report.json", "comment.md", "part.txt", "reports-1.jsonl", "reports-2.jsonl", "reports/reports-1.jsonl", "reports.jsonl",
           "engines-sm86/r18/engine.json", "engines-sm75/r18/engine.json", "engines-sm86/extra.md"]
PROGRAMS = ("fusiondiff", "bin/fusiondiff", "gh", "sudo", "cmake", "curl", "sha256sum", "tests/install", "packaging/wheel", "build-engines",
            "trusted/build-engines", "change/build-engines", ".bashrc", ".profile", ".githooks/post-checkout")
MODULES = ("venv", "pip", "ensurepip", "encodings", "sitecustomize", "usercustomize")
INPUTS = ("model.onnx", "engine.fsd", "build/engine.graph.json", "build/profile.json", "gate.ini", "builds.txt", "pairs.txt")


class World:
    """Two repositories and what lies outside of any: a secret, and files that nothing may write."""

    def __init__(self, at, fixtures):
        self.at = at
        self.trusted, self.change, self.outside = f"{at}/trusted.git", f"{at}/change.git", f"{at}/outside"
        self.secret, self.trace = f"{at}/outside/secret", f"{at}/trace"
        write(self.secret, f"machine host login a password {SECRET}\n")
        write(f"{self.outside}/kept", KEPT)
        self.base(self.trusted, fixtures)
        git(at, "clone", "-q", self.trusted, self.change)

    def base(self, repository, fixtures):
        os.makedirs(f"{repository}/build")
        for name, source in (("model.onnx", "qat_block/model.onnx"), ("build/engine.graph.json", "qat_block/engine.graph.json"),
                             ("engine.fsd", "gate/same.fsd"), ("build/profile.json", "qat_block/profile.json")):
            shutil.copy(f"{fixtures}/{source}", f"{repository}/{name}")
        write(f"{repository}/gate.ini", "[lost-fusion]\ncount = 0\n")
        write(f"{repository}/builds.txt", "".join(f"model.onnx engines-{gpu}/r18/engine.json snapshot=engine.fsd\n" for gpu in ("sm86", "sm75")))
        write(f"{repository}/pairs.txt", "model.onnx build/engine.graph.json\n" * 5)
        write(f"{repository}/build-engines", "#!/bin/sh -e\n# CHANGE OUT: plays the builder\ntest -n \"$GPU\"\nmkdir \"$2/r18\"\n"
              f"cp '{fixtures}/qat_block/engine.graph.json' \"$2/r18/engine.json\"\n", 0o755)
        git(repository, "init", "-q")
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "base")

    def link(self, name, to):
        path = f"{self.change}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(to, path)

    def programs(self):
        """What a job of ours may call or load, each of which leaves a trace."""
        for name in PROGRAMS:
            write(f"{self.change}/{name}", f"#!/bin/sh\necho {name} >>'{self.trace}'\n", 0o755)
        for name in MODULES:
            write(f"{self.change}/{name}.py", f"open({self.trace!r}, 'a').write('module {name}\\n')\n")
        write(f"{self.change}/.gitattributes", "* filter=evil\n*.json -text\n*.fsd export-subst\n")
        for name in (f"a $(echo subst >>{os.path.basename(self.trace)})", "`touch trace`;x.json", "a\n::error::b", "-rf", "--follow"):
            write(f"{self.change}/names/{name}", FORGED)
        self.link("engines/engine.log", self.secret)
        self.link("engines/engine.graph.json", self.secret)

    def commit(self, kind):
        """The change of this kind; its programs are in each."""
        self.programs()
        for name in REPORTS if kind in ("files", "secrets", "token", "outward", "folders") else ():
            if kind == "files":
                write(f"{self.change}/{name}", FORGED)
            elif kind == "folders":
                write(f"{self.change}/{name}/forged", FORGED)
                self.link(f"{name}/secret", self.secret)
            else:
                inside = "../" * name.count("/") + ".git/config"
                self.link(name, {"secrets": self.secret, "token": inside, "outward": f"{self.outside}/kept"}[kind])
        if kind == "ways":     # the folders that templates write to or read from lead out
            for name in ("fusiondiff-reports", "reports", "engines-sm86", "engines-sm75", "trusted", "change"):
                shutil.rmtree(f"{self.change}/{name}", ignore_errors=True)
                self.link(name, self.outside)
        if kind.startswith("input "):
            self.link(kind.removeprefix("input "), self.secret)
        if kind == "list":     # lines that name the secret in each place of a build
            write(f"{self.change}/builds.txt", "".join(line.replace("S", self.secret) + "\n" for line in (
                "S build/engine.graph.json", "model.onnx S", "model.onnx build/engine.graph.json snapshot=S",
                "model.onnx build/engine.graph.json snapshot=engine.fsd policy=S", "model.onnx build/engine.graph.json snapshot=engine.fsd profile=S",
                "model.onnx build/engine.graph.json snapshot=engine.fsd log=S", "model.onnx engines snapshot=engine.fsd",
                f"model.onnx build/engine.graph.json snapshot={self.outside}")))
        git(self.change, "add", "-A")
        git(self.change, "commit", "-qm", kind)
        return self

    def harm(self, published):
        """What went wrong, as sentences: of what is published, by what it is, and of what lies outside."""
        found = [f"{word} is in the {what}" for what, text in published.items() for word in (SECRET, FORGED, "TOKEN") if word in text]
        if os.path.exists(self.trace):
            with open(self.trace, encoding="utf-8") as file:
                found += [f"{line.strip()} of the change ran" for line in file]
        if sorted(os.listdir(self.outside)) != ["kept", "secret"]:
            found.append(f"outside lies {sorted(os.listdir(self.outside))}")
        with open(f"{self.outside}/kept", encoding="utf-8") as file:
            if file.read() != KEPT:
                found.append("a file outside was written")
        return found


KINDS = ("files", "secrets", "token", "outward", "folders", "ways", "list", *(f"input {name}" for name in INPUTS))
