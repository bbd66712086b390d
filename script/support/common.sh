# Shared by all scripts: the root of the project, the help, error messages. A script sources this file before it changes
# the folder.
#
# The help of a script is the comment at its top, so that the help needs only the shell.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used by the scripts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=${0%/*} script=${script##*/}/${0##*/}  # script/build

show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# Shows the help and exits if any argument is -h or --help.
help_if_asked() {
  local word
  for word; do
    case $word in -h | --help) show_help; exit 0 ;; esac
  done
}

fail() { echo "$script: $*" >&2; exit 1; }
usage_error() { echo "$script: $*; see $script --help" >&2; exit 2; }
