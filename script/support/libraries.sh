# RocksDB and OpenSSL for the programs of the packages, built from Debian's source packages: Debian's RocksDB is built
# without NDEBUG and brings five libraries for compression, which the store does not use; Debian's OpenSSL has ciphers,
# protocols and tools that no client of rocktable needs. Sourced by script/bootstrap, after portable.sh.
#
# The result of a recipe is kept in a folder of the user's cache, whose name has a hash of all that it depends on: this
# file and those of CMake, the versions, the target and the compiler. build/sources/libraries/TARGET leads there.
# shellcheck shell=bash

# Prints the command of a tool for a target, as aarch64-linux-gnu-g++. mingw-w64 has compilers for two kinds of threads;
# std::mutex needs those of POSIX.
tool() {  # TARGET NAME
  case $1,$2 in
    portable,*) echo "$2" ;;
    portable-aarch64,*) echo "aarch64-linux-gnu-$2" ;;
    windows,g??) echo "x86_64-w64-mingw32-$2-posix" ;;
    windows,*) echo "x86_64-w64-mingw32-$2" ;;
  esac
}
toolchain() { echo "$root/cmake/${1#portable-}.cmake"; }  # TARGET
openssl_platform() {  # TARGET
  case $1 in
    portable) echo "linux-$(uname -m)" ;;
    portable-aarch64) echo linux-aarch64 ;;
    windows) echo mingw64 ;;
  esac
}

# Each function and each object is in its own section, so that the linker keeps only what is used. The programs are
# static and not relocated.
readonly library_flags='-DNDEBUG -ffunction-sections -fdata-sections -fno-pie'

source_version() { dpkg-query -W -f '${source:Version}' "$1" 2>/dev/null || echo newest; }  # PACKAGE

