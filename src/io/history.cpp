#include "io/history.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "chaosgrad/error.h"

namespace chaosgrad {
namespace {

struct Column {
  const char* name;
  std::function<double(const IterationRecord&)> get;
  std::function<void(IterationRecord&, double)> set;
};

template <class Number>
Column column(const char* name, Number IterationRecord::*member) {
  return {name, [member](const IterationRecord& r) { return static_cast<double>(r.*member); },
          [member](IterationRecord& r, double value) { r.*member = static_cast<Number>(value); }};
}

// Unknown values are stored as NaN.
Column column(const char* name, std::optional<double> IterationRecord::*member) {
  return {name,
          [member](const IterationRecord& r) {
            return (r.*member).value_or(std::numeric_limits<double>::quiet_NaN());
          },
          [member](IterationRecord& r, double value) {
            if (!std::isnan(value)) r.*member = value;
          }};
}

// The last ones are there only where some iteration knows them.
constexpr std::size_t always = 9;

const std::array<Column, 14>& columns() {
  static const std::array<Column, 14> table = {
      column("k", &IterationRecord::k),
      column("basis_size", &IterationRecord::basis_size),
      column("samples", &IterationRecord::samples),
      column("step", &IterationRecord::step),
      column("gradients", &IterationRecord::gradients),
      column("seconds", &IterationRecord::seconds),
      column("gradient_norm", &IterationRecord::gradient_norm),
      column("error_squared", &IterationRecord::error_squared),
      column("true_error", &IterationRecord::true_error),
      column("bound", &IterationRecord::bound),
      column("estimate", &IterationRecord::estimate),
      column("basis", &IterationRecord::basis),
      column("sampling", &IterationRecord::sampling),
      column("optimisation", &IterationRecord::optimisation)};
  return table;
}

}  // namespace

void write_history(Hdf5Writer& store, const std::vector<IterationRecord>& history) {
  std::vector<double> values(history.size());
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const Column& column = columns()[c];
    bool known = c < always;
    for (std::size_t i = 0; i < history.size(); ++i) {
      values[i] = column.get(history[i]);
      known = known || !std::isnan(values[i]);
    }
    if (known) store.vector(fmt::format("history/{}", column.name), values);
  }
}

std::vector<IterationRecord> read_history(const Hdf5Reader& store) {
  std::vector<IterationRecord> history;
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const Column& column = columns()[c];
    const std::string name = fmt::format("history/{}", column.name);
    if (c >= always && !store.has(name)) continue;
    const std::vector<double> values = store.vector(name);
    if (history.empty()) history.resize(values.size());
    if (values.size() != history.size()) throw IoError(name + ": its length is not that of k");
    for (std::size_t i = 0; i < history.size(); ++i) column.set(history[i], values[i]);
  }
  return history;
}

std::string history_csv(const Run& run, bool bounds) {
  std::string text =
      "k,basis_size,samples,step,gradients,seconds,gradient_norm,error_squared,true_error";
  text += bounds ? ",bound\n" : "\n";
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.17g}", *value) : "";
  };
  for (const IterationRecord& record : run.history) {
    text += fmt::format("{},{},{},{:.17g},{},{:.6f},{:.17g},{},{}", record.k, record.basis_size,
                        record.samples, record.step, record.gradients, record.seconds,
                        record.gradient_norm, optional(record.error_squared),
                        optional(record.true_error));
    if (bounds) text += fmt::format(",{}", optional(record.bound));
    text += "\n";
  }
  return text;
}

}  // namespace chaosgrad
