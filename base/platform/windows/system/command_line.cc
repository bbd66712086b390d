#include "base/platform/windows/system/command_line.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

std::wstring variable_of_system(const wchar_t* name) {
  const DWORD size = GetEnvironmentVariableW(name, nullptr, 0);
  std::wstring out(size, L'\0');
  out.resize(size == 0 ? 0 : GetEnvironmentVariableW(name, out.data(), size));
  return out;
}

std::vector<std::wstring> split_at_semicolons(const std::wstring& text) {
  std::vector<std::wstring> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(L';', begin), text.size());
    std::wstring part = text.substr(begin, end - begin);
    std::erase(part, L'"');
    if (!part.empty()) out.push_back(std::move(part));
    begin = end + 1;
  }
  return out;
}

bool is_file(const fs::path& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

std::optional<fs::path> find_program(const fs::path& name) {
  if (name.has_parent_path() || name.has_root_name()) {
    const auto found = find_program_at(name);
    return found ? found : is_file(name) ? std::optional(name) : std::nullopt;
  }
  for (const auto& folder : split_folders(variable_of_system(L"PATH")))
    if (auto found = find_program_at(folder / name)) return fs::absolute(*found);
  return std::nullopt;
}

// As the C library's parser of command lines reads it: backslashes before a quotation mark are doubled.
void append_argument(std::wstring& line, std::wstring_view argument) {
  if (!line.empty()) line += L' ';
  if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring_view::npos) {
    line += argument;
    return;
  }
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t c : argument) {
    if (c == L'"') line.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

// The shell expands variables and special characters even between quotation marks. A percent sign is followed by
// `cd:~,`, an empty part of a variable, so that no name of a variable is between two of them.
void append_batch_argument(std::wstring& line, std::wstring_view argument) {
  if (argument.find_first_of(L"\r\n") != std::wstring_view::npos)
    throw std::runtime_error("an argument of a batch file cannot have a line break");
  line += L" \"";
  std::size_t backslashes = 0;
  for (const wchar_t c : argument) {
    if (c == L'"') line.append(backslashes, L'\\').append(L"\"");
    if (c == L'%') line += L"%%cd:~,";
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

std::wstring system_shell() {
  wchar_t folder[MAX_PATH];
  const UINT size = GetSystemDirectoryW(folder, MAX_PATH);
  return std::wstring(folder, size) + L"\\cmd.exe";
}

bool is_batch_file(const fs::path& program) {
  std::wstring ending = program.extension().wstring();
  for (wchar_t& c : ending)
    if (c >= L'A' && c <= L'Z') c = static_cast<wchar_t>(c - L'A' + L'a');
  return ending == L".cmd" || ending == L".bat";
}

// The order in which the system keeps variables.
struct IgnoringCase {
  bool operator()(const std::wstring& a, const std::wstring& b) const {
    return CompareStringOrdinal(a.c_str(), -1, b.c_str(), -1, TRUE) == CSTR_LESS_THAN;
  }
};

}  // namespace

std::optional<fs::path> find_program_at(const fs::path& path) {
  if (path.has_extension() && is_file(path)) return path;
  auto endings = split_at_semicolons(variable_of_system(L"PATHEXT"));
  if (endings.empty()) endings = {L".COM", L".EXE", L".BAT", L".CMD"};
  for (const auto& ending : endings)
    if (fs::path with = path.wstring() + ending; is_file(with)) return with;
  return std::nullopt;
}

std::vector<fs::path> split_folders(const std::wstring& text) {
  const auto parts = split_at_semicolons(text);
  return {parts.begin(), parts.end()};
}

std::optional<WindowsCommand> find_command_line(const char* const* argv) {
  const auto program = find_program(to_wide(argv[0]));
  if (!program) return std::nullopt;
  WindowsCommand out;
  if (!is_batch_file(*program)) {
    out.program = program->wstring();
    append_argument(out.line, to_wide(argv[0]));
    for (++argv; *argv != nullptr; ++argv) append_argument(out.line, to_wide(*argv));
    return out;
  }
  out.program = system_shell();
  // With /s the shell removes the first and the last quotation mark, and no others.
  out.line = L"cmd.exe /e:ON /v:OFF /d /s /c \"\"" + program->wstring() + L"\"";
  for (++argv; *argv != nullptr; ++argv) append_batch_argument(out.line, to_wide(*argv));
  out.line += L'"';
  return out;
}

std::wstring environment_with(const std::vector<std::pair<std::string, std::optional<std::string>>>& variables) {
  std::map<std::wstring, std::wstring, IgnoringCase> all;
  if (wchar_t* const block = GetEnvironmentStringsW(); block != nullptr) {
    for (const wchar_t* entry = block; *entry != L'\0'; entry += std::wstring_view(entry).size() + 1) {
      const std::wstring_view text(entry);
      const std::size_t equals = text.find(L'=', 1);  // names of hidden ones, as `=C:`, begin with it
      if (equals != text.npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    FreeEnvironmentStringsW(block);
  }
  for (const auto& [name, value] : variables) {
    all.erase(to_wide(name));  // the new one has its own case
    if (value) all.emplace(to_wide(name), to_wide(*value));
  }
  std::wstring out;
  for (const auto& [name, value] : all) out.append(name).append(L"=").append(value).push_back(L'\0');
  out.push_back(L'\0');
  return out;
}

}  // namespace rocktable
