#include "io/store/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
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

using Columns = std::span<const Column>;

// Of every run; and those that are there only where some iteration knows them.
Columns common_columns() {
  static const std::array table = {column("k", &IterationRecord::k),
                                   column("basis_size", &IterationRecord::basis_size),
                                   column("samples", &IterationRecord::samples),
                                   column("step", &IterationRecord::step),
                                   column("gradients", &IterationRecord::gradients),
                                   column("seconds", &IterationRecord::seconds),
                                   column("gradient_norm", &IterationRecord::gradient_norm),
                                   column("error_squared", &IterationRecord::error_squared),
                                   column("true_error", &IterationRecord::true_error)};
  return table;
}
Columns bound_columns() {
  static const std::array table = {column("bound", &IterationRecord::bound)};
  return table;
}
Columns error_columns() {
  static const std::array table = {column("estimate", &IterationRecord::estimate),
                                   column("basis", &IterationRecord::basis),
                                   column("sampling", &IterationRecord::sampling),
                                   column("optimisation", &IterationRecord::optimisation)};
  return table;
}

bool known(const Column& column, const std::vector<IterationRecord>& history) {
  return std::any_of(history.begin(), history.end(), [&](const IterationRecord& record) {
    return !std::isnan(column.get(record));
  });
}

}  // namespace

void write_history(Hdf5Writer& store, const std::vector<IterationRecord>& history) {
  const auto write = [&](const Column& column) {
    std::vector<double> values;
    for (const IterationRecord& record : history) values.push_back(column.get(record));
    store.vector(fmt::format("history/{}", column.name), values);
  };
  for (const Column& column : common_columns()) write(column);
  for (const Columns& columns : {bound_columns(), error_columns()}) {
    for (const Column& column : columns)
      if (known(column, history)) write(column);
  }
}

std::vector<IterationRecord> read_history(const Hdf5Reader& store) {
  std::vector<IterationRecord> history(store.vector("history/k").size());
  const auto read = [&](const Column& column) {
    const std::string name = fmt::format("history/{}", column.name);
    const std::vector<double> values = store.vector(name);
    if (values.size() != history.size()) throw IoError(name + ": its length is not that of k");
    for (std::size_t i = 0; i < history.size(); ++i) column.set(history[i], values[i]);
  };
  for (const Column& column : common_columns()) read(column);
  for (const Columns& columns : {bound_columns(), error_columns()}) {
    for (const Column& column : columns)
      if (store.has(fmt::format("history/{}", column.name))) read(column);
  }
  return history;
}

std::string history_csv(const std::vector<IterationRecord>& history, bool bounds) {
  std::vector<Column> columns;
  const auto add = [&](Columns more) { columns.insert(columns.end(), more.begin(), more.end()); };
  add(common_columns());
  if (bounds || known(bound_columns().front(), history)) add(bound_columns());
  if (known(error_columns().front(), history)) add(error_columns());

  std::string text;
  const auto write_row = [&](const auto& cell) {
    for (const Column& column : columns)
      text += fmt::format("{}{}", text.empty() || text.back() == '\n' ? "" : ",", cell(column));
    text += "\n";
  };
  write_row([](const Column& column) { return std::string(column.name); });
  for (const IterationRecord& record : history) {
    write_row([&](const Column& column) {
      const double value = column.get(record);
      return std::isnan(value) ? std::string() : fmt::format("{}", value);
    });
  }
  return text;
}

}  // namespace chaosgrad::internal
