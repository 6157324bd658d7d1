#!/bin/sh
# Checks the include rules of src/README.md, the files that may use third-party headers, and
# forbidden calls. Prints each violation as file:line; the exit status is 1 if there are any.
cd "$(dirname "$0")/../../src" || exit 2
bad=0

# The last column of the table in src/README.md has the groups that a group may include: names of
# groups, "X and below" for X with all groups that X may include, "all above", or "-". Of its own
# group, a folder may include the folders before it in the second column, and the files beside the
# folders. "through F X" means that only the files beside the folders may include X, which are F.
# This prints a line for each group or folder: "group word|word" or "group/folder word|word".
rules=$(awk -F' *[|] *' '
    /^\| group \|/ { on = 1; next }
    on && !/^\|/ { exit }
    !on || /^\|---/ { next }
    {
        group = substr($2, 1, length($2) - 1)
        n = split($4, words, ", ")
        may = direct = ""
        through = 0
        for (i = 1; i <= n; i++) {
            through += sub(/^through [a-z]+[.]h /, "", words[i])
            below = sub(/ and below$/, "", words[i])
            if (words[i] == "all above")
                words[i] = all
            else if (words[i] != "-" && !(words[i] in of))
                print "unknown " group " " words[i]
            if (words[i] != "-")
                may = may "|" words[i] (below ? of[words[i]] : "")
            if (!through)
                direct = may
        }
        of[group] = may
        all = all (all ? "|" : "") group
        print group " " group may
        own = ""
        n = split($3, folders, ", ")
        for (i = 1; i <= n; i++) {
            own = own (i > 1 ? "|" : "") group "/" folders[i]
            print group "/" folders[i] " " own direct
        }
    }' README.md)
printf '%s\n' "$rules" | grep '^unknown' | sed 's/^unknown \(.*\) \(.*\)/src\/README.md: the row of \1 names \2, which has no row above/' |
    grep . && bad=1

# The names of the readers, for the rules on each of them.
readers=$(tr '\n\\' '  ' <read/engine/reader.h | grep -oE 'FSD_READERS\(row\)( +row\([a-z_]+\))+' |
    grep -oE ' row\([a-z_]+\)' | sed 's/.*(\(.*\))/\1/')
[ -z "$readers" ] && echo "src/read/engine/reader.h: no row in FSD_READERS" && bad=1
each_reader=$(printf 'read/%s/|' $readers) # "read/ort/|read/trt/|"

# A folder without a row has the row of the folder that contains it.
for folder in $(find . -mindepth 1 -type d | sed 's,^\./,,'); do
    row=$folder
    while [ "$row" != . ] && ! printf '%s\n' "$rules" | grep -q "^$row "; do
        row=$(dirname "$row")
    done
    if [ "$row" = . ]; then
        echo "src/$folder/: has no row in src/README.md, so that nothing says what it may include"
        bad=1
        continue
    fi
    case $folder in
    */*/*) ;;
    */*)
        if [ "$row" != "$folder" ] && printf '%s\n' "$rules" | grep -q "^$row/"; then
            echo "src/$folder/: the row of $row/ in src/README.md does not name it"
            bad=1
            continue
        fi ;;
    esac
    may=$(printf '%s\n' "$rules" | grep "^$row " | cut -d' ' -f2)
    found=$(grep -nE '^#include "' "$folder"/*.[ch] /dev/null 2>/dev/null |
        grep -vE ":#include \"(($may)[/\"]|${folder%%/*}/[a-z_]+[.]h\")")
    [ -z "$found" ] && continue
    echo "$found" | sed "s,^\(\./\)*,src/,; s,$,   ($row may include only: $may),"
    bad=1
done

# No reader may include another one. Only their table may include readers.
for reader in $readers; do
    found=$(grep -rn "^#include \"read/$reader/" --include='*.[ch]' . | grep -v "^\./read/$reader/")
    [ -z "$found" ] && continue
    echo "$found" | sed "s,^\./,src/,; s,$,   (only src/read/$reader/ may include it),"
    bad=1
done

# FSD_EDIT=OFF leaves out src/edit/, so only src/edit/ and src/cli/ may include it.
found=$(grep -rnE '^#include ["<](edit|fusiondiff/edit[.]h)' --include='*.[ch]' . | grep -vE '^\./(edit|cli)/')
if [ -n "$found" ]; then
    echo "$found" | sed "s,^\./,src/,; s,$,   (only src/edit/ and src/cli/ may include it),"
    bad=1
fi

# Usage: confine 'regex of third-party headers' 'regex of the files that may include them'
confine() {
    found=$(grep -rnE "^#include <($1)" --include='*.[ch]' . | grep -vE "^\./($2):")
    [ -z "$found" ] && return
    echo "$found" | sed "s,^\./,src/,; s,$,   (allowed only in $2),"
    bad=1
}
confine 'cjson/'              'read/trt/json\.h'
confine 'protobuf-c/|onnx\.pb' '(model|edit)/onnx/[a-z_]*\.[ch]'
confine 'xxhash\.h'           'base/hash\.c|base/digest\.c|read/log/segment\.c|judge/findings/find\.c'
confine 'zlib\.h|lzma\.h|zstd\.h' 'base/decompress\.c|explain/values/stream\.c'
confine 'utf8proc\.h'        'base/text\.c'
confine 'graphviz/'           'report/picture/graphviz\.c'
confine 'unistd\.h|fcntl\.h|sys/|dirent\.h|pthread\.h|fnmatch\.h|strings\.h|signal\.h|poll\.h|setjmp\.h' 'host/[a-z_]*\.[ch]|cli/host/[a-z_]*\.[ch]|report/picture/(child|graphviz)\.c'
confine 'dlfcn\.h'            'report/picture/graphviz\.c'

# Usage: owned 'structs' 'regex of the files that may write them'. The results of a stage are
# const for all other stages, so no other file may have a pointer to them that is not const.
owned() {
    found=$(grep -rnE "struct fsd_($1) +\*" --include='*.[ch]' . | grep -vE "^\./($2)" |
        sed -E "s/const struct fsd_($1) +\*//g" | grep -E "struct fsd_($1) +\*")
    [ -z "$found" ] && return
    echo "$found" | sed "s,^\./,src/,; s,$,   (written only in $2),"
    bad=1
}
owned 'graph|history'   "${each_reader}"'model/graph/|model/onnx/|read/engine/|read/log/|read/profile/|match/story|api/(inputs|engines|engine_alone|parts|profiles|run)'
owned 'measured'        'read/profile/|profiles\.c|api/parts\.c'
owned 'facts|match|region|conflict' 'match/'
owned 'layer_result|flows|flow|reason|node_result|islands|island|summary' 'explain/diff/'
owned 'shape|ints'      'model/ops/'
owned 'sizes'           'model/ops/|explain/cost/(cost|shape)\.[ch]|match/'
owned 'cost|layer_cost|node_cost|time_sums' 'explain/cost/'
owned 'values|numbers' 'explain/values/|api/values\.c'
owned 'findings|finding|finder' 'judge/findings/'
owned 'policy'          'judge/findings/|judge/gate/|api/(check\.c|lint\.c|linting\.h)'
owned 'verdict'         'judge/gate/|api/(check\.c|lint\.c|linting\.h)|report/report\.c'
owned 'blocks'         'explain/pattern/'
owned 'state|group|move' 'change/state/|change/compare/|edit/mark/mark\.[ch]|change/snapshot/|api/(states\.h|compare\.c|routes\.c|check\.c)|edit/bisect/|edit/api/issue\.c'
owned 'compare'         'change/compare/|change/snapshot/|change/routes/|api/(compare|routes|check)\.c|edit/bisect/|edit/api/issue\.c'
owned 'diff'            'api/|edit/(api|bisect)/|cli/'

