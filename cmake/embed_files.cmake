# Writes a C++ source with text files, as one gzip archive:
#
#   cmake -D ROOT=FOLDER -D OUTPUT=FILE.cc -D "FILES=a;b" -P embed_files.cmake
#
# The paths in FILES are relative to ROOT. The source defines embedded_archive() of server/explorer/embedded_files.h.
# esbuild leaves out comments and blanks, and shortens local names: a third of the archive. zopfli packs a twentieth
# better than gzip does.
set(all "")
set(entries "")
foreach(file IN LISTS FILES)
  if(file MATCHES "\\.(js|css)$")
    execute_process(COMMAND esbuild ${ROOT}/${file} --minify --charset=utf8 --target=es2022 --log-level=warning
      OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(READ ${ROOT}/${file} text)
    string(REGEX REPLACE "\n[ \n\t]+" "\n" text "${text}")
  endif()
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 hash)
  string(LENGTH "${text}" size)
  string(APPEND all "${text}")
  string(APPEND entries "    {\"${file}\", \"\\\"${hash}\\\"\", ${size}},\n")
endforeach()
string(LENGTH "${all}" size)
file(WRITE ${OUTPUT}.txt "${all}")
execute_process(COMMAND zopfli -c ${OUTPUT}.txt OUTPUT_FILE ${OUTPUT}.gz COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.gz bytes HEX)
file(REMOVE ${OUTPUT}.txt ${OUTPUT}.gz)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Written by cmake/embed_files.cmake.
#include \"server/explorer/embedded_files.h\"

namespace rocktable {
namespace {

constexpr unsigned char kPacked[] = {${bytes}};

constexpr EmbeddedArchive::Part kArchiveParts[] = {
${entries}};

}  // namespace

EmbeddedArchive embedded_archive() {
  return {{reinterpret_cast<const char*>(kPacked), sizeof kPacked}, ${size}, kArchiveParts};
}

}  // namespace rocktable
")
