#include "core/calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace chaosgrad::python {
namespace {

constexpr std::size_t most_arguments = 3;

// A read-only view, samples first.
py::array view_of(const Block& block) {
  constexpr auto number = static_cast<py::ssize_t>(sizeof(double));
  py::array view(py::dtype::of<double>(), std::array<py::ssize_t, 2>{block.rows(), block.cols()},
                 std::array<py::ssize_t, 2>{number, block.outerStride() * number}, block.data(),
                 py::none());
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

std::string shape_text(const py::array& array) {
  std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

// Samples first, and as many numbers a row as there are columns.
bool fits(const py::array& found, Index rows, Index columns) {
  if (found.ndim() == 0 || found.shape(0) != rows) return false;
  return found.size() == rows * columns;
}

// As an array of doubles, or empty with an exception set.
py::array_t<double> as_numbers(const std::string& name, const py::object& result) {
  const py::array found = py::array::ensure(result);
  if (!found) {
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError, fmt::format("{} returned {}, not an array of numbers", name,
                                                 py::str(py::type::of(result)).cast<std::string>())
                                         .c_str());
    return py::reinterpret_steal<py::array_t<double>>(py::handle());
  }
  if (const char kind = found.dtype().kind();
      kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    PyErr_SetString(PyExc_TypeError, fmt::format("{} returned an array of {}, not of real numbers",
                                                 name, py::str(found.dtype()).cast<std::string>())
                                         .c_str());
    return py::reinterpret_steal<py::array_t<double>>(py::handle());
  }
  return py::array_t<double>::ensure(found);
}

// Column by column, from wherever its numbers stand: the columns of a block are apart.
void copy_out(const py::array_t<double>& found, BlockOut& values) {
  constexpr auto number = static_cast<py::ssize_t>(sizeof(double));
  const bool whole = found.ndim() <= 2 && found.strides(0) % number == 0 &&
                     (found.ndim() == 1 || found.strides(1) % number == 0);
  if (!whole) {
    const auto packed = py::array_t<double, py::array::c_style | py::array::forcecast>(found);
    values = Eigen::Map<const Coefficients>(packed.data(), values.rows(), values.cols());
    return;
  }
  const double* const data = found.data();
  const Index rows = values.rows(), down = found.strides(0) / number,
              across = found.ndim() == 1 ? 0 : found.strides(1) / number;
  for (Index j = 0; j < values.cols(); ++j) {
    double* const column = values.col(j).data();
    const double* const from = data + j * across;
    for (Index i = 0; i < rows; ++i) column[i] = from[i * down];
  }
}

// Throws the exception that is set.
[[noreturn]] void fail() { throw CallFailed{py::error_already_set()}; }

[[noreturn]] void fail_with(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  fail();
}

}  // namespace

Interpreter::Interpreter() {
  if (PyGILState_GetThisThreadState() == nullptr) {
    (void)PyGILState_Ensure();  // never released: the thread keeps its state
    (void)PyEval_SaveThread();
  }
  state_ = PyGILState_Ensure();
}

Interpreter::~Interpreter() { PyGILState_Release(state_); }

Shared share(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {  // NOLINT: a deleter of its own
            const Interpreter hold;
            delete held;
          }};
}

void BlockFunction::operator()(const std::vector<Block>& inputs, BlockOut values) const {
  const Interpreter hold;
  std::array<py::object, most_arguments> views;
  std::array<PyObject*, most_arguments + 1> arguments = {};  // one before them is for the callee
  const auto count = static_cast<std::size_t>(arguments_);
  for (std::size_t i = 0; i < count; ++i) {
    views[i] = view_of(inputs[i]);
    arguments[i + 1] = views[i].ptr();
  }
  auto result = py::reinterpret_steal<py::object>(PyObject_Vectorcall(
      function_->ptr(), arguments.data() + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!result) fail();
  {
    const py::array_t<double> found = as_numbers(name_, result);
    if (!found) fail();
    if (!fits(found, values.rows(), values.cols())) {
      fail_with(
          PyExc_ValueError,
          fmt::format("{} returned an array of shape {}, expected {}", name_, shape_text(found),
                      values.cols() == 1 ? fmt::format("({},)", values.rows())
                                         : fmt::format("({}, {})", values.rows(), values.cols())));
    }
    copy_out(found, values);
  }
  result = py::object();
  for (std::size_t i = 0; i < count; ++i) {
    if (views[i].ref_count() == 1) continue;
    fail_with(PyExc_RuntimeError,
              fmt::format("{} kept argument {} beyond its call: it is a view of the solver's "
                          "memory, keep a copy of it (numpy.array(…)) instead",
                          name_, i));
  }
}

}  // namespace chaosgrad::python
