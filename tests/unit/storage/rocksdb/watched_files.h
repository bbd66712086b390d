// A file system for tests: counts syncs, fails to create files as a full disk does, and calls a hook before
// reads.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/rocksdb/database/store_environment.h"

namespace rocktable {

// Set members that are not atomic before the store is opened.
class WatchedFiles : public rocksdb::FileSystemWrapper {
 public:
  WatchedFiles() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "WatchedFiles"; }

  std::atomic<int> log_syncs{0};   // syncs of files *.log
  std::atomic<bool> full{false};   // no file can be created in `full_folder`
  std::atomic<int> files_left{0};  // number of files refused in `full_folder` until the disk has space again
  std::atomic<int> refused{0};
  std::string full_folder;
  std::function<void(const std::string& path)>
      before_table_read;  // called with the path of a file *.sst, in the thread that reads

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* out,
                                    rocksdb::IODebugContext* debug) override {
    if (!full_folder.empty() && path.starts_with(full_folder + "/") && is_refused()) {
      ++refused;
      return rocksdb::IOStatus::NoSpace("no space left, says the test");
    }
    const auto status = target()->NewWritableFile(path, options, out, debug);
    if (status.ok() && path.ends_with(".log")) *out = std::make_unique<Log>(std::move(*out), log_syncs);
    return status;
  }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* out,
                                        rocksdb::IODebugContext* debug) override {
    const auto status = target()->NewRandomAccessFile(path, options, out, debug);
    if (status.ok() && path.ends_with(".sst")) *out = std::make_unique<Table>(std::move(*out), path, before_table_read);
    return status;
  }

 private:
  bool is_refused() {
    if (full || files_left <= 0) return full;
    return files_left-- > 0;
  }

  class Log : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Log(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::atomic<int>& syncs)
        : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), syncs_(syncs) {}
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      ++syncs_;
      return rocksdb::FSWritableFileOwnerWrapper::Sync(options, debug);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
      ++syncs_;
      return rocksdb::FSWritableFileOwnerWrapper::Fsync(options, debug);
    }

   private:
    std::atomic<int>& syncs_;
  };

  class Table : public rocksdb::FSRandomAccessFileOwnerWrapper {
   public:
    Table(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, std::string path,
          const std::function<void(const std::string&)>& before)
        : rocksdb::FSRandomAccessFileOwnerWrapper(std::move(file)), path_(std::move(path)), before_(before) {}
    rocksdb::IOStatus Read(std::uint64_t offset, std::size_t size, const rocksdb::IOOptions& options,
                           rocksdb::Slice* out, char* scratch, rocksdb::IODebugContext* debug) const override {
      if (before_) before_(path_);
      return rocksdb::FSRandomAccessFileOwnerWrapper::Read(offset, size, options, out, scratch, debug);
    }

   private:
    const std::string path_;
    const std::function<void(const std::string&)>& before_;
  };
};

// The value of StoreOptions::environment for such files.
class WatchedEnvironment {
 public:
  WatchedFiles& files() { return *files_; }
  const StoreEnvironment& environment() const { return environment_; }

 private:
  std::shared_ptr<WatchedFiles> files_ = std::make_shared<WatchedFiles>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);
  StoreEnvironment environment_{*env_};
};

}  // namespace rocktable
