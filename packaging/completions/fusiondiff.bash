# Completion of fusiondiff for bash.  The program tells what may stand at the cursor.

_fusiondiff() {
    local rest=${COMP_LINE:0:COMP_POINT} bare word words=() i found=() line cut head

    # readline breaks words at ':' and '=', which stand in names and in options.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        bare=${rest#"${rest%%[![:space:]]*}"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$bare
        if ((${#words[@]})) && [[ $bare == "$rest" ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        rest=${bare#"$word"}
    done
    words=("${words[@]//[\\\"\']/}")
    word=${words[-1]}
    mapfile -t found < <("${words[0]}" help --complete "${words[@]:1}" 2>/dev/null)

    # What readline replaces begins behind the last of its breaks.
    cut=$word
    [[ $COMP_WORDBREAKS != *:* ]] || cut=${cut##*:}
    [[ $COMP_WORDBREAKS != *=* ]] || cut=${cut##*=}
    head=${word%"$cut"}
    COMPREPLY=()
    for line in "${found[@]}"; do
        if [[ $line == files ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${word##*=}")
        else
            line=${line%%$'\t'*}
            line=${line#"$head"}
            [[ ${found[0]} == files ]] || printf -v line %q "$line"
            COMPREPLY+=("$line")
        fi
    done
}
complete -F _fusiondiff fusiondiff
