#!/usr/bin/python3
"""Checks that commit messages have the form that CONTRIBUTING.md requires: commits.py [RANGE]

Without RANGE, checks the commits after BASE: older commits have another form. Leaves out merge commits. Skipped (77)
if this folder is not the top of a git checkout, for example in a tarball, or if the history belongs to another
project. A shallow clone may lack BASE; then the commits with a later date are checked.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BASE, BASE_TIME = "f97614e349cf427800529b10df6cea4741f0a202", 1795381096
LONGEST = 72

# Areas besides folders and files, for changes of the whole tree.
AREAS = ("build", "release", "style")

# First words that are imperatives although they end in -s, -ed or -ing.
IMPERATIVE = re.compile(r"(ss|us|focus|bias|alias|canvas|[^aeiou]eed|embed|shed|wed|bring|string|ring|ping|spring)$")
NOT_IMPERATIVE = re.compile(r"(s|ed|ing)$")
NO_VERB = set("""a all also an and another any as at both but by each every few for from he how if in it its many more most
                 new no not of on one only or other our several she so some such than that the their then there these they
                 this those three to two was we were what when where which while who why with you""".split())

# Messages, and whether the rules must accept them. Each run checks these first.
EXAMPLES = (
    ("match: keep float attributes apart\n\nTwo LeakyRelu of different alpha were merged.\n", True),
    ("match, diff: embed the cause\n\nReason.\n", True),
    ("report/picture: bring back the legend\n\nReason.\n", True),
    ("tests/lint: pass NULL for no name\n\nReason.\n", True),
    ("Docs: where packed inputs are unpacked to\n", False),
    ("The program is faster\n\nReason.\n", False),
    ("match: keeps float attributes apart\n\nReason.\n", False),
    ("match: fixed a crash\n\nReason.\n", False),
    ("match: fixing a crash\n\nReason.\n", False),
    ("match: the crash is gone\n\nReason.\n", False),
    ("match: Keep float attributes apart\n\nReason.\n", False),
    ("match: keep float attributes apart.\n\nReason.\n", False),
    ("match: keep float attributes apart\nReason.\n", False),
    ("match: keep float attributes apart\n", False),
    ("nowhere: keep float attributes apart\n\nReason.\n", False),
    ("match: keep " + "float " * 12 + "apart\n\nReason.\n", False),
)


def git(*args):
    """Returns the output of git; None if git fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *args], capture_output=True, check=False, text=True, errors="replace")
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def is_area(area, commit):
    """Whether an area is allowed: one of AREAS, or a folder or file of the tree at the commit or before it (the
    commit may delete it). A folder or file of src/ may be named without its group."""
    groups = sorted(f"src/{group}/" for group in os.listdir(os.path.join(ROOT, "src")) if "." not in group)
    names = [top + area + end for top in ("src/", "tests/", "", *groups) for end in ("", ".c", ".h")]
    return area in AREAS or any(os.path.exists(os.path.join(ROOT, name)) for name in names) or any(
        git("cat-file", "-e", f"{tree}:{name}") is not None for tree in (commit, commit + "^") for name in names)


def faults(message, commit="HEAD", needs_reason=True):
    """Yields each fault of a message, by the rules of CONTRIBUTING.md."""
    lines = message.rstrip("\n").split("\n")
    subject = lines[0]
    form = re.fullmatch(r"([a-z0-9_./-]+(?:, [a-z0-9_./-]+)*): (\S.*)", subject)
    if len(subject) > LONGEST:
        yield f"the subject has {len(subject)} characters, more than {LONGEST}"
    if len(lines) > 1 and lines[1]:
        yield "the second line is not blank"
    if needs_reason and not any(lines[2:]):
        yield "the body, which states the reason, is missing"
    if not form:
        yield "the subject is not `area: imperative summary`"
        return
    for area in form[1].split(", "):
        if not is_area(area, commit):
            yield f"the area {area} is neither a folder or file (of src/, tests/ or the top) nor one of {', '.join(AREAS)}"
    first = re.match(r"[^\s,:;]*", form[2])[0]
    if first[:1].isupper():
        yield f"the summary begins with a capital: {first}"
    elif first in NO_VERB or not re.match("[a-z]", first):
        yield f"the summary does not begin with a verb: {first}"
    elif NOT_IMPERATIVE.search(first) and not IMPERATIVE.search(first):
        yield f"the summary's verb is not an imperative: {first}"
    if subject.endswith("."):
        yield "the subject ends with a full stop"


def skip(why):
    print(f"{why}: skipped")
    sys.exit(77)


def new_commits():
    """Returns the arguments with which `git log` lists the commits to check."""
    top = git("rev-parse", "--show-toplevel")
    if top is None or os.path.realpath(top.strip()) != ROOT:
        skip("no git checkout")
    if git("merge-base", "--is-ancestor", BASE, "HEAD") is not None:
        return [f"{BASE}..HEAD"]
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        return ["HEAD", f"--since={BASE_TIME + 1}"]
    return skip("the history does not hold the commit from which on messages are checked")


def main():
    wrong = [f"example {message!r}: expected {'no fault' if right else 'a fault'}" for message, right in EXAMPLES
             if right == bool(list(faults(message)))]
    asked = sys.argv[1:] or new_commits()
    listed = git("log", "--no-merges", "--name-only", "--format=%x01%H%x00%B%x00", *asked)
    if listed is None:
        sys.exit(f"git log {' '.join(asked)} failed")
    commits = [entry.split("\0") for entry in listed.split("\1")[1:]]
    for commit, message, names in commits:
        prose_only = all(name.endswith(".md") for name in names.split())
        wrong += [f"{commit[:10]} {message.splitlines()[0] if message else ''!r}: {fault}"
                  for fault in faults(message, commit, not prose_only)]
    print("\n".join(wrong + [f"{len(commits)} commits, {len(wrong)} faults"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
