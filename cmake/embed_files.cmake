# Writes a C++ source with files, compressed: cmake -D ROOT=FOLDER -D OUTPUT=FILE.cc -D "FILES=a;b" -P embed_files.cmake
# The paths in FILES are relative to ROOT. The source defines embedded_files() of server/explorer/embedded_files.h.
set(arrays "")
set(entries "")
set(number 0)
foreach(file IN LISTS FILES)
  set(packed ${OUTPUT}.gz)
  execute_process(COMMAND gzip -9nc ${ROOT}/${file} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${packed} bytes HEX)
  file(REMOVE ${packed})
  file(SHA256 ${ROOT}/${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND entries "    {\"${file}\", \"\\\"${hash}\\\"\", text_of(kFile${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed_files.cmake.
#include \"server/explorer/embedded_files.h\"

namespace rocktable {
namespace {

${arrays}
template <std::size_t size>
std::string_view text_of(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size};
}

const EmbeddedFile kFiles[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return kFiles; }

}  // namespace rocktable
")
