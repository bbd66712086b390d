#include "base/platform/file.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// Virus scanners and indexers open files for a moment, and then they cannot be renamed.
constexpr std::chrono::milliseconds kRetryInterval{20};
constexpr int kRetries = 50;

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// The C library's descriptor, for a handle that it closes from then on.
File to_file(Handle handle, int flags) {
  if (!handle) {
    set_errno();
    return File();
  }
  const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor >= 0) handle.release();
  return File(descriptor);
}

std::int64_t nanoseconds(std::int64_t ticks) { return (ticks - 116'444'736'000'000'000) * 100; }  // since 1970

bool is_link(HANDLE handle) {
  FILE_ATTRIBUTE_TAG_INFO info{};
  return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof info) != 0 &&
         (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (info.ReparseTag == IO_REPARSE_TAG_SYMLINK || info.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

std::optional<FileStatus> status_of_handle(HANDLE handle) {
  FileStatus out;
  const DWORD type = GetFileType(handle);
  if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) {
    out.kind = type == FILE_TYPE_PIPE ? FileStatus::Kind::Pipe : FileStatus::Kind::Device;
    return out;
  }
  BY_HANDLE_FILE_INFORMATION info{};
  FILE_BASIC_INFO basic{};
  if (GetFileInformationByHandle(handle, &info) == 0 ||
      GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) == 0) {
    set_errno();
    return std::nullopt;
  }
  const bool is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  out.kind = is_link(handle) ? FileStatus::Kind::Link
             : is_folder     ? FileStatus::Kind::Folder
                             : FileStatus::Kind::Regular;
  out.size = (std::uint64_t{info.nFileSizeHigh} << 32) | info.nFileSizeLow;
  out.links = info.nNumberOfLinks;
  out.device = info.dwVolumeSerialNumber;
  out.number = (std::uint64_t{info.nFileIndexHigh} << 32) | info.nFileIndexLow;
  out.modified = nanoseconds(basic.LastWriteTime.QuadPart);
  out.changed = nanoseconds(basic.ChangeTime.QuadPart);
  return out;
}

bool is_pipe_name(const std::filesystem::path& path) {
  std::wstring name = path.wstring();
  std::replace(name.begin(), name.end(), L'/', L'\\');
  return _wcsnicmp(name.c_str(), L"\\\\.\\pipe\\", 9) == 0;
}

OVERLAPPED at_offset(std::uint64_t offset) {
  OVERLAPPED out{};
  out.Offset = static_cast<DWORD>(offset);
  out.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return out;
}

bool may_pass(DWORD error) { return error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED; }

// As POSIX renames: also over a file that others have open. Since Windows 10; sets the last error elsewhere.
bool rename_over_open_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  constexpr DWORD kReplace = 1, kPosix = 2, kIgnoreReadOnly = 0x40;
  constexpr auto kRenameInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  struct RenameInfo {  // FILE_RENAME_INFO with flags
    DWORD flags;
    HANDLE root;
    DWORD bytes;
    wchar_t name[1];
  };
  const Handle file(CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShareAll, nullptr, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) return false;
  std::error_code error;
  const std::wstring name = std::filesystem::absolute(to, error).wstring();
  std::vector<unsigned char> bytes(sizeof(RenameInfo) + name.size() * sizeof(wchar_t));
  auto* const info = reinterpret_cast<RenameInfo*>(bytes.data());
  info->flags = kReplace | kPosix | kIgnoreReadOnly;
  info->bytes = static_cast<DWORD>(name.size() * sizeof(wchar_t));
  std::copy(name.begin(), name.end(), info->name);
  return SetFileInformationByHandle(file.get(), kRenameInfoEx, info, static_cast<DWORD>(bytes.size())) != 0;
}

// Whether an entry of an access control list lets others than the owner and those who rule the machine read.
bool grants_others(const ACE_HEADER* entry, PSID owner) {
  if (entry->AceType != ACCESS_ALLOWED_ACE_TYPE) return false;
  const auto* const grant = reinterpret_cast<const ACCESS_ALLOWED_ACE*>(entry);
  if ((grant->Mask & (FILE_READ_DATA | GENERIC_READ | GENERIC_ALL)) == 0) return false;
  auto* const who = const_cast<DWORD*>(&grant->SidStart);
  return EqualSid(who, owner) == 0 && IsWellKnownSid(who, WinLocalSystemSid) == 0 &&
         IsWellKnownSid(who, WinBuiltinAdministratorsSid) == 0 && IsWellKnownSid(who, WinCreatorOwnerSid) == 0;
}

}  // namespace

void File::close() {
  if (descriptor_ >= 0) _close(std::exchange(descriptor_, -1));
}

File File::open(const std::filesystem::path& path, OpenMode mode, Links links) {
  const DWORD access = mode == OpenMode::Read ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
  const DWORD flags = links == Links::Refuse ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  Handle handle(
      CreateFileW(path.c_str(), access, kShareAll, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | flags, nullptr));
  if (handle && links == Links::Refuse && is_link(handle.get())) {
    errno = ELOOP;
    return File();
  }
  return to_file(std::move(handle), mode == OpenMode::Read     ? _O_RDONLY
                                    : mode == OpenMode::Append ? _O_RDWR | _O_APPEND
                                                               : _O_RDWR);
}

