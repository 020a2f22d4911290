#pragma once
// The parts of the module, one file each.
#include <pybind11/pybind11.h>

namespace chaosgrad::python {

namespace py = pybind11;

void bind_problems(py::module_& module);
void bind_runs(py::module_& module);

}  // namespace chaosgrad::python
