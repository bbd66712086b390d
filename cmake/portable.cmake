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

# Moves the debug information of the program into its own file, rocktable.debug.
function(separate_debug_information target)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${target}> $<TARGET_FILE:${target}>.debug
    COMMAND ${CMAKE_STRIP} --strip-all $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=$<TARGET_FILE:${target}>.debug $<TARGET_FILE:${target}>
    VERBATIM)
endfunction()

# Sets `out` to the commit of the sources, at the time of this configuration; after another commit, CMake runs again.
function(find_commit out)
  execute_process(
    COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(
    COMMAND git rev-parse --path-format=absolute --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(log)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
  if(NOT commit)
    set(commit unknown)
  endif()
  set(${out} ${commit} PARENT_SCOPE)
endfunction()

# Call after find_package for RocksDB, pugixml and spdlog.
macro(use_static_libraries)
  set(compression)
  foreach(name snappy z bz2 lz4 zstd)
    find_library(static_${name} lib${name}.a REQUIRED)
    list(APPEND compression ${static_${name}})
  endforeach()
  # The package lists shared libraries, and gflags, which only RocksDB's tools use.
  set_property(TARGET RocksDB::rocksdb PROPERTY INTERFACE_LINK_LIBRARIES ${compression} Threads::Threads)
  set_property(TARGET pugixml::pugixml PROPERTY INTERFACE_LINK_LIBRARIES pugixml::static)
  set_property(TARGET spdlog::spdlog_header_only PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads fmt::fmt-header-only)
endmacro()

# The linker warns that getaddrinfo of a static program may load modules of the system. main() prevents that: it
# restricts the lookup to /etc/hosts and DNS, which are inside glibc.
add_compile_definitions(ROCKTABLE_PORTABLE)
add_link_options(-static LINKER:--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
