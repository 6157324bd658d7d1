#!/bin/sh
# Runs the real binary on one case and compares every byte it writes.
#
#   run.sh BINARY CASE_DIRECTORY [--update]
#
# A case holds `args` (run in fixtures/), `expected.out`, and where they are not empty
# and 0, `expected.err` and `expected.exit`.  With --update what the binary writes
# becomes what is expected: read the git diff before you keep it.
# There are some hundred cases, and a run takes 20 ms: a case that passes starts the binary and cmp, and no other program.
absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}
binary=$(absolute "$1") case=$(absolute "$2") update=$3
cd "${0%/*}/../../fixtures" || exit 2
read -r args <"$case/args"
eval "set -- $args"
# Through a pipe, as a log of CI reads it: of what goes to a file, the program says so.
if [ "$update" != --update ]; then
    want_err="" want_exit=0
    [ ! -e "$case/expected.err" ] || want_err=$(cat "$case/expected.err" && echo .)
    [ ! -e "$case/expected.exit" ] || read -r want_exit <"$case/expected.exit"
    want_out=$case/expected.out
    [ -e "$want_out" ] || want_out=/dev/null
    # The errors, the status behind a dot, and whether the output is the same: cmp ends after the status is written.
    found=$({ { "$binary" "$@" 2>&3 </dev/null; echo ".$?" >&3; } | cmp -s - "$want_out" && echo same >&3; } 3>&1)
    [ "$found" != "${want_err%.}.$want_exit
same" ] || exit 0
fi
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
{ "$binary" "$@" 2>"$out/expected.err" </dev/null; echo $? >"$out/expected.exit"; } | cat >"$out/expected.out"
if [ "$update" = --update ]; then
    for part in out err exit; do
        cp "$out/expected.$part" "$case"
    done
    [ -s "$case/expected.err" ] || rm "$case/expected.err"
    [ "$(cat "$case/expected.exit")" != 0 ] || rm "$case/expected.exit"
    exit 0
fi
# differ PART DEFAULT: shows how the part differs from what is expected, which is the default where no file says so.
differ() {
    want=$case/expected.$1
    if [ ! -e "$want" ]; then
        want=$out/default
        printf %s "$2" >"$want"
    fi
    diff -u "$want" "$out/expected.$1"
}
differ out ""
differ err ""
differ exit "0
"
exit 1
