// The options of self-play beside those of the search.
#pragma once

#include <utility>
#include <vector>

#include "../any.hpp"
#include "../options.hpp"
#include "../search/options.hpp"

namespace halma {

/// What an opponent of the learner's network is: another network, or an agent outside the pool.
enum class OpponentKind : std::uint8_t { network, agent };

struct SelfPlayOptions {
  SearchOptions search;

  int simulations = 100;
  int max_pending = 1;
  bool reuse = false;
  bool cache_evaluations = true;
  float full_share = 1.0f;
  int fast_simulations = 8;
  int random_plies_min = 0, random_plies_max = 0;
  float random_starts = 0.0f;
  float resign_threshold = 0.0f;
  int resign_consecutive = 1;
  float no_resign_share = 0.1f;
  float opponent_share = 0.5f;
  bool opponent_targets = false;
  bool temperature_in_targets = false;

  // From ply .first on, moves are sampled with temperature .second: with weights
  // policy^(1/t); 0 plays the best. In order of plies.
  std::vector<std::pair<int, float>> temperatures = {{0, 0.0f}};

  // Decisions that games start from, in turn by their numbers; none: as the rules say.
  std::vector<std::vector<Bytes>> starts;

  // The learner plays a share of the games against one of these; without any, against itself.
  std::vector<OpponentKind> opponents;
};

template <>
struct DeclaredOptions<SelfPlayOptions> {
  using O = SelfPlayOptions;
  static constexpr double kMany = 10'000'000;
  static constexpr std::tuple list{
      DeclaredOption<O, int>{"simulations", &O::simulations,
                             "Simulations of a search; those kept by 'reuse' count.", 1, kMany},
      DeclaredOption<O, int>{"max_pending", &O::max_pending,
                             "Leaves of one tree that may wait for evaluation together.", 1, 4096},
      DeclaredOption<O, bool>{"reuse", &O::reuse,
                              "Start a search with what the search of the move before found."},
      DeclaredOption<O, bool>{"cache_evaluations", &O::cache_evaluations,
                              "Keep the evaluations of the last searches of a game, so that the network does "
                              "not evaluate a position twice that comes up again. It changes no game, up to "
                              "rounding."},
      DeclaredOption<O, float>{"full_share", &O::full_share,
                               "Playout cap randomisation: share of searches that are full. The others make "
                               "'fast_simulations', have no Dirichlet noise and give no policy targets.",
                               0.01, 1},
      DeclaredOption<O, int>{"fast_simulations", &O::fast_simulations,
                             "Simulations of a search that is not full.", 1, 1'000'000},
      DeclaredOption<O, int>{"random_plies_min", &O::random_plies_min,
                             "Fewest random moves a game starts with; they are no training samples.", 0,
                             10'000},
      DeclaredOption<O, int>{"random_plies_max", &O::random_plies_max,
                             "Most random moves a game starts with.", 0, 10'000},
      DeclaredOption<O, float>{"random_starts", &O::random_starts,
                               "Share of games that start, instead of with random moves, from a random "
                               "placement of all pieces, in games that have one.",
                               0, 1},
      DeclaredOption<O, float>{
          "resign_threshold", &O::resign_threshold,
          "A player resigns whose value is below this at 'resign_consecutive' decisions in a "
          "row; the game ends once all players but one would resign. 0: nobody resigns.",
          0, 0.5},
      DeclaredOption<O, int>{"resign_consecutive", &O::resign_consecutive,
                             "Decisions in a row that it takes.", 1, 10'000},
      DeclaredOption<O, float>{"no_resign_share", &O::no_resign_share,
                               "Share of games without resignation, to count wrong ones.", 0, 1},
      DeclaredOption<O, float>{"opponent_share", &O::opponent_share,
                               "Share of games that are played against 'opponents', where there are any.", 0,
                               1},
      DeclaredOption<O, bool>{"opponent_targets", &O::opponent_targets,
                              "The moves of opponents are policy targets as well, so that a search expects "
                              "them of the other players."},
      DeclaredOption<O, bool>{"temperature_in_targets", &O::temperature_in_targets,
                              "Policy targets are the probabilities that moves are sampled with, the "
                              "search's policy raised to 1 / temperature; with temperature 0 the move "
                              "that is played. False: the search's policy itself."},
  };
};

/// Who sits where in a game: the learner has all seats, or one, and an opponent the others.
struct Seats {
  int opponent = -1;  // its index; -1: none
  int learner = 0;    // the learner's seat, if there is an opponent

  /// Who has a player's seat: 0 is the learner, i + 1 the opponent i.
  int who(int player) const { return opponent < 0 || player == learner ? 0 : opponent + 1; }
};

/// The seats of a game follow from its number: games against opponents are spread evenly, the
/// learner changes seats from one to the next, and opponents change once it has had every seat.
inline Seats seats_of(const SelfPlayOptions& options, std::uint64_t number, int players) {
  const double share = options.opponents.empty() ? 0.0 : options.opponent_share;
  const auto before = static_cast<std::uint64_t>(static_cast<double>(number) * share);
  const auto with_this = static_cast<std::uint64_t>(static_cast<double>(number + 1) * share);
  if (with_this == before) return {};
  return {static_cast<int>(before / players % options.opponents.size()), static_cast<int>(before % players)};
}

/// Everything a pool is made of, beside its game.
struct PoolPlan {
  SelfPlayOptions options;
  Limits limits;
  int slots, groups, threads;
  std::uint64_t seed, first, end;
};

}  // namespace halma
