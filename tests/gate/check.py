#!/usr/bin/python3
"""The gate's formats are what their readers take, whatever names a model has.

    check.py BINARY FIXTURES SCHEMA

Validates SARIF, JUnit, GitLab and JSON against the schemas beside this file, on the
fixtures and on a model whose names try to break out of each format.  Exit status 77 when
python3-onnx, python3-fastjsonschema or xmllint is missing.
"""
import html
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import json_schema
import program

try:
    import onnx
    subprocess.run(["xmllint", "--version"], capture_output=True, check=True)
except (ImportError, OSError):
    print("skipped: needs python3-onnx, libxml2-utils")
    sys.exit(77)

BINARY, _, SCHEMA = sys.argv[1:4]
# A word of a list ends at a blank, which the path of the checkout may have.
COPY = tempfile.TemporaryDirectory()
FIXTURES = shutil.copytree(sys.argv[2], os.path.join(COPY.name, "fixtures"))
HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(FIXTURES, "qat_block/model.onnx")
ENGINE = os.path.join(FIXTURES, "qat_block/engine.graph.json")
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
failures = []

SARIF = json_schema.of_file(os.path.join(HERE, "sarif.schema.json"))
GITLAB = json_schema.compiled({
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "fingerprint": {"type": "string", "minLength": 1},
            "location": {
                "type": "object", "required": ["path", "lines"],
                "properties": {"lines": {"type": "object", "required": ["begin"], "properties": {
                    "begin": {"type": "integer", "minimum": 1}}}}},
        },
    },
})

# What each name tries: to end an XML section, to be HTML or a mention, to start a workflow
# command, to be a character that XML or a terminal cannot have, to be very long.
HOSTILE = {
    "Conv_13": "x]]></failure><script>alert(1)</script>",
    "Add_15": "</code></details>@everyone [a](javascript:b) | `c` ![i](http://e.vil/x.png)",
    "Relu_16": "::error file=a::b%0A::warning::c",
    "GlobalAveragePool_18": "\x01\x1b[31m\x7f\u202e\u2028\ufffe\uffff",
    "MatMul_21": "n" * 5000,
    "Add_22": "a\r\n- error **bold** \"quote' & <b>",
}


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED {what} {detail}")


def run_both(*args, status=(0, 1)):
    """Standard output and standard error."""
    done = program.run([BINARY, *args])
    check(f"exit status of {args}", done.returncode in status, done.stderr[:300])
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def run(*args, status=(0, 1)):
    return run_both(*args, status=status)[0]


def check_junit(case, text, found):
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(HERE, "junit.xsd"),
                               file.name], capture_output=True, text=True, check=False)
    check(f"{case}: junit.xsd", done.returncode == 0, done.stderr[:500])
    failed = {item["rule"] for item in found if item["severity"] == "error"}
    cases = re.findall(r'<testcase name="(.*?)".*?>(.*?)</testcase>', text, re.S)
    check(f"{case}: JUnit fails the rules with errors",
          {name for name, body in cases if "<failure" in body} == failed)


def check_sarif(case, text, found):
    SARIF(json.loads(text))
    sarif = json.loads(text)["runs"][0]
    rules = sarif["tool"]["driver"]["rules"]
    check(f"{case}: SARIF has every finding", [
        (r["ruleId"], r["level"], r["message"]["text"]) for r in sarif["results"]
    ] == [(f["rule"], LEVELS[f["severity"]], f["message"].replace("](", "]\\u{28}")) for f in found])
    check(f"{case}: ruleIndex", all(
        rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in sarif["results"]))


def check_gitlab(case, text, found):
    report = json.loads(text)
    GITLAB(report)
    check(f"{case}: GitLab has every finding",
          [r["description"] for r in report] == [f["message"] for f in found])
    check(f"{case}: fingerprints are unique",
          len({r["fingerprint"] for r in report}) == len(report))


