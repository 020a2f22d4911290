#include "mpi_ranks.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <list>
#include <stdexcept>
#include <thread>
#include <utility>

namespace chaosgrad::mpi {
using namespace internal;
namespace {

// Cores for each rank of a machine: those that it may use, but no more than its share of those that
// all ranks there may use.
int fair_threads(MPI_Comm all) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int neighbours = 1;
  MPI_Comm_size(machine, &neighbours);
  cpu_set_t own, any;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof(own), &own);
  MPI_Allreduce(&own, &any, static_cast<int>(sizeof(own)), MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  return std::max(1, std::min(CPU_COUNT(&own), CPU_COUNT(&any) / neighbours));
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    threads_ = fair_threads(comm_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int threads() const override { return threads_; }

  void send(int to, Channel channel, Numbers numbers) override {
    if (numbers.size() > std::numeric_limits<int>::max())
      throw std::runtime_error(fmt::format(
          "{} numbers are more than MPI takes in one message: one rank only", numbers.size()));
    reap();
    Sending& sending = sending_.emplace_back();
    sending.numbers = std::move(numbers);
    MPI_Isend(sending.numbers.data(), static_cast<int>(sending.numbers.size()), MPI_DOUBLE, to,
              static_cast<int>(channel), comm_, &sending.request);
  }

  [[nodiscard]] std::optional<Message> poll(int from, Channel channel) override {
    reap();
    int there = 0;
    MPI_Status status;
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Improbe(from == any ? MPI_ANY_SOURCE : from, static_cast<int>(channel), comm_, &there,
                &matched, &status);
    if (there == 0) return {};
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    Message message{status.MPI_SOURCE, Numbers(static_cast<std::size_t>(count))};
    MPI_Mrecv(message.numbers.data(), count, MPI_DOUBLE, &matched, MPI_STATUS_IGNORE);
    return message;
  }

 private:
  struct Sending {
    Numbers numbers;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void reap() {
    std::erase_if(sending_, [](Sending& sending) {
      int done = 0;
      MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, threads_ = 1;
  std::list<Sending> sending_;
};

// Whether all ranks have come here within so many seconds.
bool all_arrive(double seconds) {
  MPI_Request arrived = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &arrived);
  const auto start = std::chrono::steady_clock::now();
  for (Patience patience;; patience.wait()) {
    int done = 0;
    MPI_Test(&arrived, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    if (waited.count() > seconds) return false;
  }
}

}  // namespace

MpiProcess::MpiProcess(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) {
    fmt::print(stderr, "error: this MPI cannot be called from several threads\n");
    MPI_Abort(MPI_COMM_WORLD, cli::exit_io);
  }
  ranks_ = std::make_shared<MpiRanks>();
}

MpiProcess::~MpiProcess() { MPI_Finalize(); }

int MpiProcess::end(const cli::Ending& ending) {
  constexpr double grace = 10, ever = 1e30;  // seconds
  const bool failed = !ending.error.empty();
  if (!all_arrive(failed ? grace : ever)) {
    if (!ranks_->is_first())  // rank 0 has told its own
      fmt::print(stderr, "error: rank {}: {}\n", ranks_->rank(), ending.error);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, ending.exit_code);
  }
  int code = ending.exit_code;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

}  // namespace chaosgrad::mpi
