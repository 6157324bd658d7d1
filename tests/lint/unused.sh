#!/bin/sh
# Finds functions and variables that no other file uses. They must be static, or they lack a row
# in a table: a rule, a matching pass, a reader, a writer or a view without a row compiles but
# never runs.
#
# usage: unused.sh OBJECT...    all objects of the library and of the program
# Not only the given objects count as uses: users of the public header, the tests, libc, and files
# that other builds compile in place of some files also use symbols.
cd "$(dirname "$0")/../.." || exit 2
absent=$(find src -name '*.c' | while read -r file; do
    case "$*" in *"/$file.o"*) ;; *) echo "$file" ;; esac
done)
found=$(nm -A "$@" | awk '
    { name = $NF; type = $(NF - 1); file = $1; sub(/:[0-9a-f]*$/, "", file) }
    name ~ /^_/ || name ~ /^(main|argp_program_version_hook)$/ { next }
    type ~ /^[TDRBC]$/ { made[name] = file }
    type == "U" { used[name] = 1 }
    END { for (name in made) if (!(name in used)) print name, made[name] }' |
    while read -r name file; do
        grep -rqw "$name" packaging/fusiondiff.map tests --include='*.c' --include='*.map' \
            --exclude-dir=seams || grep -qw "$name" /dev/null $absent ||
            echo "${file##*/src/}: no other file uses $name: make it static, or add its row"
    done | sed 's,^,src/,; s,\.c\.o:,.c:,' | sort)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
