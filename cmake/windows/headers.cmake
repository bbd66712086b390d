# For Windows: libraries that are only headers, of this machine. Each has a link of its own in a folder of the build,
# because /usr/include also has the headers of this machine's C library.

set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(file boost nlohmann CLI doctest xxhash.h)
  find_path(place_of_${file} ${file} PATHS /usr/local/include /usr/include NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH)
  if(NOT place_of_${file})
    message(FATAL_ERROR "The headers of ${file} are not found; `script/bootstrap --windows` installs them")
  endif()
  file(CREATE_LINK ${place_of_${file}}/${file} ${headers}/${file} SYMBOLIC)
endforeach()
include_directories(SYSTEM ${headers})

foreach(name Boost::headers nlohmann_json::nlohmann_json CLI11::CLI11 doctest::doctest)
  add_library(${name} INTERFACE IMPORTED)
endforeach()
target_link_libraries(Boost::headers INTERFACE ws2_32 mswsock)

# What FindOpenSSL searches for under names of its own when it compiles for Windows
set(LIB_EAY ${libraries}/lib/libcrypto.a CACHE FILEPATH "The library from source" FORCE)
set(SSL_EAY ${libraries}/lib/libssl.a CACHE FILEPATH "The library from source" FORCE)

add_compile_definitions(
  _WIN32_WINNT=0x0A00  # Windows 10
  WIN32_LEAN_AND_MEAN NOMINMAX NOGDI  # windows.h, which Asio includes, has many macros
)
add_compile_options(-Wa,-mbig-obj)  # more sections in an object than the format began with
