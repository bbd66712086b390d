#include "base/platform/listening_sockets.h"

#include <algorithm>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

// Returns the table of the family as the system gives it; empty if it gives none.
std::vector<unsigned char> listener_table(ULONG family) {
  std::vector<unsigned char> out;
  ULONG size = 1 << 14;
  for (DWORD result = ERROR_INSUFFICIENT_BUFFER; result == ERROR_INSUFFICIENT_BUFFER;) {
    out.resize(size);
    result = GetExtendedTcpTable(out.data(), &size, FALSE, family, TCP_TABLE_OWNER_PID_LISTENER, 0);
    if (result != NO_ERROR && result != ERROR_INSUFFICIENT_BUFFER) return {};
  }
  return out;
}

std::vector<unsigned char> bytes_of(const void* address, std::size_t size) {
  const auto* const begin = static_cast<const unsigned char*>(address);
  return {begin, begin + size};
}

}  // namespace

std::vector<ListeningSocket> listening_sockets(const std::filesystem::path& /*proc*/) {
  std::vector<ListeningSocket> out;
  if (const auto bytes = listener_table(AF_INET); !bytes.empty()) {
    const auto* const table = reinterpret_cast<const MIB_TCPTABLE_OWNER_PID*>(bytes.data());
    for (DWORD i = 0; i < table->dwNumEntries; ++i) {
      const auto& row = table->table[i];
      out.push_back({bytes_of(&row.dwLocalAddr, sizeof row.dwLocalAddr),
                     ntohs(static_cast<std::uint16_t>(row.dwLocalPort)), row.dwOwningPid});
    }
  }
  if (const auto bytes = listener_table(AF_INET6); !bytes.empty()) {
    const auto* const table = reinterpret_cast<const MIB_TCP6TABLE_OWNER_PID*>(bytes.data());
    for (DWORD i = 0; i < table->dwNumEntries; ++i) {
      const auto& row = table->table[i];
      out.push_back({bytes_of(row.ucLocalAddr, sizeof row.ucLocalAddr),
                     ntohs(static_cast<std::uint16_t>(row.dwLocalPort)), row.dwOwningPid});
    }
  }
  return out;
}

std::optional<NamedProcess> process_of(const ListeningSocket& socket, const std::filesystem::path& /*proc*/) {
  const auto number = static_cast<DWORD>(socket.id);
  const Handle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, number));
  wchar_t name[32768];
  DWORD size = 32768;
  if (!process || QueryFullProcessImageNameW(process.get(), 0, name, &size) == 0) return std::nullopt;
  return NamedProcess{number, std::filesystem::path(std::wstring(name, size)).filename().string()};
}

}  // namespace rocktable
