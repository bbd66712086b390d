// Checks the type of a file before and after opening it.
#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rocktable {
namespace {

// Returns an empty string for a regular file.
std::string why_not(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return {};
  const char* what = S_ISDIR(status.st_mode)                              ? "folder"
                     : S_ISFIFO(status.st_mode)                           ? "pipe"
                     : S_ISSOCK(status.st_mode)                           ? "socket"
                     : S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? "device"
                                                                          : "special file";
  return std::string("it is a ") + what + ", not a regular file";
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + " cannot be read: " + why);
}

}  // namespace

std::string why_not_a_regular_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? why_not(status) : std::strerror(errno);
}

// Checks the type before opening, because opening a device may have an effect. O_NONBLOCK covers a file that
// is replaced between the check and the opening.
InputFile::InputFile(const std::string& path) : std::istream(nullptr) {
  if (const std::string why = why_not_a_regular_file(path); !why.empty()) refuse(path, why);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) refuse(path, std::strerror(errno));
  buffer_ = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(descriptor, std::ios::in | std::ios::binary);
  rdbuf(buffer_.get());
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) refuse(path, std::strerror(errno));
  if (const std::string why = why_not(status); !why.empty()) refuse(path, why);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::string read_file(const std::string& path) {
  InputFile in(path);
  std::string out((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) throw std::runtime_error("cannot read " + path);
  return out;
}

}  // namespace rocktable
