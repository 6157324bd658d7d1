#!/bin/sh
# Runs the real binary on one case and compares every byte it writes.
#
#   run.sh BINARY CASE_DIRECTORY [--update]
#
# A case holds `args` (run in fixtures/), `expected.out`, and where they are not empty
# and 0, `expected.err` and `expected.exit`.  With --update what the binary writes
# becomes what is expected: read the git diff before you keep it.
binary=$(realpath "$1") case=$(realpath "$2") update=$3
cd "$(dirname "$0")/../../fixtures" || exit 2
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
eval "set -- $(cat "$case/args")"
# Through a pipe, as a log of CI reads it: of what goes to a file, the program says so.
{ "$binary" "$@" 2>"$out/expected.err" </dev/null; echo $? >"$out/expected.exit"; } | cat >"$out/expected.out"
status=0
for part in out err exit; do
    want="$case/expected.$part"
    if [ "$update" = --update ]; then
        cp "$out/expected.$part" "$want"
        { [ $part = err ] && [ ! -s "$want" ]; } && rm "$want"
        { [ $part = exit ] && [ "$(cat "$want")" = 0 ]; } && rm "$want"
        continue
    fi
    [ -e "$want" ] || { [ $part = exit ] && echo 0 >"$out/none" || : >"$out/none"; want="$out/none"; }
    diff -u "$want" "$out/expected.$part" || status=1
done
exit $status
