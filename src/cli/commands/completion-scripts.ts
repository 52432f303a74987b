/** The hidden command that the scripts call. The typed words follow it; the last one is to be completed. */
export const completionCommand = 'complete';

/** The line that stands for the files of the folder, which the shell completes itself. */
export const filesLine = ':files';

const bash = `_reviewctl() {
  local candidate
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    if [[ $candidate == ${filesLine} ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]#=}")
    else
      COMPREPLY+=("$candidate")
    fi
  done < <(reviewctl ${completionCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _reviewctl reviewctl
`;

const zsh = `#compdef reviewctl
_reviewctl() {
  local line
  local -a candidates shown
  while IFS= read -r line; do
    if [[ $line == ${filesLine} ]]; then
      _files
    else
      candidates+=("\${line%%$'\\t'*}")
      shown+=("\${line/$'\\t'/  }")
    fi
  done < <(reviewctl ${completionCommand} -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  compadd -l -d shown -a candidates
}
if [[ $funcstack[1] == _reviewctl ]]; then
  _reviewctl "$@"
else
  compdef _reviewctl reviewctl
fi
`;

const fish = `function __reviewctl_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)
    for line in (reviewctl ${completionCommand} -- $before "$current" 2>/dev/null)
        if test "$line" = ${filesLine}
            __fish_complete_path "$current"
        else
            printf '%s\\n' "$line"
        end
    end
end
complete -c reviewctl -f -a '(__reviewctl_complete)'
`;

/** The completion script of each shell. */
export const completionScripts = { bash, zsh, fish } as const;
