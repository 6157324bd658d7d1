#!/usr/bin/python3
"""action.yml, packaging/ci/ and the workflows of docs/, played as their runners would:  check.py BINARY SOURCE [quick]

The text of each step is taken from the YAML and run by the shell of its runner (runner.py).  Builds that pass, fail and cannot
be read have their status, verdict, summary, annotations and reports.  Each template is played against each hostile change of
hostile.py: no secret and no forged report is published, no file of the change runs, nothing outside of the checkout is
written.  Rules that no play shows are held over the text: each action is pinned by its commit, no job that may write reads the
change, no machine of one's own serves pull requests.  `quick` plays a share: two of the hostile changes, no list, no wheel.
"""
import glob
import hashlib
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
if not shutil.which("git"):
    print("skipped: needs git")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hostile import FORGED, KINDS, SECRET, World    # noqa: E402
from runner import Misuse, OWN, Runner, load, read, triggers_named, write    # noqa: E402

BINARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
FIXTURES = f"{SOURCE}/fixtures"
SAME = {"snapshot": "same.fsd", "model": "model.onnx", "engine": "engine.graph.json"}
REPORTS = ("gate.md", "gate.sarif", "gate.xml", "gate.json")
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
QUICK = "quick" in sys.argv[3:]
PLAYED = ("files", "secrets") if QUICK else KINDS
bad = []
played = 0


def claim(holds, what):
    global played
    played += 1
    if not holds:
        bad.append(what)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


GIVEN = {"program": BINARY, "sha256": digest(BINARY)}


def workspace(at):
    for name, source in (("model.onnx", "qat_block/model.onnx"), ("engine.graph.json", "qat_block/engine.graph.json"),
                         ("same.fsd", "gate/same.fsd"), ("split.json", "compare/split.json"),
                         ("profile.json", "qat_block/profile.json"), ("policy.ini", "gate/policy.ini")):
        shutil.copy(f"{FIXTURES}/{source}", f"{at}/{name}")
    for folder, engine in (("same", "qat_block/engine.graph.json"), ("split", "compare/split.json")):
        os.makedirs(f"{at}/{folder}")
        shutil.copy(f"{FIXTURES}/{engine}", f"{at}/{folder}/engine.json")
    shutil.copy(f"{FIXTURES}/qat_block/profile.json", f"{at}/same/profile.json")  # of eight layers, as its engine has
    return at


def machine(at, bins=(), **more):
    """A runner with a folder of tools before its PATH."""
    return Runner(at, SOURCE, more.pop("change", None), more.pop("trusted", None), bins=bins, **more)


def tool(folder, name, script):
    write(f"{folder}/{name}", f"#!/bin/sh\n{script}\n", 0o755)
    return folder


def playing(at, **given):
    """The action's steps over the usual files: its runner, status and outputs."""
    one = machine(at)
    workspace(one.work)
    return (one, *one.action(given))


def check_action():
    for what, given, status, verdict in (
            ("the same build", SAME, 0, "pass"),
            ("a lost fusion", dict(SAME, engine="split.json"), 1, "fail"),
            ("a directory beside the model", dict(SAME, engine="same"), 0, "pass"),
            ("a directory with another build", dict(SAME, engine="split"), 1, "fail"),
            ("a directory that holds no engine", dict(SAME, engine="."), 2, "trouble"),
            ("no engine", dict(SAME, engine="none.json"), 2, "trouble"),
            ("a policy and two profiles", dict(SAME, policy="policy.ini", profiles="profile.json\nprofile.json\n"), None, None)):
        with tempfile.TemporaryDirectory() as at:
            one, got, outputs = playing(at, **GIVEN, **given)
            verdict = verdict or ("fail" if got else "pass")
            claim(got == status or (status is None and got in (0, 1)), f"{what}: status {got}\n{one.log}")
            claim(outputs["verdict"] == verdict, f"{what}: outputs {outputs}")
            claim(bool(read(one.summary)) == (verdict != "trouble"), f"{what}: summary")
            claim(("::error" in one.log) == (verdict == "fail"), f"{what}: annotations\n{one.log}")
            claim(outputs["reports"].startswith(one.temp), f"{what}: the reports lie in {outputs['reports']}")
            if verdict != "trouble":
                claim(sorted(os.listdir(outputs["reports"])) == sorted(REPORTS), f"{what}: {os.listdir(outputs['reports'])}")
                claim(json.loads(read(f"{outputs['reports']}/gate.sarif"))["version"] == "2.1.0", f"{what}: SARIF")
                claim(json.loads(read(f"{outputs['reports']}/gate.json"))["verdict"][:4] == verdict, f"{what}: the report's verdict")


