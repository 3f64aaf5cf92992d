
# After -- complete the program.
function _mpipp_program
  set -l tokens (commandline -opc) (commandline -ct)
  set -l end (contains -i -- -- $tokens)
  complete -C (string join -- ' ' $tokens[(math $end + 1)..-1])
end

complete -c mpipp -n 'contains -- -- (commandline -opc)' -xa '(_mpipp_program)'
