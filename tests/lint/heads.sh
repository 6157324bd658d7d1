#!/bin/sh
# Checks that every C file begins with a comment on its contents and its design: a reader of 300
# short functions first needs the idea. A comment of a few words would only repeat the file's
# name.
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
