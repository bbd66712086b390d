# Finds a package that tells its version by a CMake file of its own: `minimum` or anything newer. Many of those files refuse
# every other major version (RocksDB 9 where 7.8 is asked for), so the comparison is made here.
macro(require_package name minimum)
  find_package(${name} CONFIG REQUIRED)
  if(${name}_VERSION VERSION_LESS ${minimum})
    message(FATAL_ERROR "${name} ${minimum} or newer is needed; ${${name}_DIR} has ${${name}_VERSION}")
  endif()
endmacro()
