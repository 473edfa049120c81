// Work shared among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace halma {

/// Makes a worker per thread and lets the workers call `work(job)` for every job below
/// `jobs`, each once, in any order. The first exception of a thread is passed on.
template <class MakeWorker>
void share_work(int threads, std::uint64_t jobs, MakeWorker&& make_worker) {
  std::atomic<std::uint64_t> next = 0;
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(threads));
  const auto labour = [&](int thread) {
    try {
      auto work = make_worker();
      for (std::uint64_t job; (job = next.fetch_add(1, std::memory_order_relaxed)) < jobs;) work(job);
    } catch (...) {
      failed[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> crew;
  for (int i = 1; i < threads && static_cast<std::uint64_t>(i) < jobs; ++i) crew.emplace_back(labour, i);
  labour(0);
  for (std::thread& thread : crew) thread.join();
  for (const std::exception_ptr& trouble : failed)
    if (trouble) std::rethrow_exception(trouble);
}

}  // namespace halma
