#pragma once
// Calls of Python functions from the threads of a solve: who holds the interpreter, arrays that are
// views of the solver's blocks, exceptions on their way back.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::python {

namespace py = pybind11;

// Comes out of a call whose function raised, with the exception. No std::exception, so that nobody on
// the way takes it for one of theirs.
struct CallFailed {
  py::error_already_set error;
};

// Holds the interpreter. A thread that comes for the first time keeps its thread state, which
// takes longer to make than a call.
class Interpreter {
 public:
  Interpreter();
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

// A Python object that may be let go of by any thread.
using Shared = std::shared_ptr<py::object>;
[[nodiscard]] Shared share(py::object object);

// The answer of C++ that runs without the interpreter; what a function raised comes out as it was.
template <class Work>
auto without_interpreter(const Work& work) {
  try {
    const py::gil_scoped_release release;
    return work();
  } catch (const CallFailed& failed) {
    throw failed.error;
  }
}

// A function of blocks: its name in messages, and how many of its arguments it wants.
class BlockFunction {
 public:
  BlockFunction(std::string name, py::object function, int arguments)
      : name_(std::move(name)), function_(share(std::move(function))), arguments_(arguments) {}

  // values (B×columns) = function(inputs[0], …), each a read-only view of a block, valid during the
  // call. A result of one column may be of shape (B,), one of several also (B, …) with as many
  // numbers a row.
  void operator()(const std::vector<Block>& inputs, BlockOut values) const;

 private:
  std::string name_;
  Shared function_;
  int arguments_;
};

}  // namespace chaosgrad::python
