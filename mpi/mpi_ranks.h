#pragma once
// Ranks of MPI. The only file that knows MPI is mpi_ranks.cpp.
#include <memory>

#include "parallel/ranks.h"
#include "program.h"

namespace chaosgrad::mpi {

// The process as a rank of an MPI job, from the beginning of main() to its end.
class MpiProcess {
 public:
  MpiProcess(int& argc, char**& argv);
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;
  ~MpiProcess();

  [[nodiscard]] const std::shared_ptr<internal::Ranks>& ranks() const { return ranks_; }
  // Waits for the other ranks and returns the exit code of rank 0. A rank that ended by an error of
  // its own, which the others know nothing of, tells it and ends the job.
  [[nodiscard]] int end(const cli::Ending& ending);

 private:
  std::shared_ptr<internal::Ranks> ranks_;
};

}  // namespace chaosgrad::mpi
