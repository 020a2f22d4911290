// chaosgrad on several processes: mpirun -n 4 chaosgrad solve …
#include "mpi_ranks.h"
#include "program.h"

int main(int argc, char** argv) {
  chaosgrad::mpi::MpiProcess process(argc, argv);
  return process.end(chaosgrad::cli::run_program(argc, argv, process.ranks()));
}
