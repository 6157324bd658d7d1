#!/usr/bin/python3
"""action.yml and the template of GitLab, played as their runners would:  check.py BINARY SOURCE

The steps of the action are run by bash with its flags and the files of a runner; so is the
job of GitLab by sh.  Builds that pass, fail and cannot be read have their status, verdict,
summary, annotations and reports; names of files that are commands are only names; a program
of another checksum is refused.
"""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

try:
    import yaml
except ImportError:
    print("skipped: needs python3-yaml")
    sys.exit(77)

BINARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
FIXTURES = f"{SOURCE}/fixtures"
SAME = {"snapshot": "same.fsd", "model": "model.onnx", "engine": "engine.graph.json"}
bad = []


def claim(holds, what):
    if not holds:
        bad.append(what)


def workspace(at):
    for name, source in (("model.onnx", "qat_block/model.onnx"), ("engine.graph.json", "qat_block/engine.graph.json"),
                         ("same.fsd", "gate/same.fsd"), ("split.json", "compare/split.json"),
                         ("profile.json", "qat_block/profile.json"), ("policy.ini", "gate/policy.ini")):
        shutil.copy(f"{FIXTURES}/{source}", f"{at}/{name}")
    return at


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def play_action(at, **given):
    """The action's steps in the folder; (status of the first that fails, log, runner's files)."""
    with open(f"{SOURCE}/action.yml", encoding="utf-8") as file:
        action = yaml.safe_load(file)
    inputs = {name: given.pop(name, one.get("default", "")) for name, one in action["inputs"].items()}
    claim(not given, f"the action has no inputs {given}")
    files = {name: f"{at}/.runner/{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    os.makedirs(f"{at}/.runner/bin", exist_ok=True)
    for file in files.values():
        open(file, "w").close()
    status, log = 0, ""
    for step in action["runs"]["steps"]:
        claim("${{" not in step["run"], f"{step['name']}: an input stands in the script itself")
        env = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m[1]], value)
               for name, value in step.get("env", {}).items()}
        path = ":".join([*read(files["GITHUB_PATH"]).split(), f"{at}/.runner/bin", os.environ["PATH"]])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=at,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, **env, **files, "PATH": path, "RUNNER_TEMP": f"{at}/.runner",
                                   "GITHUB_ACTION_PATH": SOURCE})
        log += done.stdout + done.stderr
        status = done.returncode
        if status:
            break
    return status, log, {name: read(file) for name, file in files.items()}


def check_action():
    for what, given, status, verdict in (
            ("the same build", SAME, 0, "pass"),
            ("a lost fusion", dict(SAME, engine="split.json"), 1, "fail"),
            ("no engine", dict(SAME, engine="none.json"), 2, "trouble"),
            ("a policy and two profiles", dict(SAME, policy="policy.ini", profiles="profile.json\nprofile.json\n"), None, None)):
        with tempfile.TemporaryDirectory() as at:
            got, log, files = play_action(workspace(at), program=BINARY, **given)
            verdict = verdict or ("fail" if got else "pass")
            claim(got == status or (status is None and got in (0, 1)), f"{what}: status {got}\n{log}")
            claim(files["GITHUB_OUTPUT"] == f"verdict={verdict}\n", f"{what}: output {files['GITHUB_OUTPUT']!r}")
            claim(bool(files["GITHUB_STEP_SUMMARY"]) == (verdict != "trouble"), f"{what}: summary")
            claim(("::error" in log) == (verdict == "fail"), f"{what}: annotations\n{log}")
            if verdict != "trouble":
                with open(f"{at}/fusiondiff-reports/gate.sarif", encoding="utf-8") as file:
                    claim(json.load(file)["version"] == "2.1.0", f"{what}: SARIF")
                with open(f"{at}/fusiondiff-reports/gate.json", encoding="utf-8") as file:
                    claim(json.load(file)["verdict"][:4] == verdict, f"{what}: the report's verdict is not {verdict}")


