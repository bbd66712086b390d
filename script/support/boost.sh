# Boost 1.81 or newer, with Boost.URL and Boost.Context: older versions have no boost::system::result. Sourced by
# script/bootstrap.
# shellcheck shell=bash

has_boost_library() {  # PREFIX NAME
  compgen -G "$1/lib/libboost_$2.*" >/dev/null || compgen -G "$1/lib/*/libboost_$2.*" >/dev/null
}

has_boost() {
  local prefix
  for prefix in /usr/local /usr; do
    [ -r "$prefix/include/boost/version.hpp" ] || continue
    [[ $(<"$prefix/include/boost/version.hpp") =~ "#define BOOST_VERSION "([0-9]+) ]] || continue
    [ "${BASH_REMATCH[1]}" -ge 108100 ] || continue
    has_boost_library "$prefix" url && has_boost_library "$prefix" context && return 0
  done
  return 1
}

# Prints the packages of one version of Boost that apt has: the default version, otherwise the newest. If apt has none,
# prints a guess and fails: before the first `apt-get update`, apt has no package lists.
boost_packages() {
  local default newest
  default=$(apt-cache show --no-all-versions libboost-dev 2>/dev/null | sed -n 's/^Version: //p')
  newest=$(apt-cache pkgnames libboost1. 2>/dev/null | sed -nE 's/^libboost(1\.(8[1-9]|9[0-9]|[0-9]{3}))-dev$/\1/p' |
    sort -V | tail -n 1)
  if [ -n "$default" ] && dpkg --compare-versions "$default" ge 1.81; then
    echo libboost-dev libboost-context-dev libboost-url-dev
  elif [ -n "$newest" ]; then
    echo "libboost$newest-dev" "libboost-context$newest-dev" "libboost-url$newest-dev"
  elif grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    echo libboost1.81-dev libboost-context1.81-dev libboost-url1.81-dev
    return 1
  else
    echo libboost-dev libboost-context-dev libboost-url-dev
    return 1
  fi
}
