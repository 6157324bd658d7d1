# Completion of fusiondiff for fish.  The program tells what may stand at the cursor.

function __fusiondiff_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct | string trim --left)
    for line in ($words[1] help --complete $words[2..] "$typed" 2>/dev/null)
        if test "$line" = files
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$typed")
        else
            printf '%s\n' $line
        end
    end
end

complete -c fusiondiff -f -a '(__fusiondiff_complete)'