def check_lists():
    """Six models on two GPUs as one list: one summary; a build that is missing is an error of it."""
    for what, missing, other, status, verdict in (("all as before", (), (), 0, "pass"), ("one lost a fusion", (), ("m3", "sm75"), 1, "fail"),
                                                  ("one is missing", ("m5", "sm86"), (), 2, "trouble")):
        with tempfile.TemporaryDirectory() as at:
            lines = []
            for model in ("m0", "m1", "m2", "m3", "m4", "m5"):
                for gpu in ("sm86", "sm75"):
                    os.makedirs(f"{at}/build/{gpu}/{model}")
                    os.makedirs(f"{at}/{model}/snapshots", exist_ok=True)
                    shutil.copy(f"{FIXTURES}/qat_block/model.onnx", f"{at}/{model}/model.onnx")
                    engine, kept = f"build/{gpu}/{model}/engine.json", f"{model}/snapshots/{gpu}.fsd"
                    shutil.copy(f"{FIXTURES}/qat_block/engine.graph.json", f"{at}/{engine}")
                    subprocess.run([BINARY, "snapshot", f"{model}/model.onnx", engine, "--label", gpu, "-o", kept], cwd=at, check=True)
                    if (model, gpu) == other:
                        shutil.copy(f"{FIXTURES}/compare/split.json", f"{at}/{engine}")
                    if (model, gpu) == missing:
                        os.remove(f"{at}/{engine}")
                    lines.append(f"{model}/model.onnx {engine} label={gpu} snapshot={model}/snapshots")
            with open(f"{at}/builds.txt", "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            got, log, files = play_action(at, program=BINARY, list="builds.txt")
            claim(got == status and files["GITHUB_OUTPUT"] == f"verdict={verdict}\n", f"a list, {what}: status {got}\n{log}")
            table = [line for line in files["GITHUB_STEP_SUMMARY"].split("\n") if line.startswith("| sm")]
            claim(len(table) == 12 and sum("passed" in line for line in table) == 12 - bool(other or missing), f"a list, {what}: table")
            titles = re.findall(r"::error.*title=([^:]*)::", log)
            claim(bool(titles) == bool(status) and all(" ".join(other or missing) in title.replace("/model.onnx", "") for title in titles),
                  f"a list, {what}: annotations {titles}")
            with open(f"{SOURCE}/packaging/ci/gitlab.yml", encoding="utf-8") as file:
                job = yaml.safe_load(file)[".fusiondiff-check"]
            env = {**os.environ, **job["variables"], "FUSIONDIFF": BINARY, "LIST": "builds.txt"}
            runs = [subprocess.run(["sh", "-e", "-c", "\n".join(job[part])], cwd=at, env=env, capture_output=True, text=True, check=False)
                    for part in ("script", "after_script")]
            claim([one.returncode for one in runs] == [status, 0], f"GitLab, a list, {what}: {[one.returncode for one in runs]} {runs[0].stderr}")
            claim(read(f"{at}/gate.xml").count("<testsuite ") == 12, f"GitLab, a list, {what}: suites")


def check_comment():
    """The comment of the workflow for many builds: made once, then edited, and no other comment is touched."""
    with open(f"{SOURCE}/packaging/ci/github-fleet.yml", encoding="utf-8") as file:
        steps = yaml.safe_load(file)["jobs"]["gate"]["steps"]
    script = steps[-1]["run"]
    with tempfile.TemporaryDirectory() as at:
        os.makedirs(f"{at}/fusiondiff-reports")
        os.makedirs(f"{at}/bin")
        with open(f"{at}/fusiondiff-reports/gate.md", "w", encoding="utf-8") as file:
            file.write("### fusiondiff check: passed\n")
        with open(f"{at}/bin/gh", "w", encoding="utf-8") as file:    # answers with the id of the marked comment, if any
            file.write("#!/bin/sh\necho \"$@\" >>gh.log\ncase \"$*\" in *PATCH*) ;; *comments*--jq*) cat id 2>/dev/null || : ;; esac\n")
        os.chmod(f"{at}/bin/gh", 0o755)
        env = {**os.environ, "PATH": f"{at}/bin:{os.environ['PATH']}", "GH_REPO": "o/r", "PR": "7", "GH_TOKEN": "t"}
        for known, wanted in (("", "pr comment 7 --body-file comment.md"), ("42", "api -X PATCH repos/o/r/issues/comments/42 -F body=@comment.md")):
            if known:
                with open(f"{at}/id", "w", encoding="utf-8") as file:
                    file.write(known + "\n")
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=at, env=env, capture_output=True, text=True, check=False)
            claim(done.returncode == 0 and read(f"{at}/gh.log").strip().endswith(wanted), f"the comment: {read(f'{at}/gh.log')} {done.stderr}")
            claim(read(f"{at}/comment.md").startswith("<!-- fusiondiff: engines -->\n### fusiondiff"), "the comment has its mark")


def wheel_of(binary, folder):
    """The least that pip installs: a script that is the program."""
    path, info = f"{folder}/fusiondiff-0.0-py3-none-any.whl", "fusiondiff-0.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: fusiondiff\nVersion: 0.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: check\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        program = zipfile.ZipInfo("fusiondiff-0.0.data/scripts/fusiondiff")
        program.external_attr = 0o100755 << 16
        wheel.writestr(program, f'#!/bin/sh\nexec "{binary}" "$@"\n')
        wheel.writestr(f"{info}/RECORD", "")
    return path


