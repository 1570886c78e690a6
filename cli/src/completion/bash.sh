_redqueen() {
    local IFS=$'\013' line=${COMP_LINE:0:COMP_POINT} words=() word prefix
    # bash breaks words at : and =, which specs are full of: split the line at blanks instead.
    IFS=$' \t' read -ra words <<<"$line"
    [[ "$line" == *[[:blank:]] ]] && words+=("")
    word=${words[${#words[@]} - 1]}
    COMPREPLY=($(_CLAP_IFS="$IFS" _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) VARIABLE=bash "COMPLETER" -- "${words[@]}"))
    # What stands before the last break is in the line already.
    prefix=${word%"${word##*[:=]}"}
    [[ -z "$prefix" ]] || COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    [[ "${COMPREPLY-}" =~ [=/:]$ ]] || compopt +o nospace 2>/dev/null
}
complete -o nospace -o bashdefault -F _redqueen redqueen
