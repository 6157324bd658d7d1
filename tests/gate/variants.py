#!/usr/bin/python3
"""Snapshots of several builds, on the real engines of SHARED's zoos that are of one model.

    variants.py BINARY SHARED

Each model's builds are learnt together.  The file comes back as it was written; a build that
was learnt passes, unless it was said that some of its rows are not kept; a build that was left
out fails as it does beside the first build alone, or passes since its rows were seen elsewhere:
never with more findings than beside the first.  A snapshot that is updated by one of its builds
keeps the others, unless that has a region whose inside it does not state.  Figures are printed; exit status 77 without SHARED.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

BINARY, SHARED = sys.argv[1:3]
ZOOS = [os.path.join(SHARED, zoo, "cases") for zoo in ("zoo", "zoo-2")]
failures = []
counts = collections.Counter()


def run(*args, status=(0,)):
    done = subprocess.run([BINARY, *args], capture_output=True, text=True, check=False)
    if done.returncode not in status:
        failures.append(f"{args}: exit status {done.returncode}: {done.stderr[:300]}")
    return done


def expect(what, holds):
    counts["claims"] += 1
    if not holds:
        failures.append(what)


def errors(snapshot, build):
    """Whether it passes, and how many errors there are."""
    done = run("check", snapshot, *build, "-f", "line", status=(0, 1))
    return done.returncode == 0, int(done.stdout.split("failed: ")[1].split(" error")[0]) if done.returncode else 0


def learn(path, builds):
    words = [w for model, engine in builds[1:] for w in ("--also", f"{model},{engine}")]
    done = run("snapshot", *builds[0], *words, "-o", path)
    return {engine for _, engine in builds if f"{engine}: not learnt" in done.stderr}


def is_opaque(build):
    return json.loads(run(*build, "-f", "json").stdout)["summary"]["coverage"].get("opaque_layers", 0) > 0


def try_model(name, builds, folder):
    all_of, one, some, copy = (os.path.join(folder, n) for n in ("all.fsd", "one.fsd", "some.fsd", "copy.fsd"))
    unkept = learn(all_of, builds)
    learn(one, builds[:1])
    run("snapshot", all_of, "-o", copy)
    with open(all_of, encoding="utf-8") as a, open(copy, encoding="utf-8") as b:
        text = a.read()
        expect(f"{name}: comes back as it was written", text == b.read())
    counts["variants"] += text.count("\nvariant ")
    for i, build in enumerate(builds):
        passes, found = errors(all_of, build)
        alone, found_alone = errors(one, build)
        expect(f"{name}: {build[1]} was learnt, and does not pass", passes or build[1] in unkept)
        expect(f"{name}: {build[1]} has {found} errors, {found_alone} beside the first build alone",
               found <= found_alone)
        counts["builds"] += 1
        counts["pass beside the first"] += alone
        counts["pass learnt"] += passes
        if 0 < i and len(builds) > 2:
            learn(some, builds[:i] + builds[i + 1:])
            passes_unseen, _ = errors(some, build)
            expect(f"{name}: {build[1]} was not learnt and passes, though nothing learnt has it so",
                   passes_unseen <= passes)
            counts["pass left out"] += passes_unseen
        # The snapshot of a region whose inside is not stated cannot say what the others do there.
        opaque = is_opaque(build)
        counts["opaque"] += opaque
        if passes and build[1] not in unkept and not opaque:
            with open(copy, "w", encoding="utf-8") as file:
                file.write(text)
            run("check", copy, *build, "--update", "-q", "-o", os.devnull, "-f", "line")
            for other in builds:
                if other[1] not in unkept:
                    expect(f"{name}: updated by {build[1]}, {other[1]} does not pass any more",
                           errors(copy, other)[0])


def main():
    if not os.path.isdir(ZOOS[0]):
        print("skipped: no", ZOOS[0])
        sys.exit(77)
    models = collections.defaultdict(list)
    for zoo in filter(os.path.isdir, ZOOS):
        for case in sorted(os.listdir(zoo)):
            for engine in glob.glob(os.path.join(zoo, case, "build.log*")):
                models[case.split(".")[0]].append((os.path.join(zoo, case, "model.onnx"), engine))
    with tempfile.TemporaryDirectory() as folder:
        for name, builds in models.items():
            if len(builds) > 1:
                counts["models"] += 1
                try_model(name, builds, folder)
    for line in failures[:40]:
        print("FAILED", line)
    print(", ".join(f"{what} {n}" for what, n in counts.items()), f"; {len(failures)} failed")
    sys.exit(1 if failures or not counts["variants"] else 0)


main()