def check_github(case, text, found, says):
    lines = text.split("\n")
    most = sum(min(10, sum(f["severity"] == s for f in found) + (s == "info" and bool(says))) for s in LEVELS)
    check(f"{case}: one command a finding, ten at most, and an end", len(lines) == most + 1)
    check(f"{case}: the root cause comes first", not says or
          (lines[0].startswith("::notice ") and "title=root cause" in lines[0]))
    for line in lines[:-1]:
        check(f"{case}: command", re.match(
            r"::(error|warning|notice) (file=[^:,]+(,line=[1-9][0-9]*)?,)?title=[^:,]+::\S", line),
              line[:200])
        check(f"{case}: no control characters", line.isprintable() or " " in line)


def check_markdown(case, text, found, report):
    check(f"{case}: under GitHub's limit", len(text) < 65536, len(text))
    table = [line for line in text.split("\n") if line.startswith("|")]
    check(f"{case}: a table of ten lines", len(table) <= 12)
    check(f"{case}: what was looked at stands above it", all(
        visible(item["is"]) in html.unescape(text[:text.index("|")]) for item in report["inputs"]))
    check(f"{case}: what fails is open, the rest is folded",
          {rule for mark, rule in re.findall(r"<details( open)?><summary>(.*?):", text) if mark}
          == {f["rule"] for f in found if f["severity"] == "error"})
    check(f"{case}: how to accept it", visible(report.get("accept", "")) in html.unescape(text))
    spans = re.findall(r"<code>(.*?)</code>", text)
    check(f"{case}: code spans hold no markup",
          not any(re.search(r"[<>`*\[\]|@]", span) for span in spans))
    messages = tuple(visible(f["message"]).replace("`", "") for f in found)
    check(f"{case}: what is said is a finding's message, as a reader sees it",
          all(html.unescape(re.sub("</?code>", "", line)).replace("`", "").startswith(messages)
              for line in re.findall(r"^- (?:error|warning|info) (.*)$", text, re.M)))
    check(f"{case}: tags", set(re.findall(r"<.*?>", text)) <= {
        "<details>", "<details open>", "<summary>", "</summary>", "</details>", "<code>", "</code>"})


def visible(message):
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufffe\uffff]",
                  lambda m: f"\\u{{{ord(m[0]):x}}}", message)


def check_formats(case, names, *args):
    report = json.loads(run(*args, "-f", "json"))
    json_schema.of_file(SCHEMA)(report)
    found = report["findings"]
    check(f"{case}: findings name the nodes", sum(
        name in f["nodes"] for f in found for name in names) >= 4)
    check_junit(case, run(*args, "-f", "junit"), found)
    check_sarif(case, run(*args, "-f", "sarif"), found)
    check_gitlab(case, run(*args, "-f", "gitlab"), found)
    check_github(case, run(*args, "-f", "github"), found, report.get("says"))
    check_markdown(case, run(*args, "-f", "markdown"), found, report)


def rename(folder, names):
    """The pair with other node names, in the model and in the engine's layer names."""
    model = onnx.load(MODEL)
    for node in model.graph.node:
        node.name = names.get(node.name, node.name)
    with open(ENGINE, encoding="utf-8") as file:
        engine = json.load(file)
    for layer in engine["Layers"]:
        for old, new in names.items():
            layer["Name"] = re.sub(rf"\b{old}\b", lambda _, text=new: text, layer["Name"])
    paths = os.path.join(folder, "model.onnx"), os.path.join(folder, "engine.json")
    onnx.save(model, paths[0])
    with open(paths[1], "w", encoding="utf-8") as file:
        json.dump(engine, file)
    return paths


