#include "storage/rocksdb/database/env_files.h"

#include <algorithm>
#include <memory>

#include "storage/rocksdb/database/rocksdb.h"

namespace rocktable {

std::string path_in(const std::string& folder, std::string_view name) { return folder + "/" + std::string(name); }

std::vector<std::string> names_in(rocksdb::Env* env, const std::string& folder) {
  std::vector<std::string> out;
  const auto status = env->GetChildren(folder, &out);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  check(status);
  std::erase_if(out, [](const std::string& name) { return name == "." || name == ".."; });
  std::sort(out.begin(), out.end());
  return out;
}

void remove_folder(rocksdb::Env* env, const std::string& folder) {
  if (!env->FileExists(folder).ok()) return;
  for (const auto& name : names_in(env, folder)) check(env->DeleteFile(path_in(folder, name)));
  check(env->DeleteDir(folder));
}

void sync_entries(rocksdb::Env* env, const std::string& folder) {
  std::unique_ptr<rocksdb::Directory> directory;
  if (env->NewDirectory(folder, &directory).ok()) check(directory->Fsync());
}

std::string read_file(rocksdb::Env* env, const std::string& path) {
  std::string out;
  check(rocksdb::ReadFileToString(env, path, &out));
  return out;
}

void write_file(rocksdb::Env* env, const std::string& path, const std::string& bytes) {
  constexpr bool kSync = true;
  check(rocksdb::WriteStringToFile(env, bytes, path, kSync));
}

}  // namespace rocktable
