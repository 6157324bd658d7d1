"""How texts are written: words that users read.  english.py [--report]

Fails where a text that users read has a word that reads like a translation: strings of src/ that are
sentences, README.md, CHANGELOG.md's newest part, docs/, the Python package and the public header.  Each such
word has a plain one beside it.  ALLOWED has the places that keep one, with the reason.  --report counts the
words in comments of the code, which fail nothing.

A sentence of more than 40 words in docs/ fails, and so does a misspelt word (codespell), wherever people read
or write text: spelling is not checked where there is no codespell.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# What to look for, as whole words, and what to write.
WORDS = {
    r"tell|tells|told|telling": "report, show, state",
    r"mover|movers|what moves data": "data movement, data-movement layer",
    r"stand alone|stands alone|left standing|standing quantizers?": "runs as a layer of its own, unfused",
    r"widened|wider|narrowed|narrower": "higher or lower precision",
    r"runs? (wide|narrow)|islands?": "higher precision, higher-precision segment",
    r"put there": "inserted by",
    r"at rest": "build-time constant",
    r"makers?": "producer",
    r"brothers?|twins?|mates?": "counterpart, duplicate, equivalent",
    r"as written": "producer output",
    r"promises?": "requirement",
    r"trouble": "error",
    r"(is|are) not taken": "is not supported",
    r"taken apart": "decomposed, parsed",
    r"ways in": "installation",
    r"unpack|unpacked|unpacks|packed": "decompress, compressed",
    r"disarm(ed)?": "escape",
    r"mend(s|ed)?": "fix",
    r"nobody|somebody": "name the actor",
    r"hand (over|on)|handed|hands (over|on)": "pass, forward, feed",
    r"all the same|goes on": "continues",
    r"colours?": "color",
    r"analys(e|es|ed|ing)": "analyze",
    r"neighbours?": "neighbor",
}
# (file, words, reason): what stays.
ALLOWED = (
    (r"docs/reference/json\.md|include/.*\.schema\.json", r"widened|narrowed", "values of JSON"),
    (r"src/change/compare/|src/report/", r"widened|narrowed", "values of JSON, printed as they are"),
    (r".*", r"packed", "ONNX and protobuf have packed fields, NVFP4 packed elements"),
)
MOST_WORDS = 40
# What codespell takes for misspelt: man's macro, numbers of dimensions, globs of names, what TensorRT writes so.
SPELT = "nd,multipl,insuficient,foward,ot,caf,tructure,mye"


def c_texts(path, text):
    """Line and text of each string of C that is a sentence: adjacent literals are one."""
    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    code = re.sub(r"(?m)^[ \t]*#.*$", "", code)
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', code):
        words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
        if len(re.findall(r"[A-Za-z]{2,}", words)) >= 3:
            yield code.count("\n", 0, found.start()) + 1, re.sub(r"\\[nvt]", " ", words)


def page_texts(path, text):
    """Line and text of a page, without what is shown of a terminal or of code."""
    text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"`[^`]*`", "``", line)


def comments(path, text):
    for found in re.finditer(r"/\*.*?\*/|(?<!:)//[^\n]*", text, re.S):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return listed.split()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def is_allowed(path, word):
    return any(re.search(where, path) and re.fullmatch(words, word, re.I) for where, words, _ in ALLOWED)


def found_in(path, texts):
    for line, text in texts:
        # A rule's or an option's name is no word of a sentence.
        plain = re.sub(r"[\w-]*[/_][\w/-]*|--?[\w-]+|\b\w+-\w[\w-]*", " ", text)
        for words, instead in WORDS.items():
            for match in re.finditer(rf"\b(?:{words})\b", plain, re.I):
                if not is_allowed(path, match[0]):
                    yield f"{path}:{line}: '{match[0]}' ({instead}): {text.strip()[:90]}"


def sentences(text):
    """First line and text of each sentence of a page, without tables, headings and what is shown of a terminal."""
    text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S | re.M)
    first, words = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if words and (not line.strip() or re.match(r"\s*([-*|#>]|\d+\.)\s", line)):
            for sentence in re.split(r"(?<=[.;:!?])\s", re.sub(r"`[^`]*`", "``", " ".join(words))):
                yield first, sentence
            words = []
        if line.strip() and not re.match(r"\s*[|#<]|    ", line):
            first = first if words else number
            words.append(line.strip())


def long_sentences(pages):
    for path in pages:
        for line, sentence in sentences(read(path)):
            if len(sentence.split()) > MOST_WORDS:
                yield f"{path}:{line}: {len(sentence.split())} words in a sentence: {sentence[:90]}"


def misspelt():
    speller = shutil.which("codespell")
    if not speller:
        print("no codespell: spelling is not checked")
        return []
    listed = [path for path in files("*.md", "src", "include", "python/*.py", "action.yml", "packaging")
              if os.path.isfile(os.path.join(ROOT, path)) and not path.endswith((".png", ".abi"))]
    run = subprocess.run([speller, "--ignore-words-list", SPELT, "--", *listed], cwd=ROOT, capture_output=True,
                         text=True, check=False)
    return [f"{line} (spelling)" for line in run.stdout.splitlines()]


def main():
    wrong = []
    for path in files("src/*.c", "src/*.h", "src/*.inc"):
        wrong += found_in(path, c_texts(path, read(path)))
    pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md",
             *sorted(glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True))]
    for path in pages:
        wrong += found_in(path, page_texts(path, read(path)))
    wrong += [*long_sentences(pages), *misspelt()]
    print("\n".join(wrong))
    print(f"{len(wrong)} words to replace, or sentences to split")
    if "--report" in sys.argv:
        report()
    sys.exit(1 if wrong else 0)


def report():
    counts = collections.Counter()
    for path in files("src/*.c", "src/*.h"):
        for line, comment in comments(path, read(path)):
            for words in WORDS:
                counts[words.split("|")[0]] += len(re.findall(rf"\b(?:{words})\b", comment, re.I))
    print("in comments of src/: " + ", ".join(f"{word} {n}" for word, n in counts.most_common() if n))


if __name__ == "__main__":
    main()
