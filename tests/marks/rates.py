"""rates.py BINARY FOLDER SHARED [--seed N] [-o FILE]: how often what `tensors`, `bisect`, `issue` and `cut --alone` state of the
next build holds, on models made by the seed (made.py), as the page docs/reference/wrong-result-rates.md.

Tensors and breaks are measured with three seeds, the rest with the first.  Exit status 1 where a bar is missed."""
import argparse
import datetime
import hashlib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MADE = "28"


def ran(a, script, *words):
    """(its output, whether it held its bar); kept in the folder for this binary, so that a run that was stopped goes on."""
    of = hashlib.sha256(pathlib.Path(a.binary).read_bytes()).hexdigest()[:12]
    kept = pathlib.Path(a.folder, "-".join([script, *(str(w).strip("-") for w in words), of]) + ".txt")
    if kept.exists():
        text, status = kept.read_text().rsplit("\n", 1)
        return text, status == "0"
    p = subprocess.run([sys.executable, HERE / script, a.binary, a.folder, a.shared, *map(str, words)], capture_output=True, text=True)
    print(p.stdout, p.stderr[-2000:], sep="", flush=True)
    kept.write_text(f"{p.stdout}\n{p.returncode}")
    return p.stdout, p.returncode == 0


def numbers(pattern, text):
    found = re.search(pattern, text)
    return [int(n) for n in found.groups()] if found else [0] * re.compile(pattern).groups


def added(pattern, texts):
    return [sum(column) for column in zip(*(numbers(pattern, text) for text in texts))]


def row(statement, good, of, seeds):
    return f"| {statement} | {good} of {of} | {100 * good / max(of, 1):.1f} % | {seeds} |"


def page(a, seeds, texts, trials, issue, alone):
    import tensorrt_rtx_bindings as trt
    free = added(r"free: (\d+) of (\d+) leave", texts)
    at_once = added(r"together: in (\d+) of (\d+) models", texts)
    breaks = added(r"breaks: of (\d+) fusions (\d+) have no exact break; (\d+) are split; the stated changes are right in (\d+) of (\d+)", texts)
    searches = {group: numbers(rf"bisect {group}: (\d+) of (\d+) right", trials) for group in ("int8", "moving", "other", "pairs", "controls")}
    named, planted, wrong = numbers(r"bisect: (\d+) of (\d+) planted faults are named, (\d+) of all", trials)
    reports = numbers(r"issue: (\d+) of (\d+) parts show", issue)
    false, stated = numbers(r"alone: (\d+) of (\d+) statements", alone)
    several, one = ", ".join(map(str, seeds)), str(seeds[0])
    lines = [
        "# How often the statements hold",
        "",
        f"`tests/marks/run` wrote this page on {datetime.date.today().isoformat()} with TensorRT for RTX {trt.__version__}: builds of {MADE} models a seed, of",
        "14 families whose widths, depths and types the seed draws (`tests/marks/made.py`).  The rules were found with other models and other seeds.",
        "",
        "| statement | holds in | rate | seeds |",
        "|---|---|---|---|",
        row("a tensor `between` layers, marked alone, changes no fusion", *free, several),
        row("all tensors of a model that are free together, marked at once, change no fusion", *at_once, several),
        row("a break splits its fusion", breaks[2], breaks[0] - breaks[1], several),
        row("a break changes exactly the fusions that it states", breaks[3], breaks[4], several),
        row("a fusion has an exact break", breaks[0] - breaks[1], breaks[0], several),
        row("`bisect run` names a planted fault, or a pair of them, in few builds", named, planted, one),
        row("of these a fusion that reads or writes INT8", *searches["int8"], one),
        row("of these a fusion that moves data as well", *searches["moving"], one),
        row("of these a pair of which one is enough, or both are needed", *searches["pairs"], one),
        row("`bisect run` names nothing where the test always fails, never fails, is flaky or cannot be built", *searches["controls"], one),
        row("the part of an `issue` shows its finding when it is built alone", *reports, one),
        row("what `cut --alone` states is what the builder's Metadata states", stated - false, stated, one),
        "",
        f"{wrong} of {sum(of for _, of in searches.values())} searches name a fusion that is not to blame.  \"In few builds\" is 2 log2(fusions) + 6, of pairs",
        "4 log2(fusions) + 10.  Reports are of 30 models of the corpus, too.",
        "",
    ]
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("folder")
    p.add_argument("shared")
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--searches", type=int, default=30, help="planted faults; a third as many pairs, two fifths as many tests that prove nothing")
    p.add_argument("-o", dest="out", type=pathlib.Path, help="where the page is written")
    a = p.parse_args()
    seeds = [a.seed, a.seed + 1, a.seed + 2]
    measured = [ran(a, "measure.py", "--made", MADE, "--seed", s, "--free", 150, "--breaks", 150) for s in seeds]
    trials = ran(a, "trials.py", "--made", MADE, "--seed", a.seed, "--trials", a.searches, "--pairs", a.searches // 3,
                 "--controls", a.searches * 2 // 5)
    issue = ran(a, "reports.py", "--made", MADE, "--seed", a.seed, "--findings", 30)
    alone = ran(a, "alone.py", "--made", MADE, "--seed", a.seed, "--parts", 30)
    text = page(a, seeds, [output for output, _ in measured], trials[0], issue[0], alone[0])
    if a.out:
        a.out.write_text(text)
    print(text)
    return 0 if all(held for _, held in [*measured, trials, issue, alone]) else 1


if __name__ == "__main__":
    sys.exit(main())