def check_wheel():
    """A wheel is installed where the system's own Python takes no packages."""
    if importlib.util.find_spec("ensurepip") is None:
        print("no wheel is tried: python3-venv is absent")
        return
    with tempfile.TemporaryDirectory() as at:
        status, log, files = play_action(workspace(at), program=wheel_of(BINARY, at), **SAME)
        claim(status == 0 and files["GITHUB_OUTPUT"] == "verdict=pass\n", f"a wheel: status {status}\n{log}")


def check_hostile():
    with tempfile.TemporaryDirectory() as at:
        name = "a $(touch pwned);`touch pwned` \"b\".json"
        shutil.copy(f"{workspace(at)}/engine.graph.json", f"{at}/{name}")
        status, log, _ = play_action(at, program=BINARY, **dict(SAME, engine=name))
        claim(status == 0 and not os.path.exists(f"{at}/pwned"), f"a hostile name: status {status}\n{log}")
        status, log, files = play_action(at, program=BINARY, sha256="0" * 64, **SAME)
        claim(status == 2 and not files["GITHUB_OUTPUT"], f"another program is run:\n{log}")


REPORTS = ("gate.md", "gate.sarif", "gate.xml", "gate.json")


def check_planted():
    """Reports that a stranger's change brings along: forged ones, links to what is secret, a linked folder."""
    forged = "## evil"
    for plant, given, status in (("file", SAME, 0), ("file", dict(SAME, engine="none.json"), 2), ("link", SAME, 0),
                                 ("link", dict(SAME, engine="none.json"), 2), ("folder", SAME, 2)):
        with tempfile.TemporaryDirectory() as at, tempfile.TemporaryDirectory() as elsewhere:
            workspace(at)
            for name in REPORTS:
                with open(f"{elsewhere}/{name}", "w", encoding="utf-8") as file:
                    file.write(forged)
            if plant == "folder":
                os.symlink(elsewhere, f"{at}/fusiondiff-reports")
            else:
                os.mkdir(f"{at}/fusiondiff-reports")
                for name in REPORTS:
                    (os.symlink if plant == "link" else shutil.copy)(f"{elsewhere}/{name}", f"{at}/fusiondiff-reports/{name}")
            got, log, files = play_action(at, program=BINARY, **given)
            what = f"planted as {plant}, {given['engine']}"
            claim(got == status, f"{what}: status {got}\n{log}")
            claim(forged not in files["GITHUB_STEP_SUMMARY"] + log, f"{what}: it is shown\n{files['GITHUB_STEP_SUMMARY']}")
            claim(all(read(f"{elsewhere}/{name}") == forged for name in REPORTS), f"{what}: written elsewhere")
            claim(plant == "folder" or status or forged not in read(f"{at}/fusiondiff-reports/gate.md"), f"{what}: it stays")


def check_gitlab():
    with open(f"{SOURCE}/packaging/ci/gitlab.yml", encoding="utf-8") as file:
        job = yaml.safe_load(file)[".fusiondiff-check"]
    for engine, status in (("engine.graph.json", 0), ("split.json", 1), ("none.json", 2)):
        with tempfile.TemporaryDirectory() as at:
            for name in [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]:     # of a stranger's change
                with open(f"{at}/{name}", "w", encoding="utf-8") as file:
                    file.write("forged")
            env = {**os.environ, **job["variables"], "FUSIONDIFF": BINARY, "SNAPSHOT": "same.fsd",
                   "MODEL": "model.onnx", "ENGINE": engine}
            runs = [subprocess.run(["sh", "-e", "-c", "\n".join(job[part])], cwd=workspace(at), env=env,
                                   capture_output=True, text=True, check=False) for part in ("script", "after_script")]
            claim([one.returncode for one in runs] == [status, 0],
                  f"GitLab, {engine}: {[one.returncode for one in runs]}\n{runs[0].stdout}{runs[0].stderr}")
            wanted = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
            missing = [name for name in wanted if not os.path.exists(f"{at}/{name}")]
            claim(not missing or status == 2, f"GitLab, {engine}: no {missing}")
            kept = [name for name in wanted if read(f"{at}/{name}") == "forged"]
            claim(not kept, f"GitLab, {engine}: reports that are not of this run: {kept}")
            if status == 1:
                with open(f"{at}/gl-code-quality-report.json", encoding="utf-8") as file:
                    claim(len(json.load(file)) >= 3, "GitLab: the report on quality is short")


def main():
    check_action()
    check_lists()
    check_comment()
    check_wheel()
    check_hostile()
    check_planted()
    check_gitlab()
    print("\n".join(bad) or "the action and the job of GitLab: played")
    sys.exit(bool(bad))


main()
