#!/bin/sh
# Every golden case again, as on another machine: a locale with a decimal comma, the other
# side of the date line, a narrow terminal, no home, files that only their owner reads, a
# temporary folder with a blank in its name.  The bytes must be the same.
#
#   elsewhere.sh BINARY
binary=$(realpath "$1")
cd "$(dirname "$0")" || exit 2
umask 077
odd=$(mktemp -d)/'a folder' || exit 2
trap 'rm -rf "$(dirname "$odd")"' EXIT
mkdir "$odd" || exit 2
localedef -i de_DE -f UTF-8 "$odd/de_DE.UTF-8" 2>/dev/null ||
    echo "no locale with a decimal comma can be made here: left out"
env -i PATH="$PATH" LOCPATH="$odd" LC_ALL=de_DE.UTF-8 TZ=Pacific/Kiritimati TMPDIR="$odd" \
    COLUMNS=20 TERM=xterm-256color NO_COLOR=1 python3 -E -s -X utf8 check.py "$binary"
