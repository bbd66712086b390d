// Files, as far as the standard library cannot say it: rights, durability, locks, links, and no waiting for pipes.
//
// A call that fails returns false, nullopt or a closed File, and leaves the reason in errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/platform/terminal.h"

namespace rocktable {

// Who may use a new file. On Windows: an access control list that grants the owner, the system and administrators
// everything, or the list that the folder gives to its files.
enum class FileRights {
  OwnerOnly,      // only its owner reads and writes it
  ReadableByAll,  // its owner writes it, all read it, whatever the umask
  Usual           // as for any new file: reduced by the umask
};

enum class OpenMode { Read, ReadWrite, Append };
enum class Links { Follow, Refuse };  // what is done if the name is a symbolic link

struct FileStatus {
  enum class Kind { Regular, Folder, Pipe, Socket, Device, Link, Other };

  Kind kind = Kind::Other;
  std::uint64_t size = 0;                  // bytes
  std::uint64_t links = 0;                 // names of the file
  std::uint64_t device = 0, number = 0;    // together they identify the file
  std::int64_t modified = 0, changed = 0;  // nanoseconds; `changed` includes changes of name and rights
};

enum class LockOutcome { Locked, HeldByAnother, Unsupported };

// Owns a file descriptor. Child processes do not inherit it.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(File&& other) noexcept : descriptor_(other.release()) {}
  File& operator=(File&& other) noexcept {
    if (this != &other) {
      close();
      descriptor_ = other.release();
    }
    return *this;
  }

  // Opens an existing file. Does not wait for the other end of a pipe. With Links::Refuse, errno is ELOOP for a link.
  static File open(const std::filesystem::path& path, OpenMode mode, Links links = Links::Follow);
  // Creates a file that did not exist: errno is EEXIST for any other, also for a link to nothing. It can be read and
  // written.
  static File create(const std::filesystem::path& path, FileRights rights);
  // Creates a file with a name that nobody can predict: `path` and a suffix. Sets `path` to it. `rights` are not Usual.
  static File create_unique(std::filesystem::path& path, FileRights rights);
  // Another descriptor of the stream, which stays open.
  static File duplicate_of(StandardStream stream);

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  void close();

  // If the file is closed because it could not be opened, errno keeps that reason.
  std::optional<FileStatus> status() const;
  // Returns the number of bytes, 0 at the end; nullopt on failure.
  std::optional<std::size_t> read(char* to, std::size_t size) const;
  std::optional<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t size) const;
  // Returns the number of bytes, which may be fewer if the disk is full. One call of the system: a kill in it leaves
  // a part at most.
  std::optional<std::size_t> write_at(std::uint64_t offset, std::string_view text) const;
  // Writes all of the text, also to a pipe whose reader is slow. Returns false if that fails, such as when the reader
  // is gone.
  bool write_all(std::string_view text) const;
  bool truncate(std::uint64_t size) const;
  // Waits until the bytes are on the disk. Returns true for files that cannot do that, such as those of some networks.
  bool sync() const;
  // Locks the file for this object, until it is closed or the process ends. Does not wait.
  LockOutcome lock() const;

 private:
  int descriptor_;
};

// As File::sync(), for a descriptor that a stream owns.
bool sync_descriptor(int descriptor);

// With Links::Refuse: that of a link itself.
std::optional<FileStatus> status_of(const std::filesystem::path& path, Links links = Links::Follow);

// Replaces a file `to` in one step, also if others have it open (on systems without such renames: if they close it
// within a second).
bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
// Gives a file a further name. errno is EEXIST if there is a file of that name.
bool link_file(const std::filesystem::path& from, const std::filesystem::path& to);
bool remove_file(const std::filesystem::path& path);

// Whether only its owner, who is the user or the system, can read the file. True if it cannot be found out.
bool is_private(const std::filesystem::path& path);

}  // namespace rocktable
