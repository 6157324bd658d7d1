#!/bin/sh
# The include rules of src/README.md, third-party confinement and forbidden calls.
# Prints each offence as file:line; exit status 1 when there is any.
cd "$(dirname "$0")/../../src" || exit 2
bad=0

# What each group may include is the last column of src/README.md's table: groups, "X and
# below" for X with all that X may include, "all above", or "-".  Of its own group a folder
# may include what stands before it in the second column, and the files beside the folders.
# "through F X" and "through F and G X" hold for the files F and G beside the folders alone,
# by which they have X.
# Prints a line a group or folder, "group word|word" or "group/folder word|word".
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
            through += sub(/^through [a-z]+[.]h (and [a-z]+[.]h )?/, "", words[i])
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

# The readers that there are: rules that hold for each of them.
readers=$(tr '\n\\' '  ' <read/engine/reader.h | grep -oE 'FSD_READERS\(row\)( +row\([a-z_]+\))+' |
    grep -oE ' row\([a-z_]+\)' | sed 's/.*(\(.*\))/\1/')
[ -z "$readers" ] && echo "src/read/engine/reader.h: no row in FSD_READERS" && bad=1
each_reader=$(printf 'read/%s/|' $readers) # "read/ort/|read/trt/|"

# A folder inside one has that one's row, unless it has its own.
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
    [ "$row" = edit/onnx ] && may="$may|model/onnx" # which it writes again
    found=$(grep -nE '^#include "' "$folder"/*.[ch] /dev/null 2>/dev/null |
        grep -vE ":#include \"(($may)[/\"]|${folder%%/*}/[a-z_]+[.]h\")")
    [ -z "$found" ] && continue
    echo "$found" | sed "s,^\(\./\)*,src/,; s,$,   ($row may include only: $may),"
    bad=1
done

# Readers never meet, and nobody but their table knows them.
for reader in $readers; do
    found=$(grep -rn "^#include \"read/$reader/" --include='*.[ch]' . | grep -v "^\./read/$reader/")
    [ -z "$found" ] && continue
    echo "$found" | sed "s,^\./,src/,; s,$,   (only src/read/$reader/ may include it),"
    bad=1
done

# The library of edits is left out by FSD_EDIT=OFF: nobody else knows it.
found=$(grep -rnE '^#include ["<](edit|fusiondiff/edit[.]h)' --include='*.[ch]' . | grep -vE '^\./(edit|cli)/')
if [ -n "$found" ]; then
    echo "$found" | sed "s,^\./,src/,; s,$,   (only src/edit/ and src/cli/ may include it),"
    bad=1
fi

# confine 'regex of a third-party header' 'regex of the files that may include it'
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

# owned 'structs' 'regex of the files that may write them': what a stage makes is const for
# all others; a pointer to it that is not const stands in no other file
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

# forbid 'regex' 'why'
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

# What one builder calls things is known in its reader.  Exceptions: what users are told
# of the builder's own tools, a wrong file given as model, operators of its domain, and
# what lint knows of builders, why their builds fail, and programs on a builder's API.
found=$(grep -rnE '[Mm]yelin|ForeignNode|Cask|TensorRT|trtexec|"trt-|Reformatting|Optimizer Reformat' \
            --include='*.[ch]' . |
        grep -vE '^\./('"$each_reader"'read/log/|cli/|base/file_type\.c|model/onnx/sniff\.c|model/ops/table\.c|report/view/names\.c|edit/mark/view\.c|edit/issue/commands\.c|edit/code/|judge/lint/|judge/failed/|judge/findings/(rules[_a-z]*|lint_[a-z]*)\.c)')
if [ -n "$found" ]; then
    echo "$found" | sed 's|^\./|src/|; s|$|   (a word of one builder outside of its reader)|'
    bad=1
fi

# size of files and functions' neighbours
for file in $(find . -name '*.[ch]' | sed 's,^\./,,'); do
    lines=$(wc -l <"$file")
    [ "$lines" -gt 800 ] && echo "src/$file: $lines lines, more than 800" && bad=1
done
# A verb is a file, so that those of the verbs are as many as there are.
for folder in $(find . -type d); do
    files=$(find "$folder" -maxdepth 1 -type f ! -name 'verb_*.c' | wc -l)
    [ "$files" -gt 30 ] && echo "src/$folder: $files files, more than 30" && bad=1
done
# The shared library exports what the public headers declare.
declared=$(cat ../include/fusiondiff/*.h | tr '\n' ' ' | grep -oE 'FSD_API [^;(]*\(' |
    grep -oE 'fsd_[a-z_]+\($' | tr -d '(' | sort)
mapped=$(grep -oE 'fsd_[a-z_]+' ../packaging/fusiondiff.map | sort)
if [ "$declared" != "$mapped" ]; then
    echo "packaging/fusiondiff.map and the headers in include/fusiondiff/ differ in:"
    printf '%s\n' "$declared" "$mapped" | sort | uniq -u
    bad=1
fi

exit $bad