def check_many(folder):
    """More findings than a comment holds."""
    ignores = "".join(f"[ignore {i} {'x' * 120}]\nrule = latency\nreason = {'y' * 80}\n"
                      for i in range(900))
    policy = os.path.join(folder, "policy.ini")
    with open(policy, "w", encoding="utf-8") as file:
        file.write(ignores)
    text = run("check", os.path.join(FIXTURES, "gate/same.fsd"), MODEL, ENGINE, "--policy",
               policy, "-f", "markdown")
    check("many: cut under the limit", len(text) < 65536 and re.search(r"and \d+ more", text))
    check("many: closed", text.count("<details") == text.count("</details>"))


def check_update(folder):
    """--update writes what snapshot writes, says what it accepted, and the next check passes."""
    copy = os.path.join(folder, "copy.fsd")
    with open(os.path.join(FIXTURES, "gate/before.fsd"), encoding="utf-8") as file, \
            open(copy, "w", encoding="utf-8") as out:
        before = file.read()
        out.write(before)
    text = run("check", copy, MODEL, ENGINE, "--update", "-f", "junit", status=(0,))
    check("update: no test of JUnit fails", ' failures="0"' in text and "<failure" not in text and "error: " in text, text)
    with open(copy, "w", encoding="utf-8") as out:
        out.write(before)
    text = run("check", copy, MODEL, ENGINE, "--update", status=(0,))
    check("update: says what", "accepted:" in text and "lost-fusion" in text)
    with open(copy, encoding="utf-8") as file:
        check("update: is the snapshot", file.read() == run("snapshot", MODEL, ENGINE))
    check("update: passes", "passed: 0 errors" in run("check", copy, MODEL, ENGINE, status=(0,)))