def gitlab(at, source, parts=("script", "after_script"), **given):
    """The job of GitLab by the steps of its YAML: status, log, and what it publishes by name.

    `parts` are those that run: a before_script of the user's that fails leaves the script out, a timeout what follows it.
    """
    job = load(f"{source}/packaging/ci/gitlab.yml")[".fusiondiff-check"]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": f"{at}/home", "CI_PROJECT_DIR": f"{at}/work/repo", "CI_JOB_ID": "7",
           **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}, **job["variables"], **given}
    status, log = 0, ""
    for part in parts:      # a failed script is followed by after_script
        done = subprocess.run(["sh", "-e", "-c", "\n".join(job[part])], cwd=f"{at}/work/repo", env=env, capture_output=True, text=True,
                              errors="replace", check=False)
        log += done.stdout + done.stderr
        status = status or done.returncode
        if part == "after_script":
            claim(not done.returncode, f"GitLab: after_script ends with {done.returncode}: {done.stderr}")
    published = {"log": log}
    for name in [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]:
        for root, _, files in os.walk(f"{at}/work/repo/{name}"):
            published.update({f"{root}/{file}": read(f"{root}/{file}") for file in files})
        if os.path.isfile(f"{at}/work/repo/{name}"):
            published[name] = read(f"{at}/work/repo/{name}")
    return status, log, published


def check_lists():
    """Six models on two GPUs as one list: one summary; a build that is missing is an error of it."""
    for what, missing, other, status, verdict in (("all as before", (), (), 0, "pass"), ("one lost a fusion", (), ("m3", "sm75"), 1, "fail"),
                                                  ("one is missing", ("m5", "sm86"), (), 2, "trouble")):
        with tempfile.TemporaryDirectory() as at:
            one, lines = machine(at), []
            for model in ("m0", "m1", "m2", "m3", "m4", "m5"):
                for gpu in ("sm86", "sm75"):
                    os.makedirs(f"{one.work}/build/{gpu}/{model}")
                    os.makedirs(f"{one.work}/{model}/snapshots", exist_ok=True)
                    shutil.copy(f"{FIXTURES}/qat_block/model.onnx", f"{one.work}/{model}/model.onnx")
                    engine, kept = f"build/{gpu}/{model}/engine.json", f"{model}/snapshots/{gpu}.fsd"
                    shutil.copy(f"{FIXTURES}/qat_block/engine.graph.json", f"{one.work}/{engine}")
                    subprocess.run([BINARY, "snapshot", f"{model}/model.onnx", engine, "--label", gpu, "-o", kept], cwd=one.work, check=True)
                    if (model, gpu) == other:
                        shutil.copy(f"{FIXTURES}/compare/split.json", f"{one.work}/{engine}")
                    if (model, gpu) == missing:
                        os.remove(f"{one.work}/{engine}")
                    lines.append(f"{model}/model.onnx {engine} label={gpu} snapshot={model}/snapshots")
            write(f"{one.work}/builds.txt", "\n".join(lines) + "\n")
            got, outputs = one.action(dict(GIVEN, list="builds.txt"))
            claim(got == status and outputs["verdict"] == verdict, f"a list, {what}: status {got}\n{one.log}")
            table = [line for line in read(one.summary).split("\n") if line.startswith("| sm")]
            claim(len(table) == 12 and sum("passed" in line for line in table) == 12 - bool(other or missing), f"a list, {what}: table")
            titles = re.findall(r"::error.*title=([^:]*)::", one.log)
            claim(bool(titles) == bool(status) and all(" ".join(other or missing) in title.replace("/model.onnx", "") for title in titles),
                  f"a list, {what}: annotations {titles}")
            got, log, published = gitlab(at, SOURCE, FUSIONDIFF=BINARY, LIST="builds.txt")
            claim(got == status, f"GitLab, a list, {what}: {got} {log}")
            claim(published.get("gate.xml", "").count("<testsuite ") == 12, f"GitLab, a list, {what}: suites")


