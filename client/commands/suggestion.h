// "Did you mean": the known word that a mistyped one is nearest to. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rocktable {

// How many letters have to be inserted, deleted, replaced or exchanged with their neighbour to make `b` of `a`. The case
// of ASCII letters does not count.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the first of `known` with the smallest distance, if that is small for the word's length; else the first one
// that contains the word. Dashes in front belong to neither. Nothing for words of less than three letters.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace rocktable
