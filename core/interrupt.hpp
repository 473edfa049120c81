// Interrupting long work. Its loops call poll_interrupt(); every few milliseconds that calls a
// hook, which throws if the work is to be given up. The bindings set it to look for signals.
#pragma once

#include <chrono>
#include <cstdint>

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

}  // namespace halma
