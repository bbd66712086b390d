#include "base/folder_swap.h"

#include <fstream>
#include <system_error>

#include "base/platform/folders.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

// Returns the path with all links resolved except the last component.
fs::path with_real_parent(const fs::path& path) {
  const fs::path name = path.filename();
  if (name.empty() || name == "." || name == "..") return fs::weakly_canonical(path);
  return fs::weakly_canonical(path.parent_path()) / name;
}

}  // namespace

fs::path swap_leftover(const fs::path& b) { return b.string() + ".aside"; }

fs::path real_path(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  fs::path out = with_real_parent(fs::absolute(path));
  for (int links = 0; fs::is_symlink(out); ++links) {
    if (links == kMaxLinks)
      throw fs::filesystem_error("too many links", path,
                                 std::make_error_code(std::errc::too_many_symbolic_link_levels));
    out = with_real_parent(out.parent_path() / fs::read_symlink(out));
  }
  return out;
}

void keep_out_of_git(const fs::path& folder) noexcept {
  try {
    const fs::path file = folder / ".gitignore";
    std::error_code ignored;
    // A crash may have left an empty file, which is written again.
    if (!fs::is_directory(folder, ignored) || fs::is_symlink(file, ignored)) return;
    if (fs::exists(file, ignored) && !fs::is_empty(file, ignored)) return;
    std::ofstream(file) << "*\n";
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nothing depends on it
  }
}

void swap_folders(const fs::path& a, const fs::path& b) {
  const std::error_code error = exchange_folders(a, b);
  if (!error) return;
  if (error != std::errc::function_not_supported) throw fs::filesystem_error("cannot exchange folders", a, b, error);
  fs::rename(b, swap_leftover(b));
  try {
    fs::rename(a, b);
  } catch (const fs::filesystem_error&) {
    fs::rename(swap_leftover(b), b);
    throw;
  }
  try {
    fs::rename(swap_leftover(b), a);
  } catch (const fs::filesystem_error&) {
    fs::rename(b, a);
    fs::rename(swap_leftover(b), b);
    throw;
  }
}

void finish_interrupted_swap(const fs::path& b, std::error_code& error) {
  if (!fs::exists(b, error) && fs::exists(swap_leftover(b), error)) fs::rename(swap_leftover(b), b, error);
}

}  // namespace rocktable
