#!/bin/sh
# Every C file is as clang-format 14 (Debian 12's) writes it, by .clang-format, and no
# line, of a comment neither, is longer than its limit, and a ruler is one line; another
# version differs in detail.  It takes `new &&x` for C++ and writes a blank too few.
# tests/lint/format.sh [--fix | PASSED]; PASSED is a file with the hashes of those that passed, which are not formatted
# again.  Skipped (77) where there is no clang-format-14.
cd "$(dirname "$0")/../.." || exit 2
format=$(command -v clang-format-14) || { echo "no clang-format-14: skipped"; exit 77; }
files=$(find bench fixtures include python src tests -name '*.[ch]')
bad=0
# The lists are of names that git and CMake take: without blanks.
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
# .clang-format leaves comments as they are broken: its own breaks lose their indentation.
# shellcheck disable=SC2086
awk 'length($0) > 88 { printf "%s:%d: longer than 88 columns\n", FILENAME, FNR; bad = 1 }
     /&&[A-Za-z_(!]|(^|[^A-Za-z_])new (\+\+|&[A-Za-z_])/ {
         printf "%s:%d: taken for C++: name the variable other than new\n", FILENAME, FNR; bad = 1 }
     /^\/\* -----/ && !/\*\/$/ { printf "%s:%d: a ruler of two lines\n", FILENAME, FNR; bad = 1 }
     END { exit bad }' $files || bad=1
exit $bad