# Unpacks the upstream sources of Debian's packages into folders below FOLDER, named as the source packages. Takes the
# version of the installed package that is made of it, or the newest if the archive does not have that one any more.
# Writes what it took to FOLDER/versions, a line each.
get_sources() {  # FOLDER SOURCE:PACKAGE...
  local folder=$1 state pair name archive status=0
  shift
  state=$(mktemp -d)
  get() { (cd "$state" && apt_with deb-src "$state" source --download-only --tar-only "$1"); }
  apt_with deb-src "$state" update || status=1
  for pair; do
    [ $status -eq 0 ] || break
    name=${pair%:*}
    get "$name=$(source_version "${pair#*:}")" || get "$name" || status=1
    archive=$(find "$state" -name "${name}_*.orig.tar.*" ! -name '*.asc')
    mkdir -p "$folder/$name"
    tar -xf "$archive" -C "$folder/$name" --strip-components 1 || status=1
    archive=${archive##*_}
    echo "$name ${archive%.orig.tar.*}" >>"$folder/versions"
  done
  rm -rf "$state"
  return $status
}

# The small libraries, which the build of the program compiles itself (cmake/portable.cmake).
get_compiled() {  # FOLDER
  get_sources "$1" simdjson:libsimdjson-dev pugixml:libpugixml-dev fmtlib:libfmt-dev spdlog:libspdlog-dev
}

# The store needs neither tools nor compression nor counters. PORTABLE: for all processors of the architecture.
# cmake/rocksdb.cmake: which files, and which of them for size.
build_rocksdb() {  # TARGET SOURCE PREFIX
  local target=$1 source=$2 prefix=$3 cross=()
  [ "$target" = portable ] || cross=(-D "CMAKE_TOOLCHAIN_FILE=$(toolchain "$target")")
  cmake -S "$source" -B "$source/build" -G Ninja "${cross[@]}" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_CXX_FLAGS_RELEASE="-O2 $library_flags -ffile-prefix-map=$source=." -D CMAKE_INSTALL_PREFIX="$prefix" \
    -D CMAKE_INSTALL_LIBDIR=lib -D USE_RTTI=1 -D PORTABLE=1 -D FAIL_ON_WARNINGS=OFF -D ROCKSDB_BUILD_SHARED=OFF \
    -D WITH_GFLAGS=OFF -D WITH_TESTS=OFF -D WITH_TOOLS=OFF -D WITH_CORE_TOOLS=OFF -D WITH_BENCHMARK_TOOLS=OFF \
    -D WITH_TRACE_TOOLS=OFF -D WITH_LIBURING=OFF -D WITH_SNAPPY=OFF -D WITH_LZ4=OFF -D WITH_ZLIB=OFF -D WITH_ZSTD=OFF \
    -D WITH_BZ2=OFF -D WITH_PERF_CONTEXT=OFF -D WITH_IOSTATS_CONTEXT=OFF -D WITH_WINDOWS_UTF8_FILENAMES=ON \
    -D ROCKSDB_INSTALL_ON_WINDOWS=ON -D "CMAKE_PROJECT_rocksdb_INCLUDE=$root/cmake/rocksdb.cmake" &&
    ninja -C "$source/build" rocksdb && cmake --install "$source/build"
}

# TLS 1.2 and 1.3 with the ciphers of today, certificates, and what libpq needs: SCRAM, MD5, the interface of engines.
readonly no_openssl=(
  afalgeng aria autoload-config bf blake2 camellia capieng cast cmp cms comp ct des dh dsa dso dtls ec2m filenames gost
  idea legacy md4 mdc2 multiblock nextprotoneg ocb ocsp padlockeng pic psk rc2 rc4 rfc3779 rmd160 seed shared siphash
  siv sm2 sm3 sm4 srp srtp ssl3 tests tls1 tls1_1 ts ui-console whirlpool)

build_openssl() {  # TARGET SOURCE PREFIX
  local target=$1 source=$2 prefix=$3
  (
    cd "$source" || exit
    CC=$(tool "$target" gcc) AR=$(tool "$target" ar) RANLIB=$(tool "$target" ranlib) RC=$(tool "$target" windres)
    # No exception passes through it, so it needs no tables to unwind its stack.
    export CC AR RANLIB RC CFLAGS="-Os $library_flags -fno-asynchronous-unwind-tables"
    ./Configure "$(openssl_platform "$target")" "${no_openssl[@]/#/no-}" --prefix="$prefix" --libdir=lib \
      --openssldir=/etc/ssl && make -s -j "$(nproc)" build_libs && make -s install_dev
  )
}

build_libraries() {  # TARGET PREFIX
  local work status=0
  work=$(mktemp -d)
  export SOURCE_DATE_EPOCH=0  # both keep the time of their build
  get_sources "$work" rocksdb:librocksdb-dev openssl:libssl-dev &&
    build_rocksdb "$1" "$work/rocksdb" "$2" && build_openssl "$1" "$work/openssl" "$2" &&
    [ -e "$2/lib/librocksdb.a" ] && cp "$work/versions" "$2" || status=1
  rm -rf "$work"
  return $status
}

# Builds the libraries of a target if the cache does not have them, and points build/sources/libraries/TARGET there.
need_libraries() {  # TARGET
  local target=$1 cache=${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/rocktable/libraries key folder log
  key=$(
    {
      cat "$root/script/support/libraries.sh" "$root/cmake/rocksdb.cmake"
      [ "$target" = portable ] || cat "$(toolchain "$target")"
      source_version librocksdb-dev
      source_version libssl-dev
      "$(tool "$target" g++)" --version
    } | sha256sum
  )
  folder=$cache/$target-${key:0:16}
  if [ ! -e "$folder/versions" ]; then
    echo "Building RocksDB and OpenSSL for $target; this takes some minutes, once" >&2
    mkdir -p "$cache"
    rm -rf "$folder.new"
    log=$(build_libraries "$target" "$folder.new" 2>&1) || {
      tail -n 50 <<<"$log" >&2
      fail "cannot build the libraries for $target"
    }
    mv "$folder.new" "$folder"
  fi
  mkdir -p "$sources/libraries"
  ln -sfn "$folder" "$sources/libraries/$target"
}
