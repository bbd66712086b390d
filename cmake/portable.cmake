# For PORTABLE: replaces shared libraries by static ones, so that the program needs nothing of the system that it runs on.
# RocksDB and OpenSSL are built by `script/bootstrap --portable` (script/support/libraries.sh says why). The small
# libraries are compiled here, for size, from Debian's source packages: Debian has no static library of most of them.

set(sources ${PROJECT_SOURCE_DIR}/build/sources/compiled)
set(LIBRARY_TARGET portable CACHE STRING "Target of the built libraries")
set(libraries ${PROJECT_SOURCE_DIR}/build/sources/libraries/${LIBRARY_TARGET})
foreach(file ${sources}/spdlog/src/spdlog.cpp ${libraries}/lib/librocksdb.a)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is missing; `script/bootstrap --portable` (for ARM64: --portable-aarch64) prepares it")
  endif()
endforeach()

# The linker warns that getaddrinfo of a static program may load modules of the system. main() prevents that: it
# restricts the lookup to /etc/hosts and DNS, which are inside glibc.
add_compile_definitions(ROCKTABLE_PORTABLE)
add_link_options(-static LINKER:--gc-sections)
# Addresses are fixed. Borders of loops are not aligned: 3 % of the code.
add_compile_options(-ffunction-sections -fdata-sections -fno-pie -fno-align-jumps -fno-align-labels -fno-align-loops)

file(REAL_PATH ${libraries} libraries)
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS script/support/libraries.sh cmake/rocksdb.cmake)  # their key is in the path
set(RocksDB_DIR ${libraries}/lib/cmake/rocksdb CACHE PATH "The library from source" FORCE)
set(OPENSSL_ROOT_DIR ${libraries} CACHE PATH "The library from source" FORCE)
set(OPENSSL_INCLUDE_DIR ${libraries}/include CACHE PATH "The library from source" FORCE)
set(OPENSSL_SSL_LIBRARY ${libraries}/lib/libssl.a CACHE FILEPATH "The library from source" FORCE)
set(OPENSSL_CRYPTO_LIBRARY ${libraries}/lib/libcrypto.a CACHE FILEPATH "The library from source" FORCE)
set(OPENSSL_USE_STATIC_LIBS ON)

# Adds a static library of the sources in build/sources/compiled/FOLDER.
function(library_from_source name folder optimization)
  list(TRANSFORM ARGN PREPEND ${sources}/${folder}/)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC ${sources}/${folder}/include PRIVATE
    ${sources}/${folder}/src)
  target_compile_options(${name} PRIVATE -w ${optimization})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

library_from_source(simdjson simdjson -O2 src/simdjson.cpp)
target_compile_definitions(simdjson PRIVATE SIMDJSON_IMPLEMENTATION_ICELAKE=0)  # bodies are too small for its registers
library_from_source(pugixml pugixml -Os src/pugixml.cpp)
target_include_directories(pugixml SYSTEM PUBLIC ${sources}/pugixml/src)
library_from_source(fmt fmtlib -Os src/format.cc)
# No message has such numbers.
target_compile_definitions(fmt PUBLIC FMT_USE_INT128=0 FMT_USE_FLOAT=0 FMT_USE_LONG_DOUBLE=0)
library_from_source(spdlog spdlog -Os
  src/spdlog.cpp src/async.cpp src/stdout_sinks.cpp src/color_sinks.cpp src/file_sinks.cpp)
target_compile_definitions(spdlog PUBLIC SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
target_link_libraries(spdlog PUBLIC fmt)
foreach(name simdjson pugixml spdlog)
  add_library(${name}::${name} ALIAS ${name})
endforeach()

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
