#!/usr/bin/python3
"""The manual, and the completions as their shells ask for them:  check.py BINARY SOURCE

The manual is clean by mandoc's lint and has every verb and option that --help has.  In
bash, fish and zsh the line so far is completed, each where it is installed, and all offer
what the program itself says.  Each value that is offered for an option is one that the
option's --help names.  A run that takes long shows a bar on a terminal.
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

BINARY, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
FIXTURES = f"{SOURCE}/fixtures"
PAIR = "qat_block/model.onnx qat_block/engine.graph.json"
# A line, what must be offered, what must not.
LINES = (
    ("fusiondiff ", {"top", "explain", "doctor", "qat_block/"}, {"--all"}),
    ("fusiondiff re", {"reformats"}, {"top"}),
    ("fusiondiff help s", {"scopes", "snapshot"}, {"top", "synthetic/"}),
    ("fusiondiff top --b", {"--by"}, {"--profile"}),
    ("fusiondiff top --to", {"--top"}, {"--by"}),
    ("fusiondiff top --top ", set(), {"qat_block/"}),
    ("fusiondiff compare --pro", set(), {"--profile"}),
    ("fusiondiff top --by ", {"tactics", "scopes"}, {"qat_block/"}),
    ("fusiondiff top -f ", {"json", "csv"}, {"svg"}),
    ("fusiondiff --format=", {"--format=svg"}, {"--format=line "}),
    ("fusiondiff diff qat_block/mo", {"qat_block/model.onnx"}, {"model"}),
    (f"fusiondiff where {PAIR} Conv_", {"Conv_4", "Conv_13"}, {"Relu_6"}),
    (f"fusiondiff inside {PAIR} MatMul", {"MatMul_21 + fc.bias + (Unnamed Layer* 30) [Shuffle] + Add_22"}, {"MatMul_21"}),
    (f"fusiondiff explain {PAIR} --node Ad", {"Add_15", "Add_22"}, {"Conv_4"}),
    ("fusiondiff where none.onnx none.json Conv", set(), {"Conv_4"}),
)
# The words in which bash hands a line over, and what it would insert.
BASH = r"""
source "$1/packaging/completions/fusiondiff.bash"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_LINE=$2 COMP_POINT=${#2}
mapfile -t COMP_WORDS < <(printf %s "$2" | sed -E 's/[=:]/\n&\n/g; s/ +/\n/g')
[[ $2 != *' ' ]] || COMP_WORDS+=('')
[[ $2 != *= ]] || unset 'COMP_WORDS[-1]'
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_fusiondiff
cut=${2##* }; [[ $cut != *=* ]] || head=${cut%"${cut##*=}"}
for one in "${COMPREPLY[@]}"; do
    if [ -d "$one" ]; then echo "$one/"; else eval "echo $head$one"; fi
done
"""
# zsh in a terminal of its own: the widget's matches, without what compadd would insert.
ZSH = r"""
fpath=($1/packaging/completions $fpath)
autoload -Uz _fusiondiff
compadd() { local a; [[ $1 == -l ]] && { a=$5; print -rl -- ${(P)a} } }
_files() { local f; for f in ${PREFIX}*(N); do [[ -d $f ]] && print -r -- $f/ || print -r -- $f; done }
compset() { PREFIX=${PREFIX#*=} }
line=$2
words=(${(z)line}) PREFIX=${line##* } CURRENT=${#words}
[[ -z $PREFIX ]] && (( CURRENT++ ))
_fusiondiff
"""
bad = []


def claim(holds, what):
    if not holds:
        bad.append(what)


def run(*args, **more):
    done = subprocess.run(args, capture_output=True, text=True, cwd=FIXTURES, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def says(*args):
    return run(BINARY, *args)[1]


def check_manual(at):
    manual = says("help", "--as", "man")
    page = f"{at}/fusiondiff.1"
    with open(page, "w", encoding="utf-8") as file:
        file.write(manual)
    flat = manual.replace("\\-", "-")
    verbs = re.findall(r"^  (\w+) +\S", says("help"), re.M)
    claim(len(verbs) > 10, f"few verbs in help: {verbs}")
    for verb in verbs:
        claim(f"\n.Ss {verb}\n" in manual, f"the manual lacks the verb {verb}")
        for option in re.findall(r"^ {2,6}(?:-\w, )?--([\w-]+)", says(verb, "--help"), re.M):
            claim(f"Fl -{option}" in flat or option in ("help", "usage", "version"), f"the manual lacks --{option} of {verb}")
    if shutil.which("mandoc"):
        lint = run("mandoc", "-Tlint", page)[1]
        claim(not lint, f"mandoc says of the manual:\n{lint}")
        text = run("mandoc", "-Tutf8", page)[1]
        claim("fusiondiff where model.onnx engine.json /decoder/Softmax" in text, "the manual shows no example of where")
        plain = re.sub(".\x08", "", text)  # bold and underlined
        synopsis = " ".join(plain[plain.index("SYNOPSIS"):plain.index("DESCRIPTION")].split())
        for verb in verbs:
            usage = re.match(r"Usage: .*\n(?: {8,}\S.*\n)*", says("help", verb))[0]
            arguments = " ".join(usage.split("[OPTION...]", 1)[1].split())
            claim(f"[OPTION ...] {arguments}".strip() in synopsis, f"the synopsis of {verb} lacks {arguments}")
    return verbs


def check_values(verbs):
    """What is offered for an option stands in the option's help, and formats are taken."""
    checked, done = 0, set()
    helps = {verb: says(verb, "--help") for verb in verbs}
    for verb in verbs:
        text = helps[verb]
        for line in says("help", "--complete", verb, "--").splitlines():
            option = line.split("\t")[0]
            if option in done and option not in ("--format", "--only"):
                continue
            done.add(option)
            offered = [word for word in says("help", "--complete", verb, option, "").splitlines() if word.endswith("\t")]
            printed = " ".join(found for text in helps.values()  # check says of lint's: as lint does
                            for found in re.findall(rf"{option}[= ].*?(?=\n +-|\n\n)", text, re.S))
            for word in (word.rstrip("\t") for word in offered):
                checked += 1
                known = re.sub(r":\d+$", "", word) in printed or option == "--not"
                claim(word in text if option == "--format" else known, f"{verb} {option} is offered {word}, which its help does not name")
    claim(checked > 60, f"only {checked} values are offered")


def offered_by(shell, script, line, env):
    args = {"bash": ["bash", "--norc", "-c", script, "bash", SOURCE, line],
            "zsh": ["zsh", "-f", "-c", script, "zsh", SOURCE, line],
            "fish": ["fish", "--no-config", "-c",
                     f"source '{SOURCE}/packaging/completions/fusiondiff.fish'; complete -C '{line}'"]}[shell]
    status, out, err = run(*args, env=env)
    claim(status == 0 and not err, f"{shell} fails on '{line}': {err}")
    return {re.split(r"\t|  ", one)[0].replace("\\", "") for one in out.splitlines()}


def check_shells(at):
    os.symlink(BINARY, f"{at}/fusiondiff")
    env = dict(os.environ, PATH=f"{at}:{os.environ['PATH']}", HOME=at, LC_ALL="C.UTF-8")
    for shell, script in (("bash", BASH), ("zsh", ZSH), ("fish", None)):
        if not shutil.which(shell):
            print(f"no {shell}: its completion is not tried")
            continue
        for line, wanted, unwanted in LINES:
            offered = offered_by(shell, script, line, env)
            claim(wanted <= offered, f"{shell} offers for '{line}' no {sorted(wanted - offered)}, but {sorted(offered)[:20]}")
            claim(not unwanted & offered, f"{shell} offers for '{line}': {sorted(unwanted & offered)}")


def check_hostile_names(at):
    """A name that a terminal would obey, or the program take for an option, is not offered; one that a shell would is quoted."""
    names = ["plain", "--output=evil", "-oevil", "$(touch evil)", "`touch evil`;|&", "a\u202eb", "a\u009bb", "a\x1b[31m", "a\nb"]
    with open(f"{at}/evil.json", "w", encoding="utf-8") as file:
        json.dump({"Layers": [{"Name": name, "LayerType": "\x1b[31m\u202e", "Inputs": [], "Outputs": []} for name in names], "Bindings": []}, file)
    printed = says("help", "--complete", "explain", f"{at}/evil.json", "--layer", "")
    claim(printed.splitlines() == [f"{name}\t?[31m?" for name in ("plain", "$(touch evil)", "`touch evil`;|&")], f"completed from hostile names: {printed!r}")
    env = dict(os.environ, PATH=f"{at}:{os.environ['PATH']}", HOME=at, LC_ALL="C.UTF-8")
    offered = offered_by("bash", BASH, f"fusiondiff explain {at}/evil.json --layer ", env)
    claim("plain" in offered and "$(touch evil)" in offered, f"bash offers {sorted(offered)}")
    claim(not os.path.exists(f"{FIXTURES}/evil"), "a name was run")


def check_progress():
    """A run that waits shows a bar on a terminal, and leaves none; without one it is silent."""
    ours, theirs = pty.openpty()
    with open(f"{FIXTURES}/qat_block/engine.graph.json", "rb") as file:
        engine = file.read()
    with subprocess.Popen([BINARY, "qat_block/model.onnx", "-"], cwd=FIXTURES, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=theirs) as run_:
        shown = b""
        while b"reading 2 s" not in shown: # a stage of its own may take as long as it likes
            shown += os.read(ours, 4096)
        out, _ = run_.communicate(engine)
    os.set_blocking(ours, False)
    try:
        shown += os.read(ours, 65536)
    except BlockingIOError:
        pass
    claim(b"fusiondiff [" in shown and shown.endswith(b"\r\x1b[K"), f"the bar is not wiped: {shown!r}")
    claim(b"layers   8: " in out and run_.returncode == 0, "a run with a bar ends otherwise")
    with subprocess.Popen([BINARY, "qat_block/model.onnx", "qat_block/engine.graph.json"], cwd=FIXTURES,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run_:
        claim(run_.communicate()[1] == b"", "a run without a terminal says something")
    os.close(ours)
    os.close(theirs)


def main():
    with tempfile.TemporaryDirectory() as at:
        verbs = check_manual(at)
        check_values(verbs)
        check_shells(at)
        check_hostile_names(at)
    check_progress()
    print("\n".join(bad) or f"the manual has {len(verbs)} verbs; {len(LINES)} lines completed")
    sys.exit(bool(bad))


main()
