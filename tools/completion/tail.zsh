# The options of mpipp, and after -- the completion of the program.
_mpipp() {
  local end=${words[(i)--]}
  if (( end < CURRENT )); then
    shift $end words
    (( CURRENT -= end ))
    _normal
  else
    _shtab_mpipp "$@"
  fi
}

if [[ $zsh_eval_context[-1] == eval ]]; then
  compdef _mpipp -N mpipp
else
  _mpipp "$@"
fi
