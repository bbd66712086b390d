// Folders and small files through rocksdb::Env, so that the same code serves stores on the disk and in
// memory.
#pragma once

#include <rocksdb/env.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

std::string path_in(const std::string& folder, std::string_view name);

// Returns the sorted names in a folder, or nothing if the folder does not exist. This function and all below
// throw StoreFault.
std::vector<std::string> names_in(rocksdb::Env* env, const std::string& folder);

// Removes a folder and the files in it. Does nothing if the folder does not exist.
void remove_folder(rocksdb::Env* env, const std::string& folder);

// Makes creations, renames and removals in the folder durable.
void sync_entries(rocksdb::Env* env, const std::string& folder);

std::string read_file(rocksdb::Env* env, const std::string& path);
// Durable when it returns.
void write_file(rocksdb::Env* env, const std::string& path, const std::string& bytes);

}  // namespace rocktable
