// Checks the type of a file before and after opening it.
#include "base/input_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/platform/file.h"

namespace rocktable {
namespace {

// Returns an empty string for a regular file.
std::string why_not(const FileStatus& status) {
  const char* what = "special file";
  switch (status.kind) {
    case FileStatus::Kind::Regular:
      return {};
    case FileStatus::Kind::Folder:
      what = "folder";
      break;
    case FileStatus::Kind::Pipe:
      what = "pipe";
      break;
    case FileStatus::Kind::Socket:
      what = "socket";
      break;
    case FileStatus::Kind::Device:
      what = "device";
      break;
    default:
      break;
  }
  return std::string("it is a ") + what + ", not a regular file";
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + " cannot be read: " + why);
}

}  // namespace

std::string why_not_a_regular_file(const std::string& path) {
  const auto status = status_of(path);
  return status ? why_not(*status) : std::strerror(errno);
}

// Checks the type before opening, because opening a device may have an effect. File::open() covers a pipe that replaces
// the file between the check and the opening.
InputFile::InputFile(const std::string& path) : std::istream(nullptr) {
  if (const std::string why = why_not_a_regular_file(path); !why.empty()) refuse(path, why);
  File file = File::open(path, OpenMode::Read);
  const auto status = file.status();
  if (!status) refuse(path, std::strerror(errno));
  if (const std::string why = why_not(*status); !why.empty()) refuse(path, why);
  size_ = status->size;
  buffer_ = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(file.release(), std::ios::in | std::ios::binary);
  rdbuf(buffer_.get());
}

std::string read_file(const std::string& path) {
  InputFile in(path);
  std::string out((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) throw std::runtime_error("cannot read " + path);
  return out;
}

}  // namespace rocktable