def check_full_disk(folder):
    """A snapshot that cannot be rewritten is not accepted: nothing says so, of a list neither."""
    copy, path = os.path.join(folder, "full.fsd"), os.path.join(folder, "full.txt")
    with open(os.path.join(FIXTURES, "gate/before.fsd"), encoding="utf-8") as file:
        before = file.read()
    with open(copy, "w", encoding="utf-8") as out:
        out.write(before)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"{MODEL} {ENGINE} snapshot={copy}\n")
    for args in (copy, MODEL, ENGINE), ("--list", path, "--follow"):
        done = subprocess.run([BINARY, "check", *args, "--update"], capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        said = done.stdout + done.stderr
        check("full disk: not accepted", done.returncode == 2 and "accepted" not in said and "too large" in said, said)
        with open(copy, encoding="utf-8") as file:
            check("full disk: the snapshot stays", file.read() == before)


def check_variants(folder):
    """--update keeps what may vary where the build is one of those; what is dropped is said."""
    model, fixture = MODEL, lambda name: os.path.join(FIXTURES, name)
    learnt = os.path.join(folder, "learnt.fsd")

    def learn(*more):
        return run_both("snapshot", model, ENGINE, "--also", fixture("compare/split.json"), "-o", learnt, *more,
                        status=(0,))[1]

    def passes(engine):
        return "check passed" in run("check", learnt, model, engine, "-f", "line")

    builds = ENGINE, fixture("compare/split.json"), fixture("compare/wide.json")
    check("variants: learnt in silence", learn() == "")
    check("variants: of two builds, not of the third", [passes(b) for b in builds] == [True, True, False])
    said = run_both("check", learnt, model, builds[1], "--update", status=(0,))[1]
    check("variants: kept", "keeps 1 of its variants and drops 0" in said and [passes(b) for b in builds] == [True, True, False], said)
    said = run_both("check", learnt, model, builds[2], "--update", status=(0,))[1]
    with open(learnt, encoding="utf-8") as file:
        check("variants: dropped", "keeps 0 of its variants and drops 1" in said and passes(builds[2]) and "\nalso" not in file.read(), said)
    learn()
    third = os.path.join(folder, "third.fsd")
    less = os.path.join(folder, "less.json")    # the copy's output has no form
    with open(builds[2], encoding="utf-8") as file:
        dump = json.load(file)
    for layer in dump["Layers"]:
        for tensor in layer.get("Inputs", []) + layer.get("Outputs", []):
            if tensor["Name"].startswith("Reformatted Input Tensor 0"):
                del tensor["Format/Datatype"]
    with open(less, "w", encoding="utf-8") as file:
        json.dump(dump, file)
    builds = (*builds[:2], less)
    said = run_both("snapshot", learnt, "--also", f"{model},{less}", "-o", third, status=(0,))[1]
    os.replace(third, learnt)
    check("variants: a build that states less", "variants that state less than the first build (1)" in said and
          [passes(b) for b in builds] == [True, True, True], said)
    said = run_both("snapshot", model, ENGINE, "-o", learnt, status=(0,))[1]
    check("variants: overwritten with a word", "the new snapshot omits the variants of 3 builds" in said, said)
    # What was measured of one build only is not known of the others' ways.
    profile = profiles(folder, (1,))
    run("snapshot", model, ENGINE, *profile, "--also", builds[1], "-o", learnt)
    text = run("check", learnt, model, builds[1], "--profile", fixture("compare/split.profile.json"), status=(1,))
    check("variants: times", "have no time in the profiles of the snapshot" in text, text)
    run("snapshot", model, ENGINE, *profile, "--also", f"{model},{builds[1]},{fixture('compare/split.profile.json')}",
        "-o", learnt)
    text = run("check", learnt, model, builds[1], "--profile", fixture("compare/split.profile.json"), status=(0,))
    check("variants: times of the variant", "as in build B" in text and "0.3840 ms -> 0.3400 ms" in text, text)


def check_times(folder):
    """Times that a snapshot holds are kept, or it is said that they are not."""
    profile = ("--profile", os.path.join(FIXTURES, "qat_block/profile.json"))
    text, said = run_both("snapshot", MODEL, ENGINE, "--with-times", *profile)
    check("times: kept", "\ntimes 1 ~ " in text and not said, said)
    timed = os.path.join(folder, "timed.fsd")
    with open(timed, "w", encoding="utf-8") as file:
        file.write(text)
    check("times: a snapshot of a snapshot", run("snapshot", timed) == text)
    plain, said = run_both("snapshot", MODEL, ENGINE, *profile)
    check("times: kept of any profile", plain == text and not said, said)
    _, said = run_both("check", timed, MODEL, ENGINE, "--update", *profile)
    with open(timed, encoding="utf-8") as file:
        check("times: updated", "\ntimes 1 ~ " in file.read() and not said, said)
    _, said = run_both("check", timed, MODEL, ENGINE, "--update")
    with open(timed, encoding="utf-8") as file:
        check("times: an update without them is said", "\ntimes" not in file.read() and "has no times" in said, said)


def profiles(folder, factors, keep=lambda name: True):
    """The profile of the fixture, so many times slower each, as arguments."""
    with open(os.path.join(FIXTURES, "qat_block/profile.json"), encoding="utf-8") as file:
        entries = [e for e in json.load(file) if keep(e.get("name", ""))]
    args = []
    for factor in factors:
        path = os.path.join(folder, f"profile-{len(entries)}-{factor}.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump([{k: v * factor if k.endswith("Ms") else v for k, v in e.items()} for e in entries], out)
        args += ["--profile", path]
    return args


def check_latency(folder):
    """Slower fails whatever one profile says; what was not measured does not pass."""
    timed, plain, policy = (os.path.join(folder, n) for n in ("latency.fsd", "plain.fsd", "latency.ini"))
    run("snapshot", MODEL, ENGINE, *profiles(folder, (0.99, 1, 1.01)), "-o", timed)
    run("snapshot", MODEL, ENGINE, "-o", plain)
    with open(policy, "w", encoding="utf-8") as file:
        file.write("[latency]\nshare = 5%\n")

    def latency(snapshot, *args, status):
        report = json.loads(run("check", snapshot, MODEL, ENGINE, "-f", "json", *args, status=(status,)))
        rule = next(r for r in report["rules"] if r["rule"] == "latency")
        return [f["message"] for f in report["findings"] if f["rule"] == "latency"], rule.get("skipped")

    said, _ = latency(timed, *profiles(folder, (1.29, 1.3, 1.31)), status=1)
    check("latency: slower", len(said) == 1 and "3 profiles before and 3 now" in said[0], said)
    said, _ = latency(timed, *profiles(folder, (1.29, 1.3, 1.31, 0.9)), status=1)
    check("latency: an outlier explains nothing", len(said) == 1, said)
    said, _ = latency(timed, *profiles(folder, (1.6, 1.3, 1.0)), status=1)
    check("latency: noise is capped", len(said) == 1 and "the policy's limit" in said[0], said)
    said, _ = latency(timed, *profiles(folder, (1.3, 0.9)), status=1)
    check("latency: two profiles measure no noise", len(said) == 1 and "too few" in said[0], said)
    check("latency: within noise", latency(timed, *profiles(folder, (1.02, 1.01, 1)), status=0) == ([], None))
    said, _ = latency(timed, *profiles(folder, (0.5,), lambda name: "Conv_4" not in name), status=1)
    check("latency: an incomplete profile", any(m.startswith("incomplete: 1 of 8") for m in said), said)
    said, skipped = latency(timed, status=1)
    check("latency: times are gone", said == ["not measured: the build has no times"] and skipped, said)
    for args in ((), profiles(folder, (1,))):
        said, skipped = latency(plain, *args, status=0)
        check("latency: skipped", not said and skipped, (said, skipped))
        said, _ = latency(plain, *args, "--policy", policy, status=1)
        check("latency: asked for", len(said) == 1 and said[0].startswith("not measured"), said)
    for before, now, whose in ((1, 0, "build"), (0, 1, "snapshot")):
        run("snapshot", MODEL, ENGINE, *profiles(folder, (before,)), "-o", timed)
        said, skipped = latency(timed, *profiles(folder, (now,)), status=1)
        check("latency: times of 0 are none", skipped and f"all times of the {whose} are 0" in said[0], said)
    case = run("check", plain, MODEL, ENGINE, "-f", "junit", status=(0,)).split('<testcase name="latency"')[1]
    check("latency: skipped in JUnit", "<skipped message=" in case.split("</testcase>")[0], case)


def check_annotations():
    """A step shows ten of each severity: the tenth says how many more there are."""
    known, other = (os.path.join(FIXTURES, f"gate/cause/{name}.fsd") for name in ("before", "after"))
    errors = [f for f in json.loads(run("check", known, other, "-f", "json"))["findings"] if f["severity"] == "error"]
    lines = [line for line in run("check", known, other, "-f", "github").split("\n") if line.startswith("::error")]
    check("annotations: ten of more", len(errors) > 10 and len(lines) == 10, (len(errors), len(lines)))
    check("annotations: how many more", lines[-1] == f"::error title=fusiondiff::and {len(errors) - 9} more: see the report",
          lines[-1])


def check_rules(folder):
    """Each rule is explained, and the printed policy is the one that holds without it."""
    for line in run("explain", "--list", status=(0,)).splitlines():
        shown = run("explain", line.split()[0], status=(0,))
        check(f"explained: {line.split()[0]}", re.fullmatch(
            r"\S+  \(.*\)\nwhat    \S.*\nwhy     (?!\(null).*\nfix     (?!\(null).*\n(source  .*\n)?accept  .*\n", shown), shown)
    policy = os.path.join(folder, "default.ini")
    run("check", "--print-policy", "-o", policy, status=(0,))
    for name in ("before", "same", "worse", "stale", "untold"):
        args = "check", os.path.join(FIXTURES, f"gate/{name}.fsd"), MODEL, ENGINE, "-f", "json"
        one, two = json.loads(run(*args)), json.loads(run(*args, "--policy", policy))
        check(f"printed policy: {name}", all(one[key] == two[key] for key in (
            "verdict", "summary", "rules", "findings")))


def check_redirect(folder):
    """A shell puts the report into a file: what failed is seen all the same, without -q."""
    words = [BINARY, "check", os.path.join(FIXTURES, "gate/same.fsd"), MODEL, os.path.join(FIXTURES, "compare/wide.json")]
    for more, shown in (([], True), (["-f", "json"], True), (["-q"], False)):
        with open(os.path.join(folder, "redirected"), "w", encoding="utf-8") as out:
            done = subprocess.run([*words, *more], stdout=out, stderr=subprocess.PIPE, text=True)
        check(f"redirected {more}", done.returncode == 1 and ("check failed: " in done.stderr) == shown)


def check_list(folder):
    """Many builds: each stands in every format, a bad line is an error of its build, and one list
    serves batch, check and snapshot."""
    fixture = lambda name: os.path.join(FIXTURES, name)
    lines = [f"{MODEL} {ENGINE} snapshot={fixture('gate/same.fsd')} label=sm86",
             f"{MODEL} {fixture('compare/split.json')} snapshot={fixture('gate/same.fsd')}",
             f"{MODEL} {ENGINE} snapshot={fixture('gate/before.fsd')} policy={fixture('gate/policy.ini')}",
             f"{MODEL} {folder}/none.json snapshot={fixture('gate/same.fsd')}", f"{MODEL} {ENGINE} engine=x",
             f"{MODEL} {ENGINE} snapshot={fixture('gate/same.fsd')} label="]
    path = os.path.join(folder, "builds.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["# builds", "", *lines]) + "\n")
    args = "check", "--list", path, "--follow"     # the builds are elsewhere
    report = json.loads(run(*args, "-f", "json", status=(2,)))
    json_schema.of_file(os.path.join(os.path.dirname(SCHEMA), "checks.schema.json"))(report)
    builds = report["builds"]
    for build in builds:
        if "check" in build:
            json_schema.of_file(SCHEMA)(build["check"])
    check("list: verdicts", [b["verdict"] for b in builds] == ["passed", "failed", "failed", "error", "error", "error"], builds)
    check("list: names differ", len({b["name"] for b in builds}) == len(lines))
    found = [(b["name"], f) for b in builds for f in b.get("check", {}).get("findings", [])]
    for name in ("text", "markdown", "csv", "junit", "sarif", "gitlab", "github", "line"):
        text = run(*args, "-f", name, status=(2,))
        check(f"list: {name} reports bad lines",
              "engine=x" in html.unescape(text) or "none.json" in html.unescape(text) or "3 could not be checked" in text, text[:500])
    suites = re.findall(r'<testsuite name="(.*?)".*?errors="(\d)"', run(*args, "-f", "junit", status=(2,)))
    check("list: a suite a build", [html.unescape(n) for n, _ in suites] == [b["name"] for b in builds] and
          [e for _, e in suites] == list("000111"), suites)
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
        file.write(run(*args, "-f", "junit", status=(2,)))
        file.flush()
        done = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(HERE, "junit.xsd"), file.name],
                              capture_output=True, text=True, check=False)
    check("list: junit.xsd", done.returncode == 0, done.stderr[:500])
    sarif = json.loads(run(*args, "-f", "sarif", status=(2,)))
    SARIF(sarif)
    one = sarif["runs"]
    check("list: one run of SARIF", len(one) == 1 and [r["message"]["text"] for r in one[0]["results"]] ==
          [f"{name}: {f['message']}" for name, f in found])
    notes = collections.Counter(n["level"] for n in one[0]["invocations"][0]["toolExecutionNotifications"])
    says = sum("says" in b.get("check", ()) for b in json.loads(run(*args, "-f", "json", status=(2,)))["builds"])
    check("list: notifications of SARIF", notes == {"error": 3, "note": says} and says > 0, notes)
    check("list: ruleIndex", all(one[0]["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"] for r in one[0]["results"]))
    quality = json.loads(run(*args, "-f", "gitlab", status=(2,)))
    GITLAB(quality)
    check("list: fingerprints are unique", len({r["fingerprint"] for r in quality}) == len(quality) == len(found) + 3)
    for name in ("batch", "snapshot"):
        own = [line.replace(fixture("gate/same.fsd"), f"{folder}/own{i}.fsd").replace(fixture("gate/before.fsd"), f"{folder}/own{i}.fsd")
               for i, line in enumerate(lines)]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(own) + "\n")
        run(*([name, path] if name == "batch" else [name, "--list", path]), "--follow", status=(2,))
    check("list: snapshots of the good lines", sorted(n for n in os.listdir(folder) if n.startswith("own")) ==
          ["own0.fsd", "own1.fsd", "own2.fsd"])
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(own[:3]) + "\n")
    check("list: passes what it wrote", "3 builds: 2 passed, 1 failed" in run(*args, status=(1,)))  # the policy still asks
    # Two lines of one snapshot would each undo the other.
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([own[0], own[0].replace(ENGINE, fixture("compare/split.json"))]) + "\n")
    check("list: a snapshot has one build", "1 accepted, 1 could not be checked" in run(*args, "--update", status=(2,)))
    # Times that the snapshot does not state: no difference.
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{lines[0]} profile={fixture('qat_block/profile.json')}\n")
    timed = json.loads(run(*args, "-f", "json", status=(0,)))["builds"][0]
    check("list: no difference of unknown times", "change_ms" not in timed and
          timed["check"]["summary"][-1]["before"] == "not known" != timed["check"]["summary"][-1]["now"], timed)
    # A thousand builds that fail: under GitHub's limit, each format whole.
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(lines[1] + f" label={i}\n" for i in range(300)))
    text = run(*args, "-f", "markdown")
    check("list: Markdown under GitHub's limit", len(text) < 65536 and "300 failed" in text and
          text.count("<details") == text.count("</details>"), len(text))
    many = run(*args, "-f", "github").split("\n")
    check("list: ten annotations", sum(line.startswith("::error") for line in many) == 10)


