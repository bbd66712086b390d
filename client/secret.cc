#include "client/secret.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace rocktable {

const char* const kAboutSecrets = "--controlToken also accepts @FILE and env:NAME, hidden from other users.\n";

namespace {

constexpr std::size_t kMaxBytes = 64 * 1024;
constexpr std::string_view kFile = "@", kVariable = "env:";

// `file` may be a pipe, such as a shell's <(command).
std::string contents_of(const std::string& file, const std::string& flag) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad())
    throw std::runtime_error(flag + ": " + file + " cannot be read: " + std::strerror(errno != 0 ? errno : EIO));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxBytes)
    throw std::runtime_error(flag + ": " + file + " is longer than " + std::to_string(kMaxBytes) + " bytes");
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (text.empty()) throw std::runtime_error(flag + ": " + file + " is empty");
  return text;
}

std::string variable(const std::string& name, const std::string& flag) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) throw std::runtime_error(flag + ": the variable " + name + " is not set");
  if (*value == '\0') throw std::runtime_error(flag + ": the variable " + name + " is empty");
  return value;
}

}  // namespace

std::string read_secret(const std::string& given, const std::string& flag) {
  if (given.starts_with(kFile)) return contents_of(given.substr(kFile.size()), flag);
  if (given.starts_with(kVariable)) return variable(given.substr(kVariable.size()), flag);
  return given;
}

bool is_secret_reference(const std::string& given) { return given.starts_with(kFile) || given.starts_with(kVariable); }

}  // namespace rocktable
