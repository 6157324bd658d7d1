#!/usr/bin/env python3
"""run.py BINARY SHARED [--built FOLDER] [--sample N] [--lies N] [--seed S] [-v]

Has BINARY report on each real engine of SHARED (and on those that tests/conformance built in FOLDER), and holds each claim
of the JSON against model and dump, which the other modules read on their own; they never start the program.  Prints by
kind of claim how many are confirmed, contradicted and not recomputed.  Then plants lies into the same reports, N of each
kind, and counts how many are rejected.  --sample takes one of N engines; -v prints the lies that were believed."""
import argparse
import glob
import json
import os
import random
import subprocess
import sys

try:
    import onnx  # noqa: F401
except ImportError:
    print("skipped: this python has no onnx")
    sys.exit(77)

import lies
from claims import KINDS, Case
from dump import Dump, truth
from model import Model

ENGINES = ("engine.", "build.log", "inspector", "other-build")
UNKNOWN, REJECTED = 0.10, 0.95      # of all claims at most, of the lies of each kind at least
SMALL = 0.90                        # of a sample, whose lies are few


def builds(shared, built):
    """(name, model or None, engine, profile or None) of each engine."""
    folders = [(shared, f) for group in ("corpus", "zoo*/cases") for f in glob.glob(os.path.join(shared, group, "*", ""))]
    folders += [(built, f) for f in glob.glob(os.path.join(built, "*", ""))] if built else []
    for top, folder in sorted(folders):
        has = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder))}
        if "outcome.json" in has:
            with open(has["outcome.json"], encoding="utf-8") as file:
                if json.load(file)["outcome"] != "built":
                    continue
        for name, path in has.items():
            if name.startswith(ENGINES):
                yield os.path.relpath(path, top), has.get("model.onnx"), path, has.get("profile.json")


def report(binary, verb, model, engine, profile):
    args = [binary, verb, *([model] if model else []), engine, *(["--profile", profile] if profile else []), "-f", "json"]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(args)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def case_of(binary, name, model, engine, profile):
    whole, view = (report(binary, verb, model, engine, profile) for verb in ("diff", "reformats"))
    dump = Dump(engine, [la["name"] for la in whole["layers"]], profile)
    case = Case(Model(model, truth.tuned_sizes(dump.lines)) if model else None, dump, whole, view)
    case.name = name
    return case


def judge(cases, whole):
    """Prints the table of claims; whether it is as it must be."""
    counts, wrong = {k: {True: 0, False: 0, None: 0} for k in KINDS}, []
    for case in cases:
        if case.dump.strange:
            wrong.append(f"{case.name}: the report lacks layers of the dump: {case.dump.strange[:3]}")
        for claim in case.claims():
            verdict = claim.judge()
            counts[claim.kind][verdict] += 1
            if verdict is False:
                wrong.append(f"{case.name}: {claim.where}: {claim.kind} {str(claim.value())[:100]}")
    print("claim       confirmed  contradicted  not recomputed")
    for kind, of in counts.items():
        print(f"{kind:10}  {of[True]:9}  {of[False]:12}  {of[None]:14}")
    claims = sum(sum(of.values()) for of in counts.values())
    unknown = sum(of[None] for of in counts.values())
    print(f"{len(cases)} engines, {claims} claims, {100 * unknown / claims:.1f} % not recomputed")
    print("".join(f"FAILED {line}\n" for line in wrong), end="")
    silent = [k for k, of in counts.items() if whole and not of[True]]
    return not wrong and unknown <= UNKNOWN * claims and not silent


def deceive(cases, count, seed, bar, verbose):
    """Prints how many lies of each kind are rejected; whether these are enough."""
    def believed(case, claim, before):
        if verbose:
            print(f"believed {case.name}: {claim.where}: {claim.kind} {before} -> {claim.value()}")
    result = lies.plant(cases, count, seed, believed)
    print("lie         planted  rejected")
    for kind, (planted, rejected) in result.items():
        print(f"{kind:10}  {planted:7}  {rejected:8}")
    print(f"{sum(r for _, r in result.values())} of {sum(p for p, _ in result.values())} lies rejected")
    few = [k for k, (planted, rejected) in result.items() if rejected < bar * planted]
    for kind in few:
        print(f"FAILED too many lies of the kind {kind} are believed")
    return not few


def main():
    parser = argparse.ArgumentParser()
    for name in ("binary", "shared", "--built"):
        parser.add_argument(name)
    for name, default in (("--sample", 1), ("--lies", 400), ("--seed", 1)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    if not os.path.isdir(args.shared):
        print(f"skipped: {args.shared} is not there")
        return 77
    chosen = list(builds(args.shared, args.built))
    chosen = random.Random(args.seed).sample(chosen, len(chosen) // args.sample)
    cases = [case_of(args.binary, *build) for build in sorted(chosen, key=lambda b: b[0])]
    right = judge(cases, args.sample == 1)
    rejected = deceive(cases, args.lies, args.seed, REJECTED if args.sample == 1 else SMALL, args.v) if args.lies else True
    return 0 if right and rejected else 1


if __name__ == "__main__":
    sys.exit(main())
