"""Checks the words of texts that people read: english.py

Fails if a text has a word that sounds like a translation. Texts are: strings of src/ that are sentences, comments of
all C files, the public headers, docstrings and comments of the Python package, README.md, the newest part of
CHANGELOG.md, docs/ (help and rules are in docs/reference/), and the program's output in golden files. WORDS has a
plain word for each refused word. ALLOWED has the exceptions, with the reasons.

Also fails for a sentence of more than MOST_WORDS words in docs/, and for a misspelt word in any text. Without
codespell, spelling is not checked.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The refused words, as regular expressions for whole words, and the words to write instead.
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
    r"(?-i:[Tt]roubles?)": "error",
    r"(is|are) not taken": "is not supported",
    r"taken apart": "decomposed, parsed",
    r"ways in": "installation",
    r"unpack|unpacked|unpacks|packed": "decompress, compressed",
    r"disarm(ed)?": "escape",
    r"mend(s|ed)?": "fix",
    r"nobody|somebody": "name the actor",
    r"hand (over|on)|handed|hands (over|on)": "pass, forward, feed",
    r"all the same|goes on": "continues",
    r"learnt": "recorded, found",
    r"to hear of|hears? (of|so)": "receive, is reported to",
    r"is not told|was not told|whatever was told": "is not stated",
    r"has nothing to say|says nothing of": "states nothing",
    r"it makes of": "name the object",
    r"as far as there are such": "if there are some",
    r"colours?": "color",
    r"analys(e|es|ed|ing)": "analyze",
    r"neighbours?": "neighbor",
}
# Exceptions: regular expressions of files and of words, and the reason.
ALLOWED = (
    (r"docs/reference/json\.md|include/.*\.schema\.json", r"widened|narrowed", "values of JSON"),
    (r"src/change/compare/|src/report/", r"widened|narrowed", "values of JSON, printed as they are"),
    (r"tests/golden/", r"widened|narrowed|twin", "values of JSON, and a node of a fixture"),
    (r".*", r"packed", "ONNX and protobuf have packed fields, NVFP4 packed elements"),
)
# Further exceptions, for comments only.
IN_COMMENTS = (
    (r"src/model/onnx/|src/base/de?compress|src/edit/onnx/|tests/unit/test_onnx", r"(un)?packed|unpacks?|narrowed|wider", "as protobuf calls it"),
    (r"src/.*|tests/.*", r"movers?|islands?|brothers?|twins?|mates?|narrowe[dr]|wide[rn](ed)?|runs? wide", "names in code, and cases of them"),
    (r"src/judge/|tests/.*", r"promises?", "sections of a policy are called so"),
    (r"src/change/snapshot/|src/api/check", r"learnt", "a parameter's name"),
    (r"src/.*\.[ch]|tests/.*|include/.*", r"unpack(s|ed)?", "protobuf's word"),
)
MOST_WORDS = 40
# Words that codespell wrongly reports: a macro of man, "nd" in names of tests, parts of names, and
# spellings in the output of TensorRT.
SPELT = "nd,multipl,insuficient,foward,ot,caf,tructure,mye"


def c_code(text):
    """C with blanks for comments and directives."""
    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"(?m)^[ \t]*#.*$", lambda m: " " * len(m[0]), code)


def c_strings(code):
    """Match and text of each string of c_code() that is a sentence: adjacent literals are one."""
    between = r'(?:\s|\\\n)*'
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for found in re.finditer(rf'{literal}(?:{between}(?:PRI\w+{between})?{literal})*', code):
        words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0]))
        if len(re.findall(r"[A-Za-z]{2,}", words)) >= 3:
            yield found, re.sub(r"\\[nvt]", " ", words)


def c_texts(path, text):
    """Line and text of each string of C that is a sentence."""
    code = c_code(text)
    for found, words in c_strings(code):
        yield code.count("\n", 0, found.start()) + 1, words


def page_texts(path, text):
    """Yields the number and the text of each line of a page, without blocks of code and terminal output."""
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


def is_allowed(path, word, allowed):
    return any(re.search(where, path) and re.fullmatch(words, word, re.I) for where, words, _ in allowed)


ANY_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.I)


def found_in(path, texts, allowed=ALLOWED):
    for line, text in texts:
        # Removes names of rules and options, which are no words of the sentence.
        plain = re.sub(r"[\w-]*[/_][\w/-]*|--?[\w-]+|\b\w+-\w[\w-]*", " ", text)
        for words, instead in WORDS.items() if ANY_WORD.search(plain) else ():
            for match in re.finditer(rf"\b(?:{words})\b", plain, re.I):
                if not is_allowed(path, match[0], allowed):
                    yield f"{path}:{line}: '{match[0]}' ({instead}): {text.strip()[:90]}"


def sentences(text):
    """Yields the first line and the text of each sentence of a page, without tables, headings, and blocks of code and
    terminal output."""
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


def python_texts(path, text):
    """Yields the line and the text of each docstring and comment."""
    for found in re.finditer(r'"""(.*?)"""|(?<![\w"\'])#([^\n]*)', text, re.S):
        yield text.count("\n", 0, found.start()) + 1, found[1] or found[2]


def newest(text):
    """Returns the newest part of a list of changes, which is not released yet."""
    return re.split(r"(?m)^## ", text)[1]


def main():
    wrong = []
    for path in files("src/*.c", "src/*.h", "src/*.inc"):
        wrong += found_in(path, c_texts(path, read(path)))
    for path in files("src/*.c", "src/*.h", "src/*.inc", "include/*.h", "tests/*.c", "tests/*.h", "python/*.c"):
        wrong += found_in(path, comments(path, read(path)), ALLOWED + IN_COMMENTS)
    for path in files("python/*.py"):
        wrong += found_in(path, python_texts(path, read(path)))
    pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md",
             *sorted(glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True))]
    for path in pages:
        wrong += found_in(path, page_texts(path, read(path)))
    wrong += found_in("CHANGELOG.md", page_texts("CHANGELOG.md", newest(read("CHANGELOG.md"))))
    for path in files("tests/golden/*/expected.out", "tests/golden/*/expected.err"):
        lines = enumerate(read(path).split("\n"), 1)
        wrong += found_in(path, ((number, re.sub(r"`[^`]*`|'[^']*'|<code>.*?</code>", "``", line)) for number, line in lines))
    wrong += [*long_sentences(pages), *misspelt()]
    print("\n".join(wrong))
    print(f"{len(wrong)} words to replace, or sentences to split")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
