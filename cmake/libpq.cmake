# libpq, the client library of PostgreSQL: the target `libpq`.
#
# Links it statically if its three archives are found. The shared library loads 18 others (Kerberos, LDAP, GnuTLS) at
# each start of the program, also if no database is used. Debian has libpq.a in the package libpq-dev, and the other
# two in the server's; `script/bootstrap` unpacks them to build/sources/libpq. Other distributions have all or none of
# them where the linker looks.

find_path(LIBPQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql pgsql)
if(NOT LIBPQ_INCLUDE)
  message(FATAL_ERROR "libpq-fe.h is not found; `script/bootstrap` installs its package, libpq-dev")
endif()
foreach(name pq pgcommon pgport)  # the names with _shlib are made for libpq, the others for PostgreSQL's programs
  find_library(LIBPQ_${name}_ARCHIVE NAMES lib${name}_shlib.a lib${name}.a
    HINTS ${PROJECT_SOURCE_DIR}/build/sources/libpq)
endforeach()
set(archives ${LIBPQ_pq_ARCHIVE} ${LIBPQ_pgcommon_ARCHIVE} ${LIBPQ_pgport_ARCHIVE})

# An archive may need more than OpenSSL and what no_gssapi_ldap.cc replaces, depending on how it was built.
# ThreadSanitizer needs the shared library, as it does of RocksDB.
set(link_libpq_statically FALSE)
if(NOT archives MATCHES "NOTFOUND" AND NOT SANITIZE STREQUAL "tsan")
  set(link_options)
  if(PORTABLE)
    set(link_options -static)  # as the program, which cannot be relocated
  endif()
  try_compile(link_libpq_statically
    SOURCE_FROM_CONTENT connect.cc "#include <libpq-fe.h>\nint main() { return PQconnectdb(\"\") == nullptr; }\n"
    SOURCES ${PROJECT_SOURCE_DIR}/storage/postgres/database/no_gssapi_ldap.cc
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${LIBPQ_INCLUDE}
    LINK_OPTIONS ${link_options}
    LINK_LIBRARIES ${archives} OpenSSL::SSL OpenSSL::Crypto
    OUTPUT_VARIABLE reason
    NO_CACHE)
  if(NOT link_libpq_statically)
    message(STATUS "The archives of libpq cannot be linked:\n${reason}")
  endif()
endif()

add_library(libpq INTERFACE)
target_include_directories(libpq SYSTEM INTERFACE ${LIBPQ_INCLUDE})
if(link_libpq_statically)
  target_link_libraries(libpq INTERFACE ${archives} no_gssapi_ldap OpenSSL::SSL OpenSSL::Crypto)
elseif(PORTABLE)
  message(FATAL_ERROR "The static program needs libpq.a, libpgcommon_shlib.a and libpgport_shlib.a; "
    "`script/bootstrap --portable` (or --portable-aarch64) gets them. Found: ${archives}")
else()
  find_library(LIBPQ_SHARED pq REQUIRED)
  target_link_libraries(libpq INTERFACE ${LIBPQ_SHARED})
endif()