# -- what is installed and run

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
    """A wheel is installed where the system's own Python takes no packages, and no module of the change is loaded."""
    if importlib.util.find_spec("ensurepip") is None:
        print("no wheel is tried: python3-venv is absent")
        return
    with tempfile.TemporaryDirectory() as at:
        world = World(at, FIXTURES)
        world.programs()
        one = machine(f"{at}/machine")
        shutil.copytree(world.change, one.work, symlinks=True, dirs_exist_ok=True)
        wheel = wheel_of(BINARY, at)
        status, outputs = one.action(dict(SAME, snapshot="engine.fsd", engine="build/engine.graph.json", program=wheel, sha256=digest(wheel)))
        claim(status == 0 and outputs["verdict"] == "pass", f"a wheel: status {status}\n{one.log}")
        claim(not world.harm(one.published()), f"a wheel: {world.harm(one.published())}")


def check_program():
    """Which programs are installed and run, and which are refused before anything of them is."""
    wrong = "0" * 64
    with tempfile.TemporaryDirectory() as at:
        trace = f"{at}/trace"
        tools = tool(f"{at}/tools", "apt-get", f"echo \"apt-get $*\" >>'{trace}'")
        tool(tools, "sudo", f"echo sudo >>'{trace}'\nexec \"$@\"")
        tool(tools, "curl", f"echo \"curl $*\" >>'{trace}'\nwhile [ $# -gt 1 ]; do [ \"$1\" != -o ] || out=$2; shift; done\ncp '{BINARY}' \"$out\"")
        for case, (what, program, sha256, refused) in enumerate((
                ("a file with its checksum", "own", "own", None),
                ("a file without a checksum", "own", "", "needs the input sha256"),
                ("a file with another checksum", "own", wrong, "does not have this checksum"),
                ("a file with a part of its checksum", "own", "own"[:0] + GIVEN["sha256"][:32], "needs the input sha256"),
                ("a checksum of two lines", "own", f"{GIVEN['sha256']}\n{wrong}", "needs the input sha256"),
                ("a package of the change without a checksum", "evil.deb", "", "needs the input sha256"),
                ("a package of the change with another checksum", "evil.deb", wrong, "does not have this checksum"),
                ("a wheel of the change with another checksum", "evil.whl", wrong, "does not have this checksum"),
                ("a link of the change to a secret", "link", wrong, "does not have this checksum"),
                ("no such file", "none", wrong, "cannot be read"),
                ("an address", "https://host/fusiondiff", "own", None),
                ("an address with another checksum", "https://host/fusiondiff", wrong, "does not have this checksum"),
                ("an address without protection", "http://host/fusiondiff", "own", "cannot be read"),
                ("a package with its checksum", "good.deb", "good", None))):
            if os.path.exists(trace):
                os.remove(trace)
            one = machine(f"{at}/{case}", [tools])
            workspace(one.work)
            write(f"{one.work}/evil.deb", f"#!/bin/sh\necho evil >>'{trace}'\n", 0o755)
            shutil.copy(f"{one.work}/evil.deb", f"{one.work}/evil.whl")
            write(f"{at}/secret", SECRET)
            os.symlink(f"{at}/secret", f"{one.work}/link")
            write(f"{one.work}/good.deb", "a package")
            sums = {"own": GIVEN["sha256"], "good": digest(f"{one.work}/good.deb")}
            status, outputs = one.action(dict(SAME, program=BINARY if program == "own" else program, sha256=sums.get(sha256, sha256)))
            if refused:
                claim(status == 2 and refused in one.log, f"{what}: status {status}\n{one.log}")
                claim(not os.path.exists(trace) or not re.search("apt-get|sudo|evil", read(trace)), f"{what}: {read(trace)}")
                claim(not outputs["verdict"] and not os.listdir(f"{one.temp}/{os.listdir(one.temp)[0]}/bin") if os.listdir(one.temp) else True,
                      f"{what}: it is installed")
                claim(SECRET not in "".join(one.published().values()), f"{what}: the secret is published")
            elif program == "good.deb":     # apt-get is played: the copy that was checked is what it gets
                claim(re.search(rf"apt-get install .* {re.escape(one.temp)}/\S+/good\.deb$", read(trace).strip()), f"{what}: {read(trace)}")
            else:
                claim(status == 0 and outputs["verdict"] == "pass", f"{what}: status {status}\n{one.log}")


