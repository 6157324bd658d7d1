#!/usr/bin/python3
"""counted.py BINARY [--shared DIR]: what is known of the blocks of the zoos that are not one kernel.

Of each pattern, blocks that are whole, fused elsewhere, split with a reason and split without one, and which rules are
the decisive ones.  Fails where fewer than 80 % of those that are not whole are fused elsewhere or have a reason."""
import collections
import glob
import json
import os
import subprocess
import sys

LEAST = .8


def main():
    binary = sys.argv[1]
    at = sys.argv[sys.argv.index("--shared") + 1] if "--shared" in sys.argv else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared")
    fates, decisive = collections.Counter(), collections.Counter()
    for case in sorted(c for zoo in ("zoo", "zoo-2", "zoo-4") for c in glob.glob(os.path.join(at, zoo, "cases/*"))):
        log = glob.glob(os.path.join(case, "build.log*"))[0]
        out = subprocess.run([binary, "patterns", os.path.join(case, "model.onnx"), log, "-f", "json"], capture_output=True, text=True)
        for block in json.loads(out.stdout)["blocks"]:
            known = "" if block["fused"] != "split" else " with a reason" if block["reasons"] else " without one"
            fates[block["pattern"], block["fused"] + known] += 1
            if known == " with a reason":
                decisive[block["reasons"][0]["rule"]] += 1
    if not fates:
        print("no engines: nothing was counted")
        return 77
    for (pattern, fate), n in sorted(fates.items()):
        print(f"{n:5} {pattern:12} {fate}")
    for rule, n in decisive.most_common():
        print(f"{n:5} {rule}")
    total = {fate: sum(n for (_, f), n in fates.items() if f == fate) for _, fate in fates}
    explained, left = total.get("elsewhere", 0) + total.get("split with a reason", 0), total.get("split without one", 0)
    print(f"{explained} of {explained + left} are fused elsewhere or have a reason")
    return explained < LEAST * (explained + left)


if __name__ == "__main__":
    sys.exit(main())
