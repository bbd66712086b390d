// "Did you mean": finds the known word that is nearest to a mistyped one. No I/O.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rocktable {

// The number of insertions, deletions, replacements and swaps of neighbouring letters that turn `a` into `b`.
// Ignores the case of ASCII letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the first word of `known` with the smallest distance, if that is small for the length of `word`;
// otherwise the first one that contains it. Ignores leading dashes. nullopt for words of less than three
// letters.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace rocktable