def check_path():
    """The program on the PATH is the machine's own; one that the checkout brings, by whatever way, is refused."""
    with tempfile.TemporaryDirectory() as at:
        for case, (what, status) in enumerate((("the machine's own", 0), ("a folder of the checkout", 2), ("a relative folder", 2),
                                               ("a link to the checkout", 2), ("a link of the checkout to a shell", 2), ("none: built of the sources", 0))):
            bins = f"{at}/{case}/tools"
            os.makedirs(bins)
            tool(bins, "cmake", "case $1 in --install) mkdir -p \"$4/bin\"; "    # plays the build: --install DIR --prefix P
                 f"cp '{BINARY}' \"$4/bin/fusiondiff\" ;; esac")
            one = machine(f"{at}/{case}")
            workspace(one.work)
            trace = f"{at}/{case}/trace"
            tool(f"{one.work}/bin", "fusiondiff", f"echo ran >>'{trace}'")
            write(f"{one.work}/check", f"echo ran >>'{trace}'\n")     # what a shell by the name of the program would run
            one.bins = [bins]
            if what == "the machine's own":
                os.symlink(BINARY, f"{bins}/fusiondiff")
            elif what == "a folder of the checkout":
                one.bins = [f"{one.work}/bin", bins]
            elif what == "a relative folder":
                one.bins = ["bin", bins]
            elif what == "a link to the checkout":
                os.symlink(f"{one.work}/bin/fusiondiff", f"{bins}/fusiondiff")
            elif what == "a link of the checkout to a shell":
                os.remove(f"{one.work}/bin/fusiondiff")
                os.symlink("/bin/sh", f"{one.work}/bin/fusiondiff")
                one.bins = [f"{one.work}/bin", bins]
            got, _ = one.action(SAME)
            claim(got == status and not os.path.exists(trace), f"PATH, {what}: status {got}\n{one.log}")
            got, log, _ = gitlab(f"{at}/{case}", SOURCE, **{"PATH": ":".join([*one.bins, "/usr/bin:/bin"]), "SNAPSHOT": "same.fsd",
                                                            "MODEL": "model.onnx", "ENGINE": "engine.graph.json"})
            if not what.startswith("none"):
                claim(got == status and not os.path.exists(trace), f"GitLab, PATH, {what}: status {got}\n{log}")


def check_hostile_names():
    """Names that are commands, and workflows made for earlier versions of the action."""
    with tempfile.TemporaryDirectory() as at:
        name = "a $(touch pwned);`touch pwned` \"b\".json"
        one = machine(at)
        shutil.copy(f"{workspace(one.work)}/engine.graph.json", f"{one.work}/{name}")
        status, _ = one.action(dict(SAME, **GIVEN, engine=name))
        claim(status == 0 and not os.path.exists(f"{one.work}/pwned"), f"a hostile name: status {status}\n{one.log}")
        # A workflow of the time when reports lay in the checkout reads there what the change committed.
        write(f"{one.work}/fusiondiff-reports/gate.md", FORGED)
        status, _ = one.action(dict(SAME, **GIVEN, reports="out"))
        claim(status == 2 and "use the output reports" in one.log, f"the input reports: status {status}")
        claim(not os.path.exists(f"{one.work}/fusiondiff-reports"), "a forged report stays where earlier versions wrote theirs")


# -- whole workflows

def event_of(name, kind):
    """What GitHub says of the event that starts this workflow; hostile changes come from a fork, and one from a branch as well."""
    if name == "github.yml":
        return {"pull_request": {"head": {"repo": {"full_name": "o/r" if kind in ("none", "secrets") else "fork/r"}}}}
    return {"repository": {"default_branch": "main"}}


def play_workflow(name, workflow, world, at, event):
    """All jobs in their order, each on a machine of its own: status by job, and all that is published."""
    artifacts, status, published = {}, {}, {}
    tools = f"{at}/tools"
    os.makedirs(tools)
    os.symlink(BINARY, f"{tools}/fusiondiff")
    for job, text in workflow["jobs"].items():
        matrix = text.get("strategy", {}).get("matrix", {"none": [None]})
        for key, values in matrix.items():
            for value in values:
                one = Runner(f"{at}/{job}-{value}", SOURCE, world.change, world.trusted, artifacts, event, [tools])
                write(f"{one.home}/.netrc", SECRET)
                status[job, value] = one.job(workflow, job, matrix={key: value})
                published.update({f"{job} {value} {what}": part for what, part in one.published().items()})
    claim(bool(published), f"{name}: nothing is published")
    return status, published, artifacts


