// Which compiled search belongs to which family. A family's own source file registers
// its instantiations, so rules stay unaware of search and one file is compiled per
// family. A game nobody registered, one written in Python, runs through Opaque.
#pragma once

#include <map>
#include <typeindex>

#include "alone.hpp"
#include "any_minimax.hpp"
#include "any_search.hpp"

namespace halma {

/// Makers of every kind of search for one family; the game must outlive what they make.
struct SearchMakers {
  std::unique_ptr<AnySearch> (*search)(const AnyGame&, const SearchSetup&);
  std::unique_ptr<AnyMinimax> (*minimax)(const AnyGame&, const MinimaxOptions&);
  // Null where nobody can go on alone.
  int (*moves_alone)(const AnyGame&, const Bytes*, int player, int width, int limit) = nullptr;
};

inline std::map<std::type_index, SearchMakers>& registered_searches() {
  static std::map<std::type_index, SearchMakers> makers;
  return makers;
}

/// The makers for a game; those of AnyGame itself serve every game without its own.
inline const SearchMakers& searches_for(const AnyGame& game) {
  const auto& makers = registered_searches();
  const auto found = makers.find(typeid(game));
  return found != makers.end() ? found->second : makers.at(typeid(AnyGame));
}

/// Compiles every search for the family G and registers it.
template <Game G>
void register_searches() {
  registered_searches()[typeid(Erased<G>)] = {
      .search = [](const AnyGame& game, const SearchSetup& setup) -> std::unique_ptr<AnySearch> {
        return std::make_unique<ErasedSearch<G>>(static_cast<const Erased<G>&>(game).concrete(), game, setup);
      },
      .minimax = [](const AnyGame& game, const MinimaxOptions& options) -> std::unique_ptr<AnyMinimax> {
        return std::make_unique<ErasedMinimax<G>>(static_cast<const Erased<G>&>(game).concrete(), options);
      },
  };
  if constexpr (Reopens<G>)
    registered_searches()[typeid(Erased<G>)].moves_alone = [](const AnyGame& game, const Bytes* state,
                                                              int player, int width, int limit) {
      return moves_alone(static_cast<const Erased<G>&>(game).concrete(), Erased<G>::load(state), player,
                         width, limit);
    };
}

/// A search that keeps the Opaque it runs on.
template <template <class> class Search>
class OpaqueSearch : private Opaque, public Search<Opaque> {
 public:
  template <class... Args>
  explicit OpaqueSearch(const AnyGame& game, Args&&... args)
      : Opaque(game), Search<Opaque>(static_cast<const Opaque&>(*this), std::forward<Args>(args)...) {}
};

/// Registers the searches that every other game uses.
inline void register_opaque_searches() {
  registered_searches()[typeid(AnyGame)] = {
      .search = [](const AnyGame& game, const SearchSetup& setup) -> std::unique_ptr<AnySearch> {
        return std::make_unique<OpaqueSearch<ErasedSearch>>(game, game, setup);
      },
      .minimax = [](const AnyGame& game, const MinimaxOptions& options) -> std::unique_ptr<AnyMinimax> {
        return std::make_unique<OpaqueSearch<ErasedMinimax>>(game, options);
      },
  };
}

}  // namespace halma
