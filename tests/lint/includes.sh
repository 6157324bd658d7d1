#!/bin/sh
# The include rules of src/README.md, third-party confinement and forbidden calls.
# Prints each offence as file:line; exit status 1 when there is any.
cd "$(dirname "$0")/../../src" || exit 2
bad=0

# What each folder may include is the last column of src/README.md's table: folders, "X and
# below" for X with all that X may include, "all above", or "-".  Prints a line a folder,
# "folder word|word".
rules=$(awk -F' *[|] *' '
    /^\| folder \|/ { on = 1; next }
    on && !/^\|/ { exit }
    !on || /^\|---/ { next }
    {
        folder = substr($2, 1, length($2) - 1)
        n = split($(NF - 1), words, ", ")
        may = folder
        for (i = 1; i <= n; i++) {
            below = sub(/ and below$/, "", words[i])
            if (words[i] == "all above")
                words[i] = all
            else if (words[i] != "-" && !(words[i] in of))
                print "unknown " folder " " words[i]
            if (words[i] != "-")
                may = may "|" words[i] (below ? "|" of[words[i]] : "")
        }
        of[folder] = may
        all = all (all ? "|" : "") folder
        print folder " " may
    }' README.md)
printf '%s\n' "$rules" | grep '^unknown' | sed 's/^unknown \(.*\) \(.*\)/src\/README.md: the row of \1 names \2, which has no row above/' |
    grep . && bad=1

# The readers that there are: rules that hold for each of them.
readers=$(tr '\n\\' '  ' <engine/reader.h | grep -oE 'FSD_READERS\(row\)( +row\([a-z_]+\))+' |
    grep -oE ' row\([a-z_]+\)' | sed 's/.*(\(.*\))/\1/')
[ -z "$readers" ] && echo "src/engine/reader.h: no row in FSD_READERS" && bad=1
each_reader=$(printf '%s/|' $readers) # "ort/|trt/|"

# A folder inside one has that one's row, unless it has its own.
for folder in $(find . -type d | sed 's,^\./,,'); do
    row=$folder
    while [ "$row" != . ] && ! printf '%s\n' "$rules" | grep -q "^$row "; do
        row=$(dirname "$row")
    done
    if [ "$row" = . ] && [ "$folder" != . ]; then
        echo "src/$folder/: has no row in src/README.md, so that nothing says what it may include"
        bad=1
        continue
    fi
    may=$(printf '%s\n' "$rules" | grep "^$row " | cut -d' ' -f2)
    found=$(grep -nE '^#include "' "$folder"/*.[ch] /dev/null 2>/dev/null |
        grep -vE ":#include \"($may)[/\"]")
    [ -z "$found" ] && continue
    echo "$found" | sed "s,^\(\./\)*,src/,; s,$,   ($row may include only: $may),"
    bad=1
done

# confine 'regex of a third-party header' 'regex of the files that may include it'
confine() {
    found=$(grep -rnE "^#include <($1)" --include='*.[ch]' . | grep -vE "^\./($2):")
    [ -z "$found" ] && return
    echo "$found" | sed "s,^\./,src/,; s,$,   (allowed only in $2),"
    bad=1
}
confine 'cjson/'              'trt/json\.h'
confine 'protobuf-c/|onnx\.pb' 'onnx/[a-z_]*\.[ch]'
confine 'xxhash\.h'           'base/hash\.c|base/digest\.c|log/segment\.c|findings/find\.c'
confine 'zlib\.h|lzma\.h|zstd\.h' 'base/decompress\.c|values/stream\.c'
confine 'utf8proc\.h'        'base/text\.c'
confine 'ini\.h'             'gate/policy_ini\.c'
confine 'graphviz/'           'report/picture/graphviz\.c'
confine 'dlfcn\.h'            'report/picture/graphviz\.c'
confine 'argp\.h'             'cli/[a-z_]*\.[ch]'

# owned 'structs' 'regex of the files that may write them': what a stage makes is const for
# all others; a pointer to it that is not const stands in no other file
owned() {
    found=$(grep -rnE "struct fsd_($1) +\*" --include='*.[ch]' . | grep -vE "^\./($2)" |
        sed -E "s/const struct fsd_($1) +\*//g" | grep -E "struct fsd_($1) +\*")
    [ -z "$found" ] && return
    echo "$found" | sed "s,^\./,src/,; s,$,   (written only in $2),"
    bad=1
}
owned 'graph|history'   "${each_reader}"'model/|onnx/|engine/|log/|profile/|match/story|api/(inputs|engine_alone|parts|profiles|run)'
owned 'measured'        'profile/|profiles\.c|api/parts\.c'
owned 'facts|match|region|conflict' 'match/'
owned 'layer_result|flows|flow|reason|node_result|islands|island|summary' 'diff/'
owned 'shape|ints'      'ops/'
owned 'sizes'           'ops/|cost/(cost|shape)\.[ch]|match/'
owned 'cost|layer_cost|node_cost|time_sums' 'cost/'
owned 'values|numbers' 'values/|api/values\.c'
owned 'findings|finding|finder' 'findings/'
owned 'policy'          'findings/|gate/|api/(check|lint)\.c'
owned 'verdict'         'gate/|api/(check|lint)\.c|report/report\.c'
owned 'blocks'         'pattern/'
owned 'state|group|move' 'compare/|mark/mark\.[ch]|snapshot/|api/(states\.h|compare\.c|routes\.c|check\.c|bisect\.c|issue\.c)'
owned 'compare'         'compare/|snapshot/|routes/|api/(bisect|compare|routes|check|issue)\.c'
owned 'diff'            'api/|cli/'

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
    grep -vE 'getenv\(("NO_COLOR"|"SOURCE_DATE_EPOCH"|kept_variables\[i\])\)' && bad=1

# What one builder calls things is known in its reader.  Exceptions: what users are told
# of the builder's own tools, a wrong file given as model, operators of its domain, and
# what lint knows of builders, and programs on a builder's API.
found=$(grep -rnE '[Mm]yelin|ForeignNode|Cask|TensorRT|trtexec|"trt-|Reformatting|Optimizer Reformat' \
            --include='*.[ch]' . |
        grep -vE '^\./('"$each_reader"'log/|cli/|base/file_type\.c|onnx/sniff\.c|ops/table\.c|report/view/(names|tensors)\.c|out/commands\.c|code/|lint/|findings/(rules[_a-z]*|lint_[a-z]*)\.c)')
if [ -n "$found" ]; then
    echo "$found" | sed 's|^\./|src/|; s|$|   (a word of one builder outside of its reader)|'
    bad=1
fi

# size of files and functions' neighbours
for file in */*/*.[ch] */*.[ch]; do
    lines=$(wc -l <"$file")
    [ "$lines" -gt 800 ] && echo "src/$file: $lines lines, more than 800" && bad=1
done
# A verb is a file, so that those of the verbs are as many as there are.
for folder in $(find . -type d); do
    files=$(find "$folder" -maxdepth 1 -type f ! -name 'verb_*.c' | wc -l)
    [ "$files" -gt 30 ] && echo "src/$folder: $files files, more than 30" && bad=1
done
# The shared library exports what the public header declares.
declared=$(tr '\n' ' ' <../include/fusiondiff/fusiondiff.h | grep -oE 'FSD_API [^;(]*\(' |
    grep -oE 'fsd_[a-z_]+\($' | tr -d '(' | sort)
mapped=$(grep -oE 'fsd_[a-z_]+' ../packaging/fusiondiff.map | sort)
if [ "$declared" != "$mapped" ]; then
    echo "packaging/fusiondiff.map and include/fusiondiff/fusiondiff.h differ in:"
    printf '%s\n' "$declared" "$mapped" | sort | uniq -u
    bad=1
fi

exit $bad