def play_comment(at, artifacts, ids="", sha="0123abcd"):
    workflow = load(f"{SOURCE}/packaging/ci/github-comment.yml")
    one = Runner(at, SOURCE, None, None, artifacts,
                 {"workflow_run": {"id": 5, "head_sha": sha, "name": "engine", "html_url": "https://host/o/r/runs/5"}})
    write(f"{at}/answers/numbers", "7\n")
    write(f"{at}/answers/ids", ids)
    return one, one.job(workflow, "comment")


def check_workflows():
    """Each workflow against each hostile change, and its comment; where no input is hostile the gate passes."""
    for name in ("github.yml", "github-fleet.yml"):
        workflow = load(f"{SOURCE}/packaging/ci/{name}")
        for kind in ("none", *PLAYED):
            with tempfile.TemporaryDirectory() as at:
                check_workflow(name, workflow, kind, at)


def check_workflow(name, workflow, kind, at):
    world, event = World(at, FIXTURES), event_of(name, kind)
    if kind != "none":
        world.commit(kind)
    status, published, artifacts = play_workflow(name, workflow, world, f"{at}/machines", event)
    what = f"{name}, {kind}"
    claim(not world.harm(published), f"{what}: {world.harm(published)}")
    reads = {"github.yml": ("model.onnx", "engine.fsd", "build/engine.graph.json", "build/profile.json", "gate.ini"),
             "github-fleet.yml": ("model.onnx", "engine.fsd", "builds.txt")}[name]
    hurt = kind.removeprefix("input ") in reads or (kind, name) == ("list", "github-fleet.yml")
    claim((status["gate", None] == 0) != hurt, f"{what}: status {status}\n{published}")
    if name == "github.yml":
        claim((status["scanning", None] is None) == ("fork" in str(event)), f"{what}: of a fork, or only of a fork, findings are uploaded: {status}")
    one, got = play_comment(f"{at}/comment", artifacts)
    said, report = one.published()["comment"], f"{artifacts.get('fusiondiff-reports')}/gate.md"
    claim(got == 0 and not world.harm(one.published()), f"{what}, comment: {got} {world.harm(one.published())}\n{one.log}")
    claim(bool(said) == os.path.exists(report) and read(report) in said, f"{what}: the comment is {said!r}")
    claim(hurt or "passed" in said, f"{what}: the comment is {said!r}")


def check_comment():
    """The comment is made once, then edited; what a fork's own workflow uploads in place of a report is not published."""
    for what, plant, ids, wanted in (
            ("the first", None, "", "pr comment 7 --body-file"), ("the next", None, "42\n43\n", "-X PATCH repos/o/r/issues/comments/42 "),
            ("a link", "link", "", None), ("a folder", "folder", "", None), ("a huge report", "huge", "", "pr comment 7"), ("nothing", "none", "", None)):
        with tempfile.TemporaryDirectory() as at:
            write(f"{at}/secret", SECRET)
            report = f"{at}/artifact"
            os.makedirs(report)
            if plant == "link":
                os.symlink(f"{at}/secret", f"{report}/gate.md")
            elif plant == "folder":
                write(f"{report}/gate.md/x", FORGED)
            elif plant != "none":
                write(f"{report}/gate.md", "x" * 500000 if plant == "huge" else "### fusiondiff check: passed\n")
            one, status = play_comment(f"{at}/machine", {} if plant == "none" else {"fusiondiff-reports": report}, ids)
            one.artifacts.clear()     # what is published is the comment alone
            said, calls = one.published()["comment"], read(f"{at}/machine/answers/gh.log")
            claim(status == 0 and bool(said) == bool(wanted), f"comment, {what}: status {status}, {said[:100]!r}\n{one.log}")
            claim(SECRET not in said + one.log and FORGED not in said + one.log, f"comment, {what}: {said[:100]!r}")
            claim(len(said) < 65536, f"comment, {what}: {len(said)} characters")
            claim(not wanted or (wanted in calls and said.startswith("<!-- fusiondiff: engine -->\nFrom [this run](https://host/o/r/runs/5) on 0123abcd:\n")),
                  f"comment, {what}: {calls} {said[:200]!r}")
            claim(not wanted or ('select(.head.sha == "0123abcd")' in calls and '.user.login == "github-actions[bot]"' in calls), f"comment, {what}: {calls}")


