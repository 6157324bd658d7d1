#!/bin/sh
# run.sh PROGRAM: PROGRAM, built from faults.c, ends with status 99 and prints the line of each fault that it commits.
source=$(dirname "$0")/faults.c
failed=0
for fault in overflow table block; do
    line=$(grep -n "fault: $fault" "$source" | cut -d: -f1)
    said=$("$1" $fault 2>&1)
    status=$?
    if [ $status -ne 99 ] || ! echo "$said" | grep -q "faults\.c:$line"; then
        echo "$fault: expected status 99 and faults.c:$line, found status $status and: $said"
        failed=1
    fi
done
"$1" none || { echo "none: it fails without a fault"; failed=1; }
exit $failed
