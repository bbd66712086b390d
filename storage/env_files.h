// Folders and small files through RocksDB's Env, so that it is the same on the disk and in memory.
#pragma once

#include <rocksdb/env.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

std::string path_in(const std::string& folder, std::string_view name);

// Names, sorted. Empty where there is no such folder. Throws StoreFault.
std::vector<std::string> names_in(rocksdb::Env* env, const std::string& folder);

// With the files in it. Does nothing where there is no such folder. Throws StoreFault.
void remove_folder(rocksdb::Env* env, const std::string& folder);

// What was created, renamed or removed in the folder stays so when the power fails.
void sync_entries(rocksdb::Env* env, const std::string& folder);

std::string read_file(rocksdb::Env* env, const std::string& path);
// Durable when it returns.
void write_file(rocksdb::Env* env, const std::string& path, const std::string& bytes);

}  // namespace rocktable
