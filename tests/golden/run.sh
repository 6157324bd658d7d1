#!/bin/sh
# Runs the real binary on one case and compares every byte it writes.
#
#   run.sh BINARY CASE_DIRECTORY [--update]
#
# A case holds `args` (run in fixtures/), `expected.out`, and where they are not empty
# and 0, `expected.err` and `expected.exit`.  With --update what the binary writes
# becomes what is expected: read the git diff before you keep it.
# There are some hundred cases, and the run itself takes 20 ms: the shell's own words are
# used wherever a program would be started for less.
absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}
binary=$(absolute "$1") case=$(absolute "$2") update=$3
cd "${0%/*}/../../fixtures" || exit 2
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
eval "set -- $(cat "$case/args")"
# Through a pipe, as a log of CI reads it: of what goes to a file, the program says so.
{ "$binary" "$@" 2>"$out/expected.err" </dev/null; echo $? >"$out/expected.exit"; } | cat >"$out/expected.out"
if [ "$update" = --update ]; then
    for part in out err exit; do
        cp "$out/expected.$part" "$case"
    done
    [ -s "$case/expected.err" ] || rm "$case/expected.err"
    [ "$(cat "$case/expected.exit")" != 0 ] || rm "$case/expected.exit"
    exit 0
fi
status=0
# same PART DEFAULT: whether the part is as expected, which is the default where no file says so.
same() {
    want=$case/expected.$1
    if [ ! -e "$want" ]; then
        want=$out/default
        printf %s "$2" >"$want"
        [ -n "$2" ] || [ -s "$out/expected.$1" ] || return
    fi
    cmp -s "$want" "$out/expected.$1" || { diff -u "$want" "$out/expected.$1"; status=1; }
}
same out ""
same err ""
same exit "0
"
exit $status