# Usage: forbid 'regex' 'reason'
forbid() {
    found=$(grep -rnE "$1" --include='*.[ch]' .)
    [ -z "$found" ] && return
    echo "$found" | sed "s|^\./|src/|; s|$|   ($2)|"
    bad=1
}
forbid '\b(cJSON_GetArrayItem|cJSON_GetObjectItem)\(' 'linear, and blind to case'
forbid '\b(strcpy|strcat|strtok|atoi|gets)\('         'unbounded or blind to errors'
forbid '\b(exit|abort|printf|puts|perror)\('          'the library neither prints nor exits' |
    grep -vE '^src/(cli/|base/status\.c)' && bad=1
forbid '\bgetenv\('                                   'SECURITY.md states what is read of the environment' |
    grep -vE 'getenv\(("NO_COLOR"|"SOURCE_DATE_EPOCH"|kept_variables\[i\])\)|^src/host/posix\.c' && bad=1
forbid '\bfsd_host_variable\(' 'the same' |
    grep -vE 'fsd_host_variable\(("PATH"|"FUSIONDIFF_DOT"|const char \*name)\)' && bad=1

# Only the reader of a builder may have words of this builder. Exceptions: texts for users on the
# builder's tools, the message on a wrong file in place of a model, operators of the builder's
# domain, lint's rules for builders, reasons of failed builds, and programs for a builder's API.
found=$(grep -rnE '[Mm]yelin|ForeignNode|Cask|TensorRT|trtexec|"trt-|Reformatting|Optimizer Reformat' \
            --include='*.[ch]' . |
        grep -vE '^\./('"$each_reader"'read/log/|cli/|base/file_type\.c|model/onnx/sniff\.c|model/ops/table\.c|report/view/names\.c|edit/mark/view\.c|edit/issue/commands\.c|edit/code/|judge/lint/|judge/failed/|judge/findings/(rules[_a-z]*|lint_[a-z]*)\.c)')
if [ -n "$found" ]; then
    echo "$found" | sed 's|^\./|src/|; s|$|   (a word of one builder outside of its reader)|'
    bad=1
fi

# The size of files, and the number of files in a folder.
for file in $(find . -name '*.[ch]' | sed 's,^\./,,'); do
    lines=$(wc -l <"$file")
    [ "$lines" -gt 800 ] && echo "src/$file: $lines lines, more than 800" && bad=1
done
# Files of verbs do not count, because each verb needs a file.
for folder in $(find . -type d); do
    files=$(find "$folder" -maxdepth 1 -type f ! -name 'verb_*.c' | wc -l)
    [ "$files" -gt 30 ] && echo "src/$folder: $files files, more than 30" && bad=1
done
# The shared library must export exactly the functions that the public headers declare.
declared=$(cat ../include/fusiondiff/*.h | tr '\n' ' ' | grep -oE 'FSD_API [^;(]*\(' |
    grep -oE 'fsd_[a-z_]+\($' | tr -d '(' | sort)
mapped=$(grep -oE 'fsd_[a-z_]+' ../packaging/fusiondiff.map | sort)
if [ "$declared" != "$mapped" ]; then
    echo "packaging/fusiondiff.map and the headers in include/fusiondiff/ differ in:"
    printf '%s\n' "$declared" "$mapped" | sort | uniq -u
    bad=1
fi

exit $bad
