// A leaf of a search, and where it stands in its game: what ends its line, and what planes
// show of the past.
#pragma once

#include <limits>

#include "evaluators.hpp"
#include "history.hpp"
#include "options.hpp"
#include "tree.hpp"

namespace halma {

/// A simulation on its way: the path that was selected and, once known, its values.
template <Game G>
struct Leaf {
  using State = typename G::State;
  using Index = typename Tree<G>::Index;

  struct Step {
    Index node;
    Index place;  // of the edge among those of the node, whose first may move while a leaf is pending
  };
  std::vector<Step> path;
  State state;                   // at the end of the path
  std::vector<State> decisions;  // decision states on the path, root first; if kept
  int plies = 0;                 // moves of the path
  int reversible = 0;            // of those, how many at its end are reversible; if tracked
  std::vector<Move> moves;       // legal moves of the state, if priors are given move by move
  std::uint64_t key = 0;         // of its evaluation, if evaluations are kept
  bool decided = false;          // values are known; otherwise the state must be evaluated
  float values[kMaxPlayers];
};

/// The game up to the root together with the path to a leaf.
template <Game G>
class LeafHistory {
 public:
  using State = typename G::State;

  /// `planes`: whether leaves are shown to a network.
  LeafHistory(const G& game, LineLimits mode, bool planes)
      : game_(&game),
        mode_(mode),
        looks_back_(planes && game.history() > 1),
        shows_context_(planes && uses_context(game)) {}

  /// Takes over the game up to a root.
  void read(const Record& record) {
    game_so_far_.read(record);
    const Limits& limits = game_so_far_.limits;
    repetitions_needed_ = mode_ == LineLimits::rules              ? 0
                          : mode_ == LineLimits::first_repetition ? 1
                                                                  : std::max(limits.repetitions - 1, 0);
    const bool by_game = mode_ != LineLimits::rules;
    const bool stalls = CountsArrived<G> && by_game && limits.progress_plies > 0;
    limited_ = repetitions_needed_ > 0 || stalls ||
               (by_game && (limits.plies > 0 || limits.no_progress > 0 || limits.cycle_window > 0));
    tracks_clock_ = shows_context_ || repetitions_needed_ > 0 || (by_game && limits.no_progress > 0);
    keeps_states_ = looks_back_ || shows_context_ || repetitions_needed_ > 0 || stalls;
  }

  /// Whether anything but the rules can end a line.
  bool is_limited() const { return limited_; }
  bool ends_by_repetition() const { return repetitions_needed_ > 0; }
  /// Whether leaves must count reversible plies, and keep the decisions on their path.
  bool tracks_clock() const { return tracks_clock_; }
  bool keeps_states() const { return keeps_states_; }

  /// Whether the game record would end where the leaf is, or first_repetition says so.
  bool ends(const Leaf<G>& leaf, const Tree<G>& tree) const {
    const Limits& limits = game_so_far_.limits;
    if (limits.plies > 0 && game_so_far_.plies + leaf.plies >= limits.plies) return true;
    const int clock = halfmove_clock(leaf);
    if (limits.no_progress > 0 && clock >= limits.no_progress) return true;
    // Two plies at least lie between occurrences of a position.
    if (repetitions_needed_ > 0 && clock >= 2 * repetitions_needed_ && !game_->at_chance(leaf.state) &&
        occurrences(leaf, repetitions_needed_) >= repetitions_needed_)
      return true;
    if (limits.progress_plies > 0 && stalls(leaf)) return true;
    return limits.cycle_window > 0 && game_so_far_.plies + leaf.plies >= limits.cycle_window &&
           cycles(leaf, tree);
  }

  /// What planes show of the game before a leaf, beside earlier states.
  Context context(const Leaf<G>& leaf) const {
    Context context;
    if (!shows_context_) return context;
    context.repetitions = occurrences(leaf, std::numeric_limits<int>::max());
    context.no_progress = no_progress_share(halfmove_clock(leaf), game_so_far_.limits.no_progress);
    return context;
  }
  /// What is left of the game's limits at a leaf; with LineLimits::rules all of it.
  LimitsLeft limits_left(const Leaf<G>& leaf) const {
    const Limits& limits = game_so_far_.limits;
    if (mode_ == LineLimits::rules) return {limits.plies, limits.no_progress, limits.no_progress};
    return {limits.plies > 0 ? limits.plies - game_so_far_.plies - leaf.plies : 0,
            limits.no_progress > 0 ? limits.no_progress - halfmove_clock(leaf) : 0, limits.no_progress};
  }
  int halfmove_clock(const Leaf<G>& leaf) const {
    return leaf.reversible + (leaf.reversible == leaf.plies ? game_so_far_.halfmove_clock : 0);
  }

 private:
  /// Earlier occurrences of the leaf's position in the game and on the path, up to `enough`.
  int occurrences(const Leaf<G>& leaf, int enough) const {
    const int clock = halfmove_clock(leaf);
    if (clock == 0) return 0;
    const std::uint64_t key = game_->key(leaf.state);
    if (key == 0) return 0;
    const int mover = game_->mover(leaf.state);
    int found = 0;
    const int on_path = static_cast<int>(leaf.decisions.size());
    for (int i = on_path; i-- > on_path - leaf.reversible && found < enough;)
      found += game_->mover(leaf.decisions[i]) == mover && game_->key(leaf.decisions[i]) == key;
    if (leaf.reversible == leaf.plies)
      for (std::size_t i = game_so_far_.keys.size(); i-- > 0 && found < enough;)
        found += game_so_far_.keys[i] == key;
    return found;
  }

  /// Whether no piece has arrived for too long.
  bool stalls(const Leaf<G>& leaf) const {
    if constexpr (CountsArrived<G>) {
      Progress progress = game_so_far_.progress;
      const int limit = game_so_far_.limits.progress_plies;
      if (progress.clock + leaf.plies < limit) return false;
      const auto add = [&](const State& state) {
        progress.add_ply(game_->players(), [&](int player) { return game_->arrived(state, player); });
      };
      for (std::size_t i = 1; i < leaf.decisions.size(); ++i) add(leaf.decisions[i]);
      add(leaf.state);
      return progress.clock >= limit;
    }
    return false;
  }

  /// liu2019: whether the last moves end on too few different cells.
  bool cycles(const Leaf<G>& leaf, const Tree<G>& tree) const {
    const Limits& limits = game_so_far_.limits;
    FixedList<int, 64> cells;
    int seen = 0;
    const auto add = [&](int cell) {
      ++seen;
      if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push(cell);
      return seen < limits.cycle_window && cells.size() < limits.cycle_landings;
    };
    for (std::size_t i = leaf.path.size(); i-- > 0;)
      if (tree.nodes[leaf.path[i].node].kind == Tree<G>::kDecision &&
          !add(game_->landing(tree.edges[tree.edge_of(leaf.path[i])].what)))
        return cells.size() < limits.cycle_landings;
    for (const int cell : game_so_far_.landings)
      if (!add(cell)) break;
    return seen == limits.cycle_window && cells.size() < limits.cycle_landings;
  }

  const G* game_;
  LineLimits mode_;
  bool looks_back_;     // planes show earlier states
  bool shows_context_;  // planes show repetition and the halfmove clock
  GameHistory game_so_far_;
  // From the limits of the game at hand; see read().
  bool limited_ = false, tracks_clock_ = false, keeps_states_ = false;
  int repetitions_needed_ = 0;  // earlier occurrences at which a position ends a line; 0: never
};

}  // namespace halma
