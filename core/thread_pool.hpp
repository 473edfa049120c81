// Threads that stay alive between calls, and a parallel for loop on top of them. Self-play
// hands out work hundreds of times a second, and starting threads each time would cost more
// than some of the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

#include "interrupt.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halma {

class ThreadPool {
 public:
  /// The caller of run() is one of the `threads` workers, so one fewer is started.
  explicit ThreadPool(int threads) : errors_(static_cast<std::size_t>(threads)) {
    try {
      for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (...) {
      stop();  // a thread that is still joinable must not be destroyed
      throw;
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { stop(); }

  int size() const { return static_cast<int>(errors_.size()); }

  /// Calls `work(worker)` once on every worker, 0 being the caller; returns when all are
  /// done. The first worker's exception is rethrown.
  template <class Work>
  void run(Work&& work) {
    task_ = [](void* with, int worker) { (*static_cast<std::remove_reference_t<Work>*>(with))(worker); };
    with_ = const_cast<void*>(static_cast<const void*>(&work));
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    start();
    perform(0);
    await(busy_, [](int busy) { return busy == 0; });
    std::exception_ptr first;
    for (std::exception_ptr& error : errors_) {
      if (!first) first = error;
      error = nullptr;
    }
    if (first) std::rethrow_exception(first);
  }

  /// Calls `work(worker, job)` for every job below `jobs`, each once, in any order.
  template <class Work>
  void for_each(int jobs, Work&& work) {
    for_ranges(jobs, [&](int worker, int first, int last) {
      for (int job = first; job < last; ++job) work(worker, job);
    });
  }

  /// The same in ranges: `work(worker, first, last)` for jobs from first to before last.
  template <class Work>
  void for_ranges(int jobs, Work&& work) {
    // Small ranges balance the load, large ones touch the shared counter less often.
    const int range = std::max(1, jobs / (size() * 16));
    std::atomic<int> next{0};
    run([&](int worker) {
      for (int first; (first = next.fetch_add(range, std::memory_order_relaxed)) < jobs;)
        work(worker, first, std::min(jobs, first + range));
    });
  }

 private:
  void start() {
    starts_.fetch_add(1, std::memory_order_release);
    starts_.notify_all();
  }

  void stop() {
    task_ = nullptr;
    start();
    for (std::thread& thread : threads_) thread.join();
  }

  void perform(int worker) {
    try {
      task_(with_, worker);
    } catch (...) {
      errors_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }

  void serve(int worker) {
    for (std::uint32_t seen = 0;;) {
      seen = await(starts_, [seen](std::uint32_t starts) { return starts != seen; });
      if (!task_) return;
      perform(worker);
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
    }
  }

  /// Waits for a value: spins for a few microseconds, since the next task often follows
  /// closely, then sleeps.
  template <class T, class Enough>
  static T await(const std::atomic<T>& value, Enough&& enough) {
    for (int i = 0; i < 2000; ++i) {
      const T now = value.load(std::memory_order_acquire);
      if (enough(now)) return now;
#if defined(__x86_64__)
      _mm_pause();
#endif
    }
    while (true) {
      const T now = value.load(std::memory_order_acquire);
      if (enough(now)) return now;
      value.wait(now, std::memory_order_acquire);
    }
  }

  std::vector<std::thread> threads_;
  std::vector<std::exception_ptr> errors_;  // [worker]
  void (*task_)(void*, int worker) = nullptr;
  void* with_ = nullptr;
  std::atomic<std::uint32_t> starts_{0};
  std::atomic<int> busy_{0};
};

/// Makes a worker on each of up to `threads` threads; the workers call `work(job)` for every
/// job below `jobs`, each once, in any order. After an exception no further job is begun, and
/// the first is rethrown. The caller polls for interrupts between its jobs.
template <class MakeWorker>
void parallel_for(int threads, std::uint64_t jobs, MakeWorker&& make_worker) {
  std::atomic<std::uint64_t> next = 0;
  ThreadPool pool(static_cast<int>(std::clamp<std::uint64_t>(jobs, 1, static_cast<std::uint64_t>(threads))));
  pool.run([&](int worker) {
    try {
      auto work = make_worker();
      for (std::uint64_t job; (job = next.fetch_add(1, std::memory_order_relaxed)) < jobs;) {
        if (worker == 0) poll_interrupt();
        work(job);
      }
    } catch (...) {
      next.store(jobs, std::memory_order_relaxed);
      throw;
    }
  });
}

}  // namespace halma
