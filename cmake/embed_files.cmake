# Writes a C++ source with text files, as one gzip archive:
#
#   cmake -D ROOT=FOLDER -D OUTPUT=FILE.cc -D "FILES=a;b" -P embed_files.cmake
#
# The paths in FILES are relative to ROOT. The source defines embedded_archive() of server/explorer/embedded_files.h.
# Comments, indentation and empty lines are left out: they are a sixth of the archive. A comment after code must not hold
# quotes, so that no text in quotes is taken for one. zopfli packs a twentieth better than gzip does.
set(all "")
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} text)
  if(file MATCHES "\\.js$")
    string(REGEX REPLACE "\n[ \t]*//[^\n]*" "" text "\n${text}")
    string(SUBSTRING "${text}" 1 -1 text)
    string(REGEX REPLACE "[ \t]+// [^\n`'\"]*\n" "\n" text "${text}")
  elseif(file MATCHES "\\.css$")
    string(REGEX REPLACE "/\\*[^*]*\\*/" "" text "${text}")
    string(REGEX REPLACE "[ \n\t]*([{},>])[ \n\t]*" "\\1" text "${text}")
  endif()
  string(REGEX REPLACE "\n[ \n\t]+" "\n" text "${text}")
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