def main():
    check_formats("fixture", HOSTILE, "check", os.path.join(FIXTURES, "gate/before.fsd"), MODEL, ENGINE,
                  "--policy", os.path.join(FIXTURES, "gate/policy.ini"), "--today", "2026-07-01")
    with tempfile.TemporaryDirectory() as folder:
        model, engine = rename(folder, HOSTILE)
        snapshot = os.path.join(folder, "odd %:,name.fsd")
        with open(os.path.join(FIXTURES, "gate/before.fsd"), encoding="utf-8") as file, \
                open(snapshot, "w", encoding="utf-8") as out:
            out.write(file.read())
        check_formats("hostile", HOSTILE.values(), "check", snapshot, model, engine, "--force")
        text = run("snapshot", model, engine)
        check("hostile: a snapshot is printable", not any(unicodedata.category(c) in ("Cc", "Cf") for c in text.replace("\n", "")))
        with open(snapshot, "w", encoding="utf-8") as out:
            out.write(text)
        check("hostile: round trip", run("snapshot", snapshot) == text)
        # A name with a line break is none of the names that a list in a layer's name has.
        check("hostile: same build", "passed: 0 errors, 1 warning, 0 notes" in
              run("check", snapshot, model, engine, status=(0,)))
        check_many(folder)
        check_rules(folder)
        check_update(folder)
        check_full_disk(folder)
        check_variants(folder)
        check_times(folder)
        check_latency(folder)
        check_annotations()
        check_redirect(folder)
        check_list(folder)
    print("FAILED" if failures else "passed")
    sys.exit(1 if failures else 0)


main()
