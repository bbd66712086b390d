# For PORTABLE: replaces shared libraries by static ones, so that the program needs nothing of the system that it runs on.
# Debian's packages of simdjson, spdlog and fmt have no static library: simdjson is compiled from Debian's source package
# (`script/bootstrap --portable`), and spdlog and fmt are used as headers.

set(SIMDJSON_SOURCE ${PROJECT_SOURCE_DIR}/build/sources/simdjson CACHE PATH "Source of simdjson, unpacked")
if(NOT EXISTS ${SIMDJSON_SOURCE}/src/simdjson.cpp)
  message(FATAL_ERROR "${SIMDJSON_SOURCE} has no source of simdjson; `script/bootstrap --portable` installs it")
endif()
add_library(simdjson STATIC ${SIMDJSON_SOURCE}/src/simdjson.cpp)
target_include_directories(simdjson SYSTEM PUBLIC ${SIMDJSON_SOURCE}/include PRIVATE ${SIMDJSON_SOURCE}/src)
target_compile_options(simdjson PRIVATE -w)
add_library(simdjson::simdjson ALIAS simdjson)

set(OPENSSL_USE_STATIC_LIBS ON)

# Sets `out` to the static library `name`.
function(find_static_library out name)
  find_library(${out} lib${name}.a REQUIRED NO_CACHE)
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# Call after find_package for RocksDB, pugixml and spdlog.
macro(use_static_libraries)
  set(compression)
  foreach(name snappy z bz2 lz4 zstd)
    find_static_library(library ${name})
    list(APPEND compression ${library})
  endforeach()
  # The package lists shared libraries, and gflags, which only RocksDB's tools use.
  set_property(TARGET RocksDB::rocksdb PROPERTY INTERFACE_LINK_LIBRARIES ${compression} Threads::Threads)
  set_property(TARGET pugixml::pugixml PROPERTY INTERFACE_LINK_LIBRARIES pugixml::static)
  set_property(TARGET spdlog::spdlog_header_only PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads fmt::fmt-header-only)
endmacro()

# The linker warns that getaddrinfo of a static program may load modules of the system. main() prevents that.
add_compile_definitions(ROCKTABLE_PORTABLE)
add_link_options(-static LINKER:--no-warnings LINKER:--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
