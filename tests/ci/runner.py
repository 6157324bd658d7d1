"""A runner of GitHub's jobs on this machine: the steps are those of the YAML, run as GitHub's runner does.

A job has a workspace, a temporary folder, a home and the environment of a runner, and nothing else of this machine but PATH.
The public actions that our templates use are played by what they do to files: checkout clones with git, and leaves the token
in .git/config unless it is asked not to; upload-artifact follows links; download-artifact writes through links.  `uses:
OWNER/fusiondiff@COMMIT` is action.yml of these sources.  `published` is all that others may read: log, summary, artifacts,
what is uploaded, what is commented.
"""
import os
import re
import shutil
import stat
import subprocess

import yaml

TOKEN = "TOKEN-of-the-job"
OWN = "OWNER/fusiondiff@COMMIT"
GH = """#!/bin/sh
# Plays gh: answers with the numbers and ids in $ANSWERS, and keeps what is commented.
echo "$*" >>"$ANSWERS/gh.log"
for word; do case $word in body=@*) cat "${word#body=@}" >>"$ANSWERS/said" ;; esac; done
case "$*" in
    *"pr comment"*) cat "${5}" >>"$ANSWERS/said" ;;
    *PATCH*) ;;
    *pulls*) cat "$ANSWERS/numbers" ;;
    *comments*) cat "$ANSWERS/ids" ;;
esac
"""


class Misuse(Exception):
    """The template is not one that GitHub runs, or not one that may run."""


def git(folder, *args):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
           "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", "-c", "init.defaultBranch=main", *args], cwd=folder, capture_output=True, text=True, check=True,
                          env={**os.environ, **who}).stdout


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def load(path):
    with open(path, encoding="utf-8") as file:
        return triggers_named(yaml.safe_load(file))


def triggers_named(workflow):
    """YAML 1.1 reads the key `on` as true."""
    if True in workflow:
        workflow["on"] = workflow.pop(True)
    return workflow


