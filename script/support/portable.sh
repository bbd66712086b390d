# What the builds need beyond installed packages, from Debian's archive into build/sources: the static libraries of
# libpq, and for the portable builds sources of libraries and packages of another architecture. Changes no setting of
# the system. Sourced by script/bootstrap.
# shellcheck shell=bash

readonly sources=build/sources

# Calls apt-get with package lists of its own: apt_with KIND FOLDER WORD... KIND is the beginning of the lines for apt,
# such as `deb-src`; the rest of each line is an archive of Debian that apt uses on this machine.
apt_with() {
  local kind=$1 state=$2
  shift 2
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  # shellcheck disable=SC2016  # apt-get expands the names
  [ -s "$state/sources.list" ] ||
    apt-get indextargets --format "$kind \$(REPO_URI) \$(CODENAME) \$(COMPONENT)" 'Created-By: Packages' 'Origin: Debian' |
    sort -u >"$state/sources.list"
  touch "$state/status"
  apt-get -q -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root "$@" 2>&1
}

# Runs a function that writes to a new folder, which becomes build/sources/NAME if it succeeds. Does nothing if that
# folder has the file FILE.
once() {  # NAME FILE FUNCTION
  local target=$sources/$1 log
  [ ! -e "$target/$2" ] || return 0
  rm -rf "$target.new"
  mkdir -p "$target.new"
  log=$("$3" "$(cd "$target.new" && pwd)") || { echo "$log" >&2; fail "cannot prepare $target"; }
  rm -rf "$target"
  mv "$target.new" "$target"
}

# Downloads two packages of one version to the folder: libpq-dev, and the server's headers. WORD... is apt-get with its
# options.
download_libpq() {  # FOLDER WORD...
  local folder=$1 version
  shift
  (
    cd "$folder" && rm -f ./*.deb && "$@" download libpq-dev 2>&1 &&
      version=$(dpkg-deb -f libpq-dev_*.deb Version) && "$@" download "postgresql-server-dev-${version%%.*}" 2>&1
  )
}

# Unpacks the static libraries from the packages in the first folder. Installing the second package would bring Clang.
unpack_libpq() {  # FROM TO
  unpack() {  # PACKAGE TO NAME...
    dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --transform 's#.*/##' --no-anchored "${@:3}"
  }
  unpack "$1"/libpq-dev_*.deb "$2" libpq.a &&
    unpack "$1"/postgresql-server-dev-*.deb "$2" libpgcommon_shlib.a libpgport_shlib.a
}

# The package lists of this machine serve if they are up to date.
get_libpq() {
  local folder=$1 state
  state=$(mktemp -d)
  mkdir "$state/packages"
  { download_libpq "$state/packages" apt-get -q ||
    { apt_with deb "$state" update && download_libpq "$state/packages" apt_with deb "$state"; }; } &&
    unpack_libpq "$state/packages" "$folder"
  local status=$?
  rm -rf "$state"
  return $status
}

readonly aarch64_packages=(
  libpq-dev nlohmann-json3-dev libcli11-dev libxxhash-dev)

get_aarch64() {
  local folder=$1 state package
  state=$(mktemp -d)
  aarch64() {
    apt_with 'deb [arch=arm64]' "$state" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
      -o "Dir::State::status=$state/status" "$@"
  }
  # shellcheck disable=SC2046  # one word for each package
  aarch64 update &&
    aarch64 install --download-only --yes --no-install-recommends "${aarch64_packages[@]}" $(boost_packages) &&
    for package in "$state"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder" || break; done &&
    mkdir "$state/packages" && download_libpq "$state/packages" aarch64 &&
    unpack_libpq "$state/packages" "$folder/usr/lib/aarch64-linux-gnu" &&
    # Some packages' files for CMake name places in the system that they were made for.
    find "$folder/usr" -name '*.cmake' -exec sed -i "s#\([\";]\)/usr\([/\"]\)#\1${folder%.new}/usr\2#g" {} +
  local status=$?
  rm -rf "$state"
  return $status
}
