#include "server/explorer/embedded_files.h"

#include <boost/beast/zlib/inflate_stream.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace rocktable {
namespace {

// `gzip -n` writes a header without name and time. Source: RFC 1952
constexpr std::size_t kHeader = 10, kTrailer = 8;

std::string unpack(const EmbeddedArchive& archive) {
  namespace zlib = boost::beast::zlib;
  std::string out(archive.bytes, '\0');
  zlib::z_params params;
  params.next_in = archive.packed.data() + kHeader;
  params.avail_in = archive.packed.size() - kHeader - kTrailer;
  params.next_out = out.data();
  params.avail_out = out.size();
  zlib::inflate_stream stream;
  boost::system::error_code error;
  stream.write(params, zlib::Flush::sync, error);
  if (params.avail_out > 0) throw std::runtime_error("the files of the explorer are damaged");
  return out;
}

struct Files {
  std::string text;
  std::vector<EmbeddedFile> files;
};

Files unpack_files() {
  const EmbeddedArchive archive = embedded_archive();
  Files out{unpack(archive), {}};
  std::string_view rest = out.text;
  for (const auto& part : archive.parts) {
    out.files.push_back({part.path, part.etag, rest.substr(0, part.bytes)});
    rest.remove_prefix(part.bytes);
  }
  return out;
}

}  // namespace

std::span<const EmbeddedFile> embedded_files() {
  static const Files* const kFiles = new Files(unpack_files());  // never destroyed: threads may still read it
  return kFiles->files;
}

}  // namespace rocktable
