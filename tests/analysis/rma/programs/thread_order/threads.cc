// SPDX-License-Identifier: MIT
// Threads of C++. The calls in X_ordered order the get of the first thread before the store of the
// second, in X_racing they do not.
#include <atomic>
#include <condition_variable>
#include <future>
#include <mpi.h>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

MPI_Win window;
int *base;

void get(int at) {
  MPI_Get(base + at, 1, MPI_INT, 1, at, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
}

void thread_ordered(int at) {
  get(at);
  std::thread other([at] { base[at] = 1; });
  other.join();
  get(at);
}

void thread_racing(int at) {
  std::thread other([at] { base[at] = 1; });
  get(at);
  other.join();
}

void condition_ordered(int at) {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread other([&, at] {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [&] { return ready; });
    base[at] = 1;
  });
  get(at);
  {
    std::lock_guard<std::mutex> lock(mutex);
    ready = true;
  }
  condition.notify_one();
  other.join();
}

void mutex_racing(int at) {
  std::mutex mutex, unrelated;
  std::thread other([&, at] {
    std::lock_guard<std::mutex> lock(unrelated);
    base[at] = 1;
  });
  {
    std::lock_guard<std::mutex> lock(mutex);
    get(at);
  }
  other.join();
}

void shared_mutex_ordered(int at) {
  std::shared_mutex mutex;
  bool ready = false;
  std::thread other([&, at] {
    for (bool seen = false; !seen; std::this_thread::yield()) {
      std::shared_lock<std::shared_mutex> lock(mutex);
      seen = ready;
    }
    base[at] = 1;
  });
  get(at);
  {
    std::unique_lock<std::shared_mutex> lock(mutex);
    ready = true;
  }
  other.join();
}

void promise_ordered(int at) {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread other([&, at] { base[at] = future.get(); });
  get(at);
  promise.set_value(1);
  other.join();
}

void promise_racing(int at) {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread other([&, at] { base[at] = future.get(); });
  promise.set_value(1);
  get(at);
  other.join();
}

void async_ordered(int at) {
  get(at);
  std::async(std::launch::async, [at] { base[at] = 1; }).get();
  get(at);
}

void async_racing(int at) {
  auto other = std::async(std::launch::async, [at] { base[at] = 1; });
  get(at);
  other.get();
}

void atomic_ordered(int at) {
  std::atomic<bool> ready{false};
  std::atomic_flag spin = ATOMIC_FLAG_INIT;
  std::thread other([&, at] {
    while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
    base[at] = 1;
  });
  get(at);
  while (spin.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  spin.clear(std::memory_order_release);
  ready.store(true, std::memory_order_release);
  other.join();
}

// A static variable is initialized once, before each use. The thread that does it is not joined
// before the other use.
void static_ordered(int at) {
  auto use = [at] {
    static const int value = [at] {
      get(at);
      return 1;
    }();
    return value;
  };
  std::thread first([&] { use(); }), second([&, at] { base[at] = use(); });
  first.join();
  second.join();
}

} // namespace

int main(int argc, char **argv) {
  int rank, provided, at = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(128, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (auto function : {thread_ordered, thread_racing, condition_ordered, mutex_racing,
                        shared_mutex_ordered, promise_ordered, promise_racing, async_ordered,
                        async_racing, atomic_ordered, static_ordered})
    if (rank == 0) function(at++);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
