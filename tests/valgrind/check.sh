#!/bin/bash
# The plain binary under valgrind, each verb and each kind of input once:
#
#   check.sh BINARY
#
# Ends with 1 on any error or leak; with 77 where there is no valgrind, or where the binary
# has sanitizers, which valgrind cannot run.
set -u
binary=$(realpath "$1")
cd "$(dirname "$0")/../../fixtures" || exit 2
command -v valgrind >/dev/null || exit 77
grep -q __asan_init "$binary" && exit 77
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0 runs=0

run()
{
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect --log-file="$scratch/log" \
        "$binary" "$@" >/dev/null 2>&1 </dev/null
    local status=$?
    runs=$((runs + 1))
    if [ $status -gt 2 ]; then
        echo "FAILED ($status): $*"
        head -40 "$scratch/log"
        failed=1
    fi
}

pair=(qat_block/model.onnx qat_block/engine.graph.json)
times=(--profile qat_block/profile.json --times qat_block/times.json)
run "${pair[@]}" "${times[@]}" --peak 1000,100
for format in json markdown junit sarif github gitlab dot; do
    run "${pair[@]}" -f $format
done
for verb in reformats scopes; do
    run $verb "${pair[@]}" --profile qat_block/profile.json
done
for verb in where inside; do
    run $verb "${pair[@]}" '*'
done
run names "${pair[@]}" --not int8 --as polygraphy
run explain build_log/build.log --node stem/conv --node head/pool
run compare reach/export-before.fsd reach/export-after.fsd -f json
run compare qat_block synthetic/concat-8.6/model.onnx,synthetic/concat-8.6/engine.json
run snapshot "${pair[@]}"
run check gate/before.fsd "${pair[@]}" --policy gate/policy.ini -f sarif
run check gate/damaged.fsd "${pair[@]}"
run --dump model onnx/control.onnx
run --dump model onnx/invalid.onnx
run --dump engine log/inspector.log
run --dump engine log/old-syntax.log
for folder in synthetic/*/; do
    run "$folder/model.onnx" "$folder/engine.json" --log "$folder/engine.log"
    run "$folder/model.onnx" "$folder/engine.names.json"
done
echo "$runs runs"
exit $failed
