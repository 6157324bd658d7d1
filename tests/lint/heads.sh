#!/bin/sh
# Every C file begins with a comment on what it holds and why it is as it is: whoever opens
# a file of 300 short functions needs the idea before the functions.  A comment of a few
# words only repeats the file's name.
cd "$(dirname "$0")/../.." || exit 2
find bench fixtures python src tests -name '*.[ch]' -exec awk '
    FNR == 1 { open = /^\/\*/; text = "" }
    FNR == 1 && !open { print FILENAME ": begins without a comment"; bad = 1 }
    open { text = text $0 }
    open && /\*\// {
        open = 0
        if (length(text) < 30) { print FILENAME ": its first comment says too little"; bad = 1 }
    }
    END { exit bad }' {} +
