// Which compiled pool belongs to which family, as with searches: a family's own source file
// registers it, and a game nobody registered runs through Opaque.
#pragma once

#include "../search/registry.hpp"
#include "pool.hpp"

namespace halma {

/// All a pool is made of; the game must outlive it.
struct PoolPlan {
  SelfPlayOptions options;
  Limits limits;
  int slots, groups, threads;
  std::uint64_t seed, first, end;
};

using PoolMaker = std::unique_ptr<AnyPool> (*)(const AnyGame&, const PoolPlan&);

inline std::map<std::type_index, PoolMaker>& registered_pools() {
  static std::map<std::type_index, PoolMaker> makers;
  return makers;
}

inline std::unique_ptr<AnyPool> make_pool(const AnyGame& game, const PoolPlan& plan) {
  const auto& makers = registered_pools();
  const auto found = makers.find(typeid(game));
  return (found != makers.end() ? found->second : makers.at(typeid(AnyGame)))(game, plan);
}

template <Game G>
void register_pool() {
  registered_pools()[typeid(Erased<G>)] = [](const AnyGame& game,
                                             const PoolPlan& p) -> std::unique_ptr<AnyPool> {
    return std::make_unique<Pool<G>>(static_cast<const Erased<G>&>(game).concrete(), game, p.options,
                                     p.limits, p.slots, p.groups, p.threads, p.seed, p.first, p.end);
  };
}

inline void register_opaque_pool() {
  registered_pools()[typeid(AnyGame)] = [](const AnyGame& game,
                                           const PoolPlan& p) -> std::unique_ptr<AnyPool> {
    return std::make_unique<OpaqueSearch<Pool>>(game, game, p.options, p.limits, p.slots, p.groups, p.threads,
                                                p.seed, p.first, p.end);
  };
}

}  // namespace halma