def recipe_of_docs():
    """The workflow of docs/builds.md."""
    with open(f"{SOURCE}/docs/builds.md", encoding="utf-8") as page:
        return triggers_named(yaml.safe_load(re.search(r"^```yaml\n(.*?)^```$", page.read(), re.M | re.S)[1]))


def check_recipe():
    workflow = recipe_of_docs()
    for kind in ("none", *PLAYED[:5], "input pairs.txt"):
        with tempfile.TemporaryDirectory() as at:
            world = World(at, FIXTURES)
            if kind != "none":
                world.commit(kind)
            status, published, artifacts = play_workflow("docs/builds.md", workflow, world, f"{at}/machines", {})
            claim(not world.harm(published), f"docs/builds.md, {kind}: {world.harm(published)}")
            lines = sum(read(f"{folder}/{file}").count("\n") for folder in artifacts.values() for file in os.listdir(folder))
            claim(kind == "input pairs.txt" or lines == 5, f"docs/builds.md, {kind}: {lines} lines, {status}\n{published}")


def check_gitlab():
    for engine, status in (("engine.graph.json", 0), ("split.json", 1), ("none.json", 2)):
        with tempfile.TemporaryDirectory() as at:
            one = machine(at)
            workspace(one.work)
            got, log, published = gitlab(at, SOURCE, FUSIONDIFF=BINARY, SNAPSHOT="same.fsd", MODEL="model.onnx", ENGINE=engine)
            claim(got == status, f"GitLab, {engine}: {got}\n{log}")
            claim(len(published) == 4 or status == 2, f"GitLab, {engine}: {list(published)}")
            claim(status != 1 or len(json.loads(published["gl-code-quality-report.json"])) >= 3, "GitLab: the report on quality is short")
    files = {"SNAPSHOT": "engine.fsd", "MODEL": "model.onnx", "ENGINE": "build/engine.graph.json", "PROFILE": "build/profile.json", "POLICY": "gate.ini"}
    for kind in PLAYED:
        cases = [("a build", files)]
        if kind in ("secrets", "folders", "list"):
            cases += [("a list", {"LIST": "builds.txt"}), ("no program", dict(files, FUSIONDIFF="none"))]
        for what, given in cases:
            with tempfile.TemporaryDirectory() as at:
                world = World(at, FIXTURES).commit(kind)
                machine(f"{at}/job", change=world.change).checkout({"persist-credentials": "False"})
                got, log, published = gitlab(f"{at}/job", SOURCE, **{"FUSIONDIFF": BINARY, **given})
                claim(not world.harm(published), f"GitLab, {kind}, {what}: {world.harm(published)}")
                hurt = what != "a build" or kind.removeprefix("input ") in files.values()
                claim((got != 0) == hurt, f"GitLab, {kind}, {what}: status {got}\n{log}")
    for kind in ("files", "secrets", "folders"):
        for parts in (("script",), ("after_script",)):
            with tempfile.TemporaryDirectory() as at:
                world = World(at, FIXTURES).commit(kind)
                machine(f"{at}/job", change=world.change).checkout({"persist-credentials": "False"})
                _, _, published = gitlab(f"{at}/job", SOURCE, parts, FUSIONDIFF="none", **files)
                claim(not world.harm(published), f"GitLab, {kind}, {parts} alone: {world.harm(published)}")
    for what, program, sha256, status in (("a program of the change", "./fusiondiff", "", 2), ("with another checksum", "./fusiondiff", "0" * 64, 2),
                                          ("one with its checksum", "./own", GIVEN["sha256"], 0)):
        with tempfile.TemporaryDirectory() as at:
            world = World(at, FIXTURES).commit("files")
            one = machine(f"{at}/job", change=world.change)
            one.checkout({"persist-credentials": "False"})
            shutil.copy(BINARY, f"{one.work}/own")
            got, log, published = gitlab(f"{at}/job", SOURCE, FUSIONDIFF=program, FUSIONDIFF_SHA256=sha256, **files)
            claim(got == status and not world.harm(published), f"GitLab, {what}: status {got}, {world.harm(published)}\n{log}")


# -- rules over the text

def workflows():
    """Each workflow that users copy, by the file it is in."""
    for path in sorted(glob.glob(f"{SOURCE}/packaging/ci/github*.yml")):
        yield os.path.relpath(path, SOURCE), load(path)
    yield "docs/builds.md", recipe_of_docs()


