// Reads narrow text as UTF-8 where the C++ library makes file names of it.
//
// std::filesystem::path takes narrow text by the codecvt of the C locale, which the library of GCC 12 for Windows reads
// byte by byte; it returns narrow text as UTF-8. This replaces the library's functions, which are a part of it that
// nothing else needs (codecvt_members.o).
#include <codecvt>
#include <locale>

namespace std {  // NOLINT(cert-dcl58-cpp): these are the declared members

using Utf8 = codecvt_utf8_utf16<wchar_t>;
using Narrow = codecvt<wchar_t, char, mbstate_t>;

namespace {

const Utf8& utf8() {
  static const Utf8 out;
  return out;
}

}  // namespace

Narrow::result Narrow::do_out(mbstate_t& state, const wchar_t* from, const wchar_t* from_end, const wchar_t*& from_next,
                              char* to, char* to_end, char*& to_next) const {
  return utf8().out(state, from, from_end, from_next, to, to_end, to_next);
}

Narrow::result Narrow::do_in(mbstate_t& state, const char* from, const char* from_end, const char*& from_next,
                             wchar_t* to, wchar_t* to_end, wchar_t*& to_next) const {
  return utf8().in(state, from, from_end, from_next, to, to_end, to_next);
}

int Narrow::do_encoding() const noexcept { return utf8().encoding(); }

int Narrow::do_length(mbstate_t& state, const char* from, const char* end, size_t most) const {
  return utf8().length(state, from, end, most);
}

int Narrow::do_max_length() const noexcept { return utf8().max_length(); }

}  // namespace std