class Runner:
    """One machine that runs one job.  `change` and `trusted` are the repositories of the event and of the default branch."""

    def __init__(self, at, source, change, trusted, artifacts=None, event=None, bins=()):
        self.at, self.source, self.change, self.trusted = at, source, change, trusted
        self.work, self.temp, self.home = f"{at}/work/repo", f"{at}/_temp", f"{at}/home"
        self.artifacts = artifacts if artifacts is not None else {}
        self.event = event or {}
        self.bins = list(bins)
        self.log, self.uploaded, self.path = "", "", []
        for folder in (self.work, self.temp, self.home, f"{at}/_files", f"{at}/bin", f"{at}/answers"):
            os.makedirs(folder, exist_ok=True)
        write(f"{at}/bin/gh", GH, 0o755)
        self.summary = f"{at}/_files/summary"
        write(self.summary, "")

    # -- expressions

    def expand(self, text, context):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda m: str(self.value(m[1], context)), str(text))

    @staticmethod
    def value(name, context):
        at = context
        for part in name.split("."):
            if not isinstance(at, dict) or part not in at:
                if name.startswith("steps."):
                    return ""
                raise Misuse(f"no test knows ${{{{ {name} }}}}")
            at = at[part]
        return at

    def holds(self, condition, context, failed):
        """Whether a step or job with this `if` runs: terms joined by &&, as our templates have them."""
        terms = [term.strip() for term in str(condition).split("&&")] if condition else []
        for term in terms:
            if term in ("always()", "failure()"):
                if term == "failure()" and not failed:
                    return False
                continue
            left, operator, right = re.fullmatch(r"(\S+) (==|!=) (\S+)", term).groups()
            one, other = (side[1:-1] if side[0] == "'" else str(self.value(side, context)) for side in (left, right))
            if (one == other) != (operator == "=="):
                return False
        return not failed or any(term in ("always()", "failure()") for term in terms)

    # -- steps

    def context(self, steps, **more):
        return {"runner": {"temp": self.temp}, "steps": steps,
                "github": {"token": TOKEN, "repository": "o/r", "workspace": self.work, "event": self.event}, **more}

    def environment(self, env):
        path = ":".join([*self.path, *self.bins, f"{self.at}/bin", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"])
        return {"PATH": path, "HOME": self.home, "GITHUB_WORKSPACE": self.work, "RUNNER_TEMP": self.temp, "CI": "true",
                "GITHUB_STEP_SUMMARY": self.summary, "ANSWERS": f"{self.at}/answers",
                **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}, **env}

    def script(self, step, shell, env, context):
        """The outputs of a step with `run`, and its status."""
        if "${{" in step["run"]:
            raise Misuse("an expression stands in the script itself")
        files = {name: f"{self.at}/_files/{name}" for name in ("GITHUB_OUTPUT", "GITHUB_PATH")}
        for file in files.values():
            write(file, "")
        script = f"{self.at}/_files/step.sh"
        write(script, step["run"])
        # GitHub's runner: `shell: bash` has pipefail, a workflow without shell has not.
        words = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], None: ["bash", "-e", script]}[step.get("shell", shell)]
        own = {name: self.expand(value, context) for name, value in {**env, **step.get("env", {})}.items()}
        done = subprocess.run(words, cwd=self.work, capture_output=True, text=True, errors="replace", check=False,
                              env=self.environment({**own, **files}))
        self.log += done.stdout + done.stderr
        self.path = [*read(files["GITHUB_PATH"]).split("\n")[:-1][::-1], *self.path]
        return done.returncode, dict(line.split("=", 1) for line in read(files["GITHUB_OUTPUT"]).split("\n") if line)

    def use(self, step, context):
        """A step with `uses`: its status and outputs."""
        name = step["uses"].split("@")[0]
        given = {key: self.expand(value, context) for key, value in step.get("with", {}).items()}
        if step["uses"] == OWN:
            return self.action(given)
        play = {"actions/checkout": self.checkout, "actions/upload-artifact": self.upload, "actions/download-artifact": self.download,
                "github/codeql-action/upload-sarif": self.sarif}.get(name)
        if not play:
            raise Misuse(f"no test plays {step['uses']}")
        return play(given), {}

    def checkout(self, given):
        to = os.path.join(self.work, given.get("path", ""))
        shutil.rmtree(to, ignore_errors=True)
        git("/", "clone", "-q", self.trusted if given.get("ref") else self.change, to)
        if given.get("persist-credentials") != "False":
            git(to, "config", "http.extraheader", f"AUTHORIZATION: basic {TOKEN}")
        return 0

    def upload(self, given):
        path = os.path.join(self.work, given["path"])
        kept = f"{self.at}/_files/artifact-{given['name']}"
        if os.path.isdir(path):
            shutil.copytree(path, kept, ignore_dangling_symlinks=True)     # follows links
            if os.listdir(kept):
                self.artifacts[given["name"]] = kept
        return 0

    def download(self, given):
        to = os.path.join(self.work, given.get("path", ""))
        pattern = given.get("pattern", "*").replace("*", ".*")
        names = [given["name"]] if "name" in given else [name for name in self.artifacts if re.fullmatch(pattern, name)]
        for name in names:
            if name not in self.artifacts:
                return 1
            flat = "name" in given or given.get("merge-multiple") == "True"
            shutil.copytree(self.artifacts[name], to if flat else f"{to}/{name}", symlinks=True, dirs_exist_ok=True)
        return 0

    def sarif(self, given):
        self.uploaded += read(os.path.join(self.work, given["sarif_file"]))
        return 0 if os.path.exists(os.path.join(self.work, given["sarif_file"])) else 1

    def action(self, given):
        """action.yml of these sources with these inputs."""
        action = load(f"{self.source}/action.yml")
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise Misuse(f"the action has no inputs {unknown}")
        inputs = {name: given.get(name, one.get("default", "")) for name, one in action["inputs"].items()}
        status, steps = self.steps(action["runs"]["steps"], {"GITHUB_ACTION_PATH": self.source}, None, inputs=inputs)
        return status, {name: self.expand(one["value"], self.context(steps)) for name, one in action["outputs"].items()}

    def steps(self, steps, env, shell, **more):
        """The status of the first step that fails, and the outputs by id."""
        failed, outputs = 0, {}
        for step in steps:
            context = self.context(outputs, **more)
            if not self.holds(step.get("if"), context, failed):
                continue
            if "run" in step:
                if "inputs" in more and "shell" not in step:
                    raise Misuse("a step of an action states its shell")
                status, out = self.script(step, shell, env, context)
            else:
                status, out = self.use(step, context)
            failed = failed or status
            if "id" in step:
                outputs[step["id"]] = {"outputs": out}
        return failed, outputs

    def job(self, workflow, name, **more):
        """The job's status; None where its `if` leaves it out."""
        job = workflow["jobs"][name]
        if not self.holds(job.get("if"), self.context({}, **more), 0):
            return None
        shell = workflow.get("defaults", {}).get("run", {}).get("shell")
        return self.steps(job["steps"], {**workflow.get("env", {}), **job.get("env", {})}, shell, **more)[0]

    def published(self):
        """All that others may read of this job, by what it is."""
        parts = {"log": self.log, "summary": read(self.summary), "scanning": self.uploaded, "comment": read(f"{self.at}/answers/said")}
        for name, folder in self.artifacts.items():
            for root, _, files in os.walk(folder):
                for file in files:
                    path = os.path.join(root, file)
                    if stat.S_ISREG(os.stat(path).st_mode):
                        parts[f"artifact {name}, {os.path.relpath(path, folder)}"] = read(path)
        return parts