def faults_of(workflow):
    """What breaks a rule in this workflow, as sentences."""
    events_of = workflow.get("on")
    names = [events_of] if isinstance(events_of, str) else list(events_of or [])
    if not names:
        yield "it states no event"
    if workflow.get("permissions") not in ({"contents": "read"}, {}):
        yield f"its permissions are {workflow.get('permissions')}"
    if set(names) & {"pull_request_target", "issue_comment", "issues"}:
        yield f"strangers start it with rights: {names}"
    for name, job in workflow["jobs"].items():
        steps = job["steps"]
        writes = "write" in job.get("permissions", {}).values()
        reads_change = any(step.get("uses", "").startswith(("actions/checkout@", OWN)) for step in steps)
        if (writes or "workflow_run" in names) and reads_change:
            yield f"{name}: a job with rights has the change's files"
        if "self-hosted" in str(job["runs-on"]) and set(names) & {"pull_request", "workflow_run"}:
            yield f"{name}: anyone reaches a machine of one's own"
        for step in steps:
            if step.get("uses", "").startswith("actions/checkout@") and step.get("with", {}).get("persist-credentials") is not False:
                yield f"{name}: the token stays in the checkout"
            if "run" in step and "${{" in step["run"]:
                yield f"{name}: an expression stands in a script"
            if "run" in step and re.search(r"(^|\s)(\./|sudo )", step["run"]):
                yield f"{name}: a script runs a file of the checkout, or as root: {step['run']}"


def unpinned(text):
    """Lines that use an action by something else than a commit with its version, or ours by COMMIT, which the user fills in."""
    return [line.strip() for line in text.split("\n") if re.search(r"\buses:", line)
            and not PINNED.search(line) and f"uses: {OWN}" not in line]


def check_text():
    for name, workflow in workflows():
        for fault in faults_of(workflow):
            claim(False, f"{name}: {fault}")
    pages = [f"{SOURCE}/action.yml", f"{SOURCE}/README.md", *glob.glob(f"{SOURCE}/packaging/ci/*"), *glob.glob(f"{SOURCE}/docs/*.md")]
    used = "".join(read(page) for page in pages)
    for page in pages:
        claim(not unpinned(read(page)), f"{os.path.relpath(page, SOURCE)} uses what is not pinned: {unpinned(read(page))}")
    versions = {}
    for action, commit, version in re.findall(r"uses: ([\w.-]+/[\w.-]+)\S*@([0-9a-f]{40}) # (\S+)", used):
        claim(versions.setdefault((action, version), commit) == commit, f"{action} {version} is two commits")
    claim(len(versions) >= 4, f"{len(versions)} actions are used")
    # The rules bite: each of these is refused.
    for line in ("- uses: actions/checkout@v4", "- uses: actions/checkout@11bd719", "- uses: OWNER/fusiondiff@v0",
                 "- uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "- {uses: ./}"):
        claim(unpinned(line), f"not refused: {line}")
    checkout = {"uses": "actions/checkout@x"}
    for broken in ({"on": "pull_request_target"}, {"permissions": {"contents": "write"}}, {"permissions": None},
                   {"jobs": {"a": {"runs-on": ["self-hosted"], "steps": []}}}, {"jobs": {"a": {"runs-on": "u", "steps": [checkout]}}},
                   {"jobs": {"a": {"runs-on": "u", "steps": [{"run": "x ${{ github.head_ref }}"}]}}},
                   {"jobs": {"a": {"runs-on": "u", "steps": [{"run": "./build"}]}}},
                   {"jobs": {"a": {"runs-on": "u", "permissions": {"issues": "write"},
                                   "steps": [dict(checkout, **{"with": {"persist-credentials": False}})]}}}):
        whole = {"on": "pull_request", "permissions": {"contents": "read"}, "jobs": {}, **broken}
        claim(list(faults_of(whole)), f"not refused: {broken}")


def main():
    checks = (check_text, check_action, check_lists, check_program, check_path, check_wheel, check_hostile_names, check_comment,
              check_workflows, check_recipe, check_gitlab)
    if QUICK:
        checks = [check for check in checks if check not in (check_lists, check_wheel)]
    for check in checks:
        try:
            check()
        except Misuse as misuse:
            bad.append(f"{check.__name__}: {misuse}")
    print("\n".join(bad) or f"the action and the templates: played, {played} claims")
    sys.exit(bool(bad))


main()
