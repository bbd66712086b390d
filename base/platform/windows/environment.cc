#include "base/platform/environment.h"

#include <cwchar>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {

std::vector<std::string> environment_names() {
  std::vector<std::string> out;
  wchar_t* const block = GetEnvironmentStringsW();
  if (block == nullptr) return out;
  for (const wchar_t* entry = block; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
    const std::wstring_view text(entry);
    std::string name = to_utf8(text.substr(0, text.find(L'=', 1)));  // names of hidden ones, as `=C:`, begin with it
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    out.push_back(std::move(name));
  }
  FreeEnvironmentStringsW(block);
  return out;
}

}  // namespace rocktable
