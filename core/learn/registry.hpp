// Which compiled trainer belongs to which family; see search/registry.hpp.
#pragma once

#include <map>
#include <typeindex>

#include "tabular.hpp"

namespace halma {

using TabularMaker = std::unique_ptr<AnyTabular> (*)(const AnyGame&, const TabularOptions&, int threads);

inline std::map<std::type_index, TabularMaker>& registered_tabulars() {
  static std::map<std::type_index, TabularMaker> makers;
  return makers;
}

/// Compiles the tabular trainer for the family G and registers it.
template <Game G>
void register_tabular() {
  registered_tabulars()[typeid(Erased<G>)] = [](const AnyGame& game, const TabularOptions& options,
                                                int threads) -> std::unique_ptr<AnyTabular> {
    return std::make_unique<Tabular<G>>(game, static_cast<const Erased<G>&>(game).concrete(), options,
                                        threads);
  };
}

/// A trainer that keeps the Opaque it runs on.
class OpaqueTabular : private Opaque, public Tabular<Opaque> {
 public:
  OpaqueTabular(const AnyGame& game, const TabularOptions& options, int threads)
      : Opaque(game), Tabular<Opaque>(game, static_cast<const Opaque&>(*this), options, threads) {}
};

/// A trainer for a game, which must outlive it. Games written in Python hold Python's lock
/// while they are asked, so threads are of no use to them.
inline std::unique_ptr<AnyTabular> make_tabular(const AnyGame& game, const TabularOptions& options,
                                                int threads) {
  const auto found = registered_tabulars().find(typeid(game));
  if (found != registered_tabulars().end()) return found->second(game, options, threads);
  return std::make_unique<OpaqueTabular>(game, options, threads);
}

}  // namespace halma
