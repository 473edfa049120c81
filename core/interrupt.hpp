// Interrupting long work. Its loops call poll_interrupt(); every few milliseconds that calls a
// hook, which throws if the work is to be given up. The bindings set it to look for signals.
// A stop flag ends a search early instead, with what it has found.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace halma {

/// Called on any thread; throws to interrupt. Null: nothing interrupts.
inline void (*interrupt_hook)() = nullptr;

/// To be called about every 10 to 1000 microseconds; reads the clock.
inline void poll_interrupt() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPeriod{20};
  thread_local Clock::time_point next{};
  if (!interrupt_hook) return;
  const auto now = Clock::now();
  if (now < next) return;
  next = now + kPeriod;
  interrupt_hook();
}

/// The same in loops whose steps are shorter: looks at every `period`-th step only.
inline void poll_interrupt(std::uint64_t step, std::uint64_t period) {
  if (step % period == 0) poll_interrupt();
}

/// The flag that ends searches of this thread; null: none. Another thread sets it. Shared, so that
/// the flag of a search outlives whoever gave it.
inline thread_local std::shared_ptr<const std::atomic<bool>> stop_flag;

/// Asked by searches where they look at the clock.
inline bool stop_requested() { return stop_flag && stop_flag->load(std::memory_order_relaxed); }

}  // namespace halma
