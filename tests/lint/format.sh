#!/bin/sh
# Checks that every C file has the format of clang-format 14 (Debian 12) with .clang-format, that
# no line, not even of a comment, exceeds the limit, and that a ruler is one line. Other versions
# of clang-format differ in details. clang-format reads `new &&x` as C++ and omits a blank, so
# this is refused.
# Usage: tests/lint/format.sh [--fix | PASSED]. PASSED is a file with hashes of the files that
# passed, which are not checked again. Skipped (77) without clang-format-14.
cd "$(dirname "$0")/../.." || exit 2
format=$(command -v clang-format-14) || { echo "no clang-format-14: skipped"; exit 77; }
files=$(find bench fixtures include python src tests -name '*.[ch]')
bad=0
# The names of the files have no blanks.
# shellcheck disable=SC2086
if [ "${1:-}" = --fix ]; then
    "$format" -i $files
elif [ -z "${1:-}" ]; then
    "$format" --dry-run --Werror $files || bad=1
else
    rules=$({ cat .clang-format && "$format" --version; } | sha256sum)
    sha256sum $files | sed "s/^/${rules%% *} /" >"$1.new"
    touch "$1"
    todo=$(grep -vxFf "$1" "$1.new" | sed 's/.* //')
    [ -z "$todo" ] || "$format" --dry-run --Werror $todo || bad=1
    [ $bad != 0 ] || mv "$1.new" "$1"
fi
# .clang-format does not break comments, because its breaks would lose the indentation of lists,
# so their length is checked here.
# shellcheck disable=SC2086
awk 'length($0) > 88 { printf "%s:%d: longer than 88 columns\n", FILENAME, FNR; bad = 1 }
     /&&[A-Za-z_(!]|(^|[^A-Za-z_])new (\+\+|&[A-Za-z_])/ {
         printf "%s:%d: taken for C++: name the variable other than new\n", FILENAME, FNR; bad = 1 }
     /^\/\* -----/ && !/\*\/$/ { printf "%s:%d: a ruler of two lines\n", FILENAME, FNR; bad = 1 }
     END { exit bad }' $files || bad=1
exit $bad
