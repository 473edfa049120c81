// Numbering of the boards of dark chess on eight cells.
//
// Boards are grouped by material: the numbers of face-up and face-down pieces of each
// type. Within a group they are numbered by arrangement.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "darkchess_state.hpp"

namespace halma::dark {

// Contents of a cell: a face-up type, a face-down piece, nothing.
inline constexpr int kHiddenSymbol = kTypes, kEmptySymbol = kTypes + 1;

class Boards {
 public:
  static constexpr int kCells = 8;

  struct Board {
    int symbols[kCells];
    int hidden[kTypes];  // face-down pieces by type
  };

  explicit Boards(const Set& set) : set_(set) {
    int groups = 1;
    for (int type = 0; type < kTypes; ++type) {
      const int base = set_[type % kKinds] + 1;
      hidden_weight_[type] = groups;
      shown_weight_[type] = groups * base;
      groups *= base * base;
    }
    offsets_.assign(1, 0);
    for (int group = 0; group < groups; ++group)
      offsets_.push_back(offsets_.back() + boards_of(material_of(group)));
  }

  std::uint64_t size() const { return offsets_.back(); }

  /// Contribution of a face-down piece to the number of its group.
  int hidden_weight(int type) const { return hidden_weight_[type]; }

  /// The number of a board; `group` is the sum of the weights of its face-down pieces.
  std::uint64_t number(const int (&symbols)[kCells], int group) const {
    SymbolCounts counts = 0;
    for (const int symbol : symbols) {
      counts += one(symbol);
      group += shown_weight_[symbol];
    }
    // The lexicographic rank among all orders of these symbols. The division is exact:
    // the orders are distributed over the symbols of a cell in proportion to their
    // numbers.
    std::uint32_t rank = 0, ways = group_size(group);
    for (int cell = 0; cell < kCells; ++cell) {
      const std::uint32_t left = kCells - cell;
      rank += ways * below(counts, symbols[cell]) / left;
      ways = ways * count_of(counts, symbols[cell]) / left;
      counts -= one(symbols[cell]);
    }
    return offsets_[group] + rank;
  }

  Board board(std::uint64_t number) const {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), number);
    const int group = static_cast<int>(after - offsets_.begin()) - 1;
    auto rank = static_cast<std::uint32_t>(number - offsets_[group]);
    const Material material = material_of(group);
    Board board{};
    SymbolCounts counts = kCells * one(kEmptySymbol);
    for (int type = 0; type < kTypes; ++type) {
      counts += material.shown[type] * (one(type) - one(kEmptySymbol));
      counts += material.hidden[type] * (one(kHiddenSymbol) - one(kEmptySymbol));
      board.hidden[type] = material.hidden[type];
    }
    std::uint32_t ways = group_size(group);
    for (int cell = 0; cell < kCells; ++cell) {
      const std::uint32_t left = kCells - cell;
      int symbol = 0;
      while (rank >= ways * below(counts, symbol + 1) / left) ++symbol;
      rank -= ways * below(counts, symbol) / left;
      ways = ways * count_of(counts, symbol) / left;
      counts -= one(symbol);
      board.symbols[cell] = symbol;
    }
    return board;
  }

  /// Boards of one material, from number first to before last.
  struct Group {
    std::uint64_t first, last;
    int pieces, hidden;  // on the board, and those of them that are face-down
  };
  /// All groups that have boards.
  std::vector<Group> groups() const {
    std::vector<Group> found;
    for (int number = 0; number + 1 < static_cast<int>(offsets_.size()); ++number) {
      if (group_size(number) == 0) continue;
      const Material material = material_of(number);
      Group group{offsets_[number], offsets_[number + 1], 0, 0};
      for (int type = 0; type < kTypes; ++type) {
        group.pieces += material.shown[type] + material.hidden[type];
        group.hidden += material.hidden[type];
      }
      found.push_back(group);
    }
    return found;
  }

 private:
  // Number of cells with each symbol: sixteen counters of four bits. On eight cells any
  // sum of them is below 16, so a multiplication can add them up.
  using SymbolCounts = std::uint64_t;
  static SymbolCounts one(int symbol) { return SymbolCounts{1} << (4 * symbol); }
  static std::uint32_t count_of(SymbolCounts counts, int symbol) { return counts >> (4 * symbol) & 0xF; }
  static std::uint32_t below(SymbolCounts counts, int symbol) {
    if (symbol > kEmptySymbol) return sum(counts);
    return sum(counts & (one(symbol) - 1));
  }
  static std::uint32_t sum(SymbolCounts counts) {
    return static_cast<std::uint32_t>(counts * 0x1111111111111111ULL >> 60);
  }

  struct Material {
    int shown[kTypes], hidden[kTypes];
  };
  /// A group's number has a digit for each type, of base (n + 1)^2 where the set has n.
  Material material_of(int group) const {
    Material material{};
    for (int type = 0; type < kTypes; ++type) {
      const int base = set_[type % kKinds] + 1;
      material.hidden[type] = group % base;
      material.shown[type] = group / base % base;
      group /= base * base;
    }
    return material;
  }

  std::uint32_t group_size(int group) const {
    return static_cast<std::uint32_t>(offsets_[group + 1] - offsets_[group]);
  }

  /// Number of decision boards of some material: none if it exceeds the set, nothing is
  /// face-up, or a side has no piece left.
  std::uint64_t boards_of(const Material& material) const {
    static constexpr std::uint64_t factorial[kCells + 1] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320};
    std::uint64_t ways = factorial[kCells];
    int shown = 0, hidden = 0, pieces[2] = {};
    for (int type = 0; type < kTypes; ++type) {
      const int both = material.shown[type] + material.hidden[type];
      if (both > set_[type % kKinds]) return 0;
      ways /= factorial[material.shown[type]];
      shown += material.shown[type];
      hidden += material.hidden[type];
      pieces[type / kKinds] += both;
    }
    if (shown == 0 || pieces[0] == 0 || pieces[1] == 0) return 0;
    return ways / factorial[hidden] / factorial[kCells - shown - hidden];
  }

  Set set_;
  // Contribution of a piece to the number of its group.
  int shown_weight_[kTypes + 2] = {}, hidden_weight_[kTypes] = {};
  std::vector<std::uint64_t> offsets_;  // [group]: boards before it
};

}  // namespace halma::dark