File File::create(const std::filesystem::path& path, FileRights rights) {
  OwnerOnly owner_only;
  SECURITY_ATTRIBUTES* const security = rights == FileRights::OwnerOnly ? owner_only.get() : nullptr;
  return to_file(Handle(CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, security, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL, nullptr)),
                 _O_RDWR);
}

File File::create_unique(std::filesystem::path& path, FileRights rights) {
  for (;;) {
    const std::filesystem::path name = path.wstring() + L"." + random_letters();
    File out = create(name, rights);
    if (!out.is_open() && errno == EEXIST) continue;
    if (out.is_open()) path = name;
    return out;
  }
}

File File::duplicate_of(StandardStream stream) {
  constexpr DWORD kHandles[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  return to_file(duplicate(GetStdHandle(kHandles[static_cast<int>(stream)]), false), _O_RDWR);
}

std::optional<FileStatus> File::status() const {
  if (!is_open()) return std::nullopt;  // errno has the reason of open()
  return status_of_handle(handle_of(descriptor_));
}

std::optional<std::size_t> File::read(char* to, std::size_t size) const {
  DWORD count = 0;
  if (ReadFile(handle_of(descriptor_), to, static_cast<DWORD>(size), &count, nullptr) != 0) return count;
  if (GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF) return 0;
  set_errno();
  return std::nullopt;
}

std::optional<std::size_t> File::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  OVERLAPPED at = at_offset(offset);
  DWORD count = 0;
  if (ReadFile(handle_of(descriptor_), to, static_cast<DWORD>(size), &count, &at) != 0) return count;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  set_errno();
  return std::nullopt;
}

std::optional<std::size_t> File::write_at(std::uint64_t offset, std::string_view text) const {
  OVERLAPPED at = at_offset(offset);
  DWORD count = 0;
  if (WriteFile(handle_of(descriptor_), text.data(), static_cast<DWORD>(text.size()), &count, &at) != 0) return count;
  set_errno();
  return std::nullopt;
}

bool File::write_all(std::string_view text) const {
  while (!text.empty()) {
    constexpr std::size_t kMost = 1 << 20;
    const int count = _write(descriptor_, text.data(), static_cast<unsigned>(std::min(text.size(), kMost)));
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool File::truncate(std::uint64_t size) const {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return SetFileInformationByHandle(handle_of(descriptor_), FileEndOfFileInfo, &end, sizeof end) != 0 || set_errno();
}

bool File::sync() const { return sync_descriptor(descriptor_); }

bool sync_descriptor(int descriptor) {
  if (FlushFileBuffers(handle_of(descriptor)) != 0) return true;
  const DWORD error = GetLastError();
  return error == ERROR_INVALID_FUNCTION || error == ERROR_NOT_SUPPORTED || error == ERROR_INVALID_HANDLE ||
         set_errno(error);
}

// Locks keep others from reading. So this locks a byte far behind the end, which nobody reads.
LockOutcome File::lock() const {
  OVERLAPPED at = at_offset(std::uint64_t{1} << 62);
  if (LockFileEx(handle_of(descriptor_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0)
    return LockOutcome::Locked;
  const DWORD error = GetLastError();
  return error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? LockOutcome::HeldByAnother
                                                                    : LockOutcome::Unsupported;
}

std::optional<FileStatus> status_of(const std::filesystem::path& path, Links links) {
  if (is_pipe_name(path))
    return FileStatus{.kind = FileStatus::Kind::Pipe};  // opening it would take its client's place
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (links == Links::Refuse ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
  const Handle file(CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING, flags, nullptr));
  if (file) return status_of_handle(file.get());
  set_errno();
  return std::nullopt;
}

bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (int retry = 0;; ++retry) {
    if (rename_over_open_files(from, to) ||
        MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0)
      return true;
    const DWORD error = GetLastError();
    if (retry == kRetries || !may_pass(error)) return set_errno(error);
    std::this_thread::sleep_for(kRetryInterval);
  }
}

bool link_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return CreateHardLinkW(to.c_str(), from.c_str(), nullptr) != 0 || set_errno();
}

// As POSIX deletes: the name is free at once, also while others have the file open.
bool remove_file(const std::filesystem::path& path) {
  constexpr auto kDispositionInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
  DWORD flags = 1 | 2 | 0x10;  // delete, POSIX semantics, ignore the read-only attribute; since Windows 10
  Handle file(CreateFileW(path.c_str(), DELETE | SYNCHRONIZE, kShareAll, nullptr, OPEN_EXISTING,
                          FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (file && SetFileInformationByHandle(file.get(), kDispositionInfoEx, &flags, sizeof flags) != 0) return true;
  file.close();
  return DeleteFileW(path.c_str()) != 0 || set_errno();
}

bool is_private(const std::filesystem::path& path) {
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  std::wstring name = path.wstring();
  if (GetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                            nullptr, &list, nullptr, &descriptor) != ERROR_SUCCESS)
    return true;
  bool out = list != nullptr;  // no list: everybody may do everything
  for (DWORD i = 0; out && i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(list, i, &entry) != 0 && grants_others(static_cast<ACE_HEADER*>(entry), owner)) out = false;
  }
  LocalFree(descriptor);
  return out;
}

}  // namespace rocktable
