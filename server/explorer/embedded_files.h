// The files of the explorer, as cmake/embed_files.cmake puts them into the program: one archive, because many small
// files compress badly one by one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rocktable {

struct EmbeddedArchive {
  struct Part {
    std::string_view path;  // `index.html`, `core/render.js`
    std::string_view etag;  // with its quotes; changes with the content
    std::size_t bytes;
  };
  std::string_view packed;      // gzip, of all parts one after the other
  std::size_t bytes;            // unpacked
  std::span<const Part> parts;  // in the order of the archive
};

EmbeddedArchive embedded_archive();

struct EmbeddedFile {
  std::string_view path, etag, content;
};

// Unpacks the archive at the first call, and keeps it. Thread-safe.
std::span<const EmbeddedFile> embedded_files();

}  // namespace rocktable
