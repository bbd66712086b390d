# For Windows on x86-64: Debian's mingw-w64, with POSIX threads, which std::mutex and std::thread need.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Of an inline function or a template that several files have, the linker keeps one. GCC takes care of that only where such
# functions are weak symbols, and they are not in Windows' form of object files: a caller trusts which registers and which
# alignment of the stack the function in its own file needs. Another one, compiled with other options, needs others.
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-ipa-ra;-fno-ipa-stack-alignment>")
