// A crew of threads that stays together: self-play asks it to work hundreds of times a
// second, and starting threads each time would cost more than some of the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halma {

class Crew {
 public:
  /// The caller of run() is one of the `threads` workers, so one fewer is started.
  explicit Crew(int threads) : failed_(static_cast<std::size_t>(threads)) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    order_ = nullptr;
    give_order();
    for (std::thread& thread : threads_) thread.join();
  }

  int size() const { return static_cast<int>(failed_.size()); }

  /// Lets the workers call `work(worker, job)` for every job below `jobs`, each once, in
  /// any order; returns when all are done. The first exception of a worker is passed on.
  template <class Work>
  void share(int jobs, Work&& work) {
    share_portions(jobs, [&](int worker, int first, int last) {
      for (int job = first; job < last; ++job) work(worker, job);
    });
  }

  /// The same in portions: `work(worker, first, last)` for jobs from first to before last.
  template <class Work>
  void share_portions(int jobs, Work&& work) {
    struct Shared {
      Work* work;
      int jobs, portion;
      std::atomic<int> next{0};
    };
    // Small portions share evenly, large ones ask less often for more.
    Shared shared{&work, jobs, std::max(1, jobs / (size() * 16)), {}};
    order_ = [](void* with, int worker) {
      auto& s = *static_cast<Shared*>(with);
      for (int first; (first = s.next.fetch_add(s.portion, std::memory_order_relaxed)) < s.jobs;)
        (*s.work)(worker, first, std::min(s.jobs, first + s.portion));
    };
    with_ = &shared;
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    give_order();
    obey(0);
    await(busy_, [](int busy) { return busy == 0; });
    for (std::exception_ptr& trouble : failed_)
      if (trouble) {
        const std::exception_ptr first = trouble;
        for (std::exception_ptr& one : failed_) one = nullptr;
        std::rethrow_exception(first);
      }
  }

 private:
  void give_order() {
    orders_.fetch_add(1, std::memory_order_release);
    orders_.notify_all();
  }

  void obey(int worker) {
    try {
      order_(with_, worker);
    } catch (...) {
      failed_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }

  void serve(int worker) {
    for (std::uint32_t seen = 0;;) {
      seen = await(orders_, [seen](std::uint32_t orders) { return orders != seen; });
      if (!order_) return;
      obey(worker);
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
    }
  }

  /// Waits for a value: a few microseconds awake, since orders often follow closely,
  /// then asleep.
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
  std::vector<std::exception_ptr> failed_;  // [worker]
  void (*order_)(void*, int worker) = nullptr;
  void* with_ = nullptr;
  std::atomic<std::uint32_t> orders_{0};
  std::atomic<int> busy_{0};
};

}  // namespace halma
