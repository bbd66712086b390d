// The files of the explorer, as cmake/embed_files.cmake puts them into the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rocktable {

struct EmbeddedFile {
  std::string_view path;    // `index.html`, `core/render.js`
  std::string_view etag;    // with its quotes; changes with the content
  std::string_view packed;  // gzip
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace rocktable
