#!/usr/bin/python3
"""Pages of texts (--budget):  pages.py BINARY FIXTURES BUDGET...

Of many reports and budgets: the pages have each line of the whole text once, the first begins as the text does, none has more
words and signs than its tokens, what is said to be left out is so, and there is no page behind the last."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import program

PAIR = ["qat_block/model.onnx", "qat_block/engine.graph.json", "--profile", "qat_block/profile.json"]
ASKED = [
    PAIR, [*PAIR, "--all"], ["reformats", *PAIR], ["top", *PAIR], ["lint", *PAIR], ["patterns", "blocks/model.onnx", "blocks/engine.json", "--all"],
    ["explain", "--layer=*", *PAIR], ["explain", "--node=*", *PAIR], ["where", *PAIR[:2], "*"], ["inside", *PAIR[:2], "*"],
    ["compare", ",".join([*PAIR[:2], "compare/fused.profile.json"]), "qat_block/model.onnx,compare/split.json,compare/split.profile.json", "--all"],
    ["check", "gate/cause/before.fsd", "gate/cause/after.fsd"], ["explain", "--list"], ["explain", "--words"], ["lint", "--list"],
    ["failed/types.onnx", "failed/types.log"], ["cut", *PAIR[:2], "--layer", "3"], ["agents/hostile.onnx", "agents/hostile.json", "--all"],
    ["snapshot", *PAIR[:2]], ["code", "qat_block/model.onnx"],
]
LEFT = re.compile(r"\nleft out: (\d+) of (\d+) lines \(about (\d+) tokens, (\d+) more pages?\); for the next page pass --budget (\d+),(\d+)\n\Z")


def ask(binary, folder, words, budget):
    done = program.run([binary, *words, "--quiet", f"--budget={budget}"], folder, text=True)
    return done.stdout, done.returncode


def lines_of(text):
    return [line for line in text.split("\n") if line]


def titles(text):
    """What may stand on several pages: lines above indented ones at the begin of a block."""
    blocks = [block.split("\n") for block in text.split("\n\n")]
    return {b[0] for b in map(lambda b: [li for li in b if li], blocks) if len(b) > 1 and b[1].startswith(" ")}


def check(binary, folder, words, budget):
    whole, right = ask(binary, folder, words, "1000000")
    assert whole, words
    found, again, page, pages, before = collections.Counter(), titles(whole), 1, None, None
    while True:
        text, status = ask(binary, folder, words, f"{budget},{page}")
        assert status == right, (words, budget, page, status)
        assert len(re.findall(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]", text)) <= budget * 1.25, (words, budget, page)
        left = LEFT.search(text)
        body = lines_of(text[:left.start()] if left else text)
        if page > 1:
            head = re.fullmatch(r"page (\d+) of (\d+)", body.pop(0))
            assert head and int(head[1]) == page and int(head[2]) == pages, (words, budget, page)
        elif left:
            pages = 1 + int(left[4])
            assert int(left[2]) == len(lines_of(whole)), (words, budget)
            assert whole.startswith(body[0]), (words, budget)
        found.update(line for line in body if not re.fullmatch(r"    \(\d+ more lines?\)", line))
        if not left:
            break
        assert int(left[5]) == budget and int(left[6]) == page + 1 and int(left[4]) == pages - page, (words, budget, page)
        assert before is None or int(left[1]) <= before, (words, budget, page)
        before, page = int(left[1]), page + 1
    if pages:
        assert page == pages, (words, budget)
        text, status = ask(binary, folder, words, f"{budget},{page + 1}")
        assert status == 2 and not text, (words, budget)
    wanted = collections.Counter(lines_of(whole))
    for line, n in wanted.items():
        cut = len(line) > budget and any(line.startswith(p) for p in found) and any(line.endswith(p) for p in found)    # a line longer than a page
        assert found[line] == n or line in again and found[line] >= n or cut, (words, budget, line, n, found[line])
    extra = [line for line in found if line not in wanted and not any(line in long for long in wanted)]
    assert not extra, (words, budget, extra[:3])
    return page


def main():
    binary, folder, budgets = os.path.abspath(sys.argv[1]), sys.argv[2], map(int, sys.argv[3:])
    counts = [check(binary, folder, words, budget) for budget in budgets for words in ASKED]
    assert max(counts) > 3
    print(f"{sum(counts)} pages of {len(counts)} texts")


if __name__ == "__main__":
    main()
