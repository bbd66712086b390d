# Finds a package of version `minimum` or newer by its CMake config file. Compares the versions itself, because many
# packages reject every other major version (RocksDB 9 if 7.8 is requested).
macro(require_package name minimum)
  find_package(${name} CONFIG REQUIRED)
  if(${name}_VERSION VERSION_LESS ${minimum})
    message(FATAL_ERROR "${name} ${minimum} or newer is needed; ${${name}_DIR} has ${${name}_VERSION}")
  endif()
endmacro()
