# Boost 1.81 or newer: an older one has no boost::system::result. Sourced by script/bootstrap.
# shellcheck shell=bash

has_boost() {
  local header
  for header in /usr/local/include/boost/version.hpp /usr/include/boost/version.hpp; do
    [ -r "$header" ] || continue
    if [[ $(<"$header") =~ "#define BOOST_VERSION "([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 108100 ]; then
      return 0
    fi
  done
  return 1
}

# Prints the package of it that apt has: the default one, else the newest. Where apt has none, prints a guess and fails:
# before apt's first update that is all there is to go by.
boost_package() {
  local default newest
  default=$(apt-cache show --no-all-versions libboost-dev 2>/dev/null | sed -n 's/^Version: //p')
  newest=$(apt-cache pkgnames libboost1. 2>/dev/null | grep -xE 'libboost1\.(8[1-9]|9[0-9]|[0-9]{3})-dev' | sort -V | tail -n 1)
  if [ -n "$default" ] && dpkg --compare-versions "$default" ge 1.81; then
    echo libboost-dev
  elif [ -n "$newest" ]; then
    echo "$newest"
  elif grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
    echo libboost1.81-dev
    return 1
  else
    echo libboost-dev
    return 1
  fi
}
