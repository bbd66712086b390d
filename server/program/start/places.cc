#include "server/program/start/places.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <stdexcept>

#include "storage/store_error.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

// Returns why there is no folder in which `path` can be made; empty: there is one, or now there is.
std::string missing_parent(const fs::path& path, bool with_parents) {
  const fs::path parent = path.parent_path();
  std::error_code error;
  if (fs::is_directory(parent, error)) return "";
  if (!with_parents) return "its parent folder " + parent.lexically_normal().string() + " does not exist";
  fs::create_directories(parent, error);
  return error ? error.message() : "";
}

}  // namespace

std::string make_location(const std::string& location, bool with_parents) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(location, error))) return "";
  fs::path folder = fs::absolute(location);
  while (!folder.has_filename()) folder = folder.parent_path();  // trailing slashes
  const auto refuse = [&](const std::string& why) {
    throw StoreError("--location " + location + ": the folder does not exist and cannot be created: " + why);
  };
  if (const std::string why = missing_parent(folder, with_parents); !why.empty()) refuse(why);
  const bool is_made = fs::create_directory(folder, error);
  if (error) refuse(error.message());
  return is_made ? folder.lexically_normal().string() : "";
}

std::string debug_log(const std::string& file, bool with_parents) {
  if (file.empty()) return "";
  std::error_code error;
  if (fs::is_directory(file, error)) {
    const std::string inside = (fs::path(file) / "rocktable-debug.log").string();
    spdlog::warn("--debug {} is a folder: the debug log is {}", file, inside);
    return inside;
  }
  if (const std::string why = missing_parent(fs::absolute(file), with_parents); !why.empty())
    throw std::runtime_error("cannot write the debug log " + file + ": " + why);
  return file;
}

}  // namespace rocktable
