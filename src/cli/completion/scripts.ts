/** Completion scripts. Each asks `kobe __complete`, so what is offered is always that of the installed version. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# bash completion of kobe. Load it in this shell:  source <(kobe completion bash)
_kobe() {
    local IFS=$'\\n' line directive=4
    local -a lines words
    local cur="\${COMP_WORDS[COMP_CWORD]}" first=1
    # "--flag=value" is three words to bash.
    [[ $cur == "=" ]] && cur=""
    words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=()
    mapfile -t lines < <("\${COMP_WORDS[0]}" __complete "\${words[@]}" 2>/dev/null)
    for line in "\${lines[@]}"; do
        if [[ $line == :* ]]; then directive="\${line#:}"; continue; fi
        line="\${line%%$'\\t'*}"
        [[ $line == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$line")")
    done
    if [[ $directive == 0 ]]; then compopt -o default 2>/dev/null; COMPREPLY=(); fi
}
complete -F _kobe kobe
`

const ZSH = `#compdef kobe
# zsh completion of kobe. Load it in this shell:  source <(kobe completion zsh)
_kobe() {
    local -a lines candidates
    local line directive=4
    lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "\${lines[@]}"; do
        if [[ $line == :<-> ]]; then directive="\${line#:}"; continue; fi
        [[ -z $line ]] && continue
        # A colon separates value and description for _describe.
        line="\${line//:/\\\\:}"
        candidates+=("\${line/$'\\t'/:}")
    done
    if [[ $directive == 0 ]]; then _files; return; fi
    _describe kobe candidates
}
if [[ "\${funcstack[1]}" == "_kobe" ]]; then _kobe "$@"; else compdef _kobe kobe; fi
`

const FISH = `# fish completion of kobe. Load it in this shell:  kobe completion fish | source
function __kobe_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$lines[-1]" = ":0"
        __fish_complete_path (commandline -ct)
        return
    end
    string match -v -r '^:[0-9]+$' -- $lines
end
complete -c kobe -f -a '(__kobe_complete)'
`

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
