
# The options of mpipp, and after -- the completion of the program.
_mpipp() {
  local index option
  for (( index = 2; index < COMP_CWORD; index++ )); do
    if [[ ${COMP_WORDS[index]} == -- ]]; then
      _mpipp_program "$(( index + 1 ))"
      return
    fi
  done
  # Bash splits --option=value into three words.
  if [[ $COMP_CWORD -ge 3 && ${COMP_WORDS[COMP_CWORD]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
    COMP_WORDS=("${COMP_WORDS[@]:0:COMP_CWORD - 1}" "$option=" "")
  elif [[ $COMP_CWORD -ge 4 && ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
    COMP_WORDS=("${COMP_WORDS[@]:0:COMP_CWORD - 2}" "$option=" "${COMP_WORDS[COMP_CWORD]}")
    COMP_CWORD=$(( COMP_CWORD - 1 ))
  fi
  if [[ -n $option ]]; then
    local known="_shtab_mpipp_$(_shtab_replace_nonword "${COMP_WORDS[1]}")_option_strings[*]"
    [[ " ${!known} " == *" $option= "* ]] || COMP_WORDS[COMP_CWORD - 1]=$option
  fi
  _shtab_mpipp
  compopt +o nospace
  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}

# Complete a program, which is the word $1, or its arguments.
_mpipp_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (( COMP_CWORD == $1 )); then
    _mpipp_commands "${COMP_WORDS[COMP_CWORD]}"
  fi
  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}

_mpipp_commands() {
  compgen -c -- "$1"
}

complete -o bashdefault -F _mpipp mpipp
