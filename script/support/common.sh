# What the scripts share: where the project is, their help, and how they end. Sourced before they change the folder.
#
# The comment on top of a script is its help, so asking for it needs nothing but this shell.
# shellcheck shell=bash

# shellcheck disable=SC2034  # for the scripts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=${0%/*} script=${script##*/}/${0##*/}  # script/build

show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# Shows the help and ends where any argument asks for it.
help_if_asked() {
  local word
  for word; do
    case $word in -h | --help) show_help; exit 0 ;; esac
  done
}

fail() { echo "$script: $*" >&2; exit 1; }
usage_error() { echo "$script: $*; see $script --help" >&2; exit 2; }
