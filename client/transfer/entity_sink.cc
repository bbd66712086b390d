#include "client/transfer/entity_sink.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "base/platform/file.h"

namespace rocktable {
namespace {

std::string partial_of(const std::string& file) { return file + ".partial"; }

}  // namespace

FileSink::FileSink(std::string file, FileSinkOptions options) : file_(std::move(file)), partial_(partial_of(file_)) {
  if (!is_standard_output()) {
    try {
      out_ = std::make_unique<PartialFile>(partial_, options.keep_bytes);
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
  }
  std::ostream& out = out_ ? *out_ : std::cout;
  writer_ = open_entity_writer(options.format, out, out_ ? file_ : "standard output",
                               {.timestamps = false,
                                .columns = std::move(options.columns),
                                .header = options.keep_bytes == 0,
                                .escape_formulas = options.escape_formulas});
}

void FileSink::add(const Entity& entity) {
  const auto properties = view_of(entity.properties);
  writer_->write({entity.key.partition_key, entity.key.row_key, entity.timestamp, properties});
  ++added_;
}

void FileSink::flush() {
  writer_->flush();
  if (out_ && !out_->sync()) fail(std::strerror(errno));
  flushed_ = added_;
}

std::uint64_t FileSink::bytes() const { return is_standard_output() ? 0 : bytes_left_of(file_); }

void FileSink::finish() {
  flush();
  if (!out_) return;
  out_.reset();
  if (!rename_file(partial_, file_)) fail(std::strerror(errno));
}

std::uint64_t FileSink::bytes_left_of(const std::string& file) { return PartialFile::bytes_of(partial_of(file)); }

void FileSink::fail(const std::string& why) const { throw std::runtime_error(file_ + " cannot be written: " + why); }

}  // namespace rocktable
