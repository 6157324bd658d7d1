#!/bin/sh
# The include rules of src/README.md, third-party confinement and forbidden calls.
# Prints each offence as file:line; exit status 1 when there is any.
cd "$(dirname "$0")/../../src" || exit 2
bad=0

# allow FOLDER 'regex of what its project includes may start with'
allow() {
    found=$(grep -nE '^#include "' "$1"/*.[ch] | grep -vE ':#include "('"$2"')/')
    [ -z "$found" ] && return
    echo "$found" | sed "s|^|src/|; s|$|   ($1 may include only: $2)|"
    bad=1
}
allow base   'base'
allow model  'model|base'
allow onnx   'onnx|model|base'
allow log    'log|model|base'
allow trt    'trt|log|model|base'
allow match  'match|model|base'
allow diff   'diff|match|model|base'
allow cost   'cost|diff|match|model|base'
allow compare 'compare|diff|match|model|base'
allow gate   'gate|compare|cost|diff|match|model|base'
allow report 'report|gate|compare|cost|diff|match|model|base'
allow report/picture 'report|compare|cost|diff|match|model|base'
allow cli    'cli'

# confine 'regex of a third-party header' 'regex of the files that may include it'
confine() {
    found=$(grep -rnE "^#include <($1)" --include='*.[ch]' . | grep -vE "^\./($2):")
    [ -z "$found" ] && return
    echo "$found" | sed "s,^\./,src/,; s,$,   (allowed only in $2),"
    bad=1
}
confine 'cjson/'              'trt/json\.c|trt/inspector_text\.c|report/json\.c|report/tree\.c'
confine 'protobuf-c/|onnx\.pb' 'onnx/[a-z_]*\.[ch]'
confine 'uthash\.h'           'base/intern\.c'
confine 'xxhash\.h'           'base/hash\.c|base/digest\.c|onnx/load\.c|log/segment\.c|gate/list\.c'
confine 'ini\.h'             'gate/policy_ini\.c'
confine 'graphviz/'           'report/picture/dot[a-z_]*\.[ch]'
confine 'argp\.h'             'cli/[a-z_]*\.[ch]'

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
    grep -vE '^src/(cli/|base/arena\.c)' && bad=1

# size of files and functions' neighbours
for file in */*/*.[ch] */*.[ch] *.c; do
    lines=$(wc -l <"$file")
    [ "$lines" -gt 800 ] && echo "src/$file: $lines lines, more than 800" && bad=1
done
exit $bad
