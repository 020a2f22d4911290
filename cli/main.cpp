// chaosgrad: the solution map of an uncertain optimisation problem, from the command line.
#include "program.h"

int main(int argc, char** argv) {
  return chaosgrad::cli::run_program(argc, argv, nullptr).exit_code;
}
