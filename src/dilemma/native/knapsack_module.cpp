// Python bindings of the knapsack kernel. Arguments are checked by the Python wrapper; what could reach outside an
// array is checked here again.
#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "knapsack_solver.hpp"

namespace nb = nanobind;
using namespace dilemma::knapsack;

namespace {

using Column64 = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Column128 = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<std::int64_t> read(const Column64& column) {
  return {column.data(), column.data() + column.shape(0)};
}

// Rows of (low, high) words, as two's complement.
std::vector<int128> read(const Column128& column) {
  if (column.shape(1) != 2) throw std::invalid_argument("expected rows of two 64-bit words");
  std::vector<int128> out(column.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t* words = column.data() + 2 * i;
    out[i] = static_cast<int128>((static_cast<uint128>(words[1]) << 64) | words[0]);
  }
  return out;
}

nb::object to_python(std::int64_t value) { return nb::int_(value); }
nb::object to_python(int128 value) {
  const auto high = static_cast<std::int64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return (nb::int_(high) << nb::int_(64)) | nb::int_(low);
}

template <class T>
T from_python(const nb::int_& value) {
  if constexpr (sizeof(T) == 8) {
    return nb::cast<std::int64_t>(value);
  } else {
    const auto low = nb::cast<std::uint64_t>(value & nb::int_(~std::uint64_t{0}));
    const auto high = nb::cast<std::int64_t>(value >> nb::int_(64));
    return static_cast<int128>((static_cast<uint128>(static_cast<std::uint64_t>(high)) << 64) | low);
  }
}

// What the solver rests on: it indexes by weights and sums, so a wrong one would reach outside its arrays.
template <class T>
void check_items(const std::vector<T>& values, const std::vector<T>& weights, T capacity) {
  const T most = T{1} << (sizeof(T) == 8 ? 61 : 125);
  T value_sum{0}, weight_sum{0};
  if (capacity < 0 || capacity >= most) throw std::invalid_argument("capacity out of range");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1 || values[i] >= most || weights[i] < 1 || weights[i] > capacity)
      throw std::invalid_argument("values and weights: expected positive values and weights of 1 to the capacity");
    value_sum += values[i];
    weight_sum += weights[i];
    if (value_sum >= most || weight_sum >= most) throw std::invalid_argument("the sums are too large");
  }
}

template <class Int>
nb::object array_of(const std::vector<Int>& numbers) {
  auto* data = new std::vector<Int>(numbers);
  nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<Int>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Int, nb::ndim<1>>(data->data(), {data->size()}, owner));
}

template <class T, class Column>
nb::dict run_kernel(const Column& value_column, const Column& weight_column, const nb::int_& capacity,
                    double time_limit, std::int64_t max_iter, const nb::object& target, bool trace_all,
                    std::int64_t core_after, std::size_t max_states, std::size_t max_queue, bool bounded) {
  if (value_column.shape(0) != weight_column.shape(0)) throw std::invalid_argument("columns differ in length");
  Run<T> run;
  run.time_limit = time_limit;
  run.max_iter = max_iter;
  run.trace_all = trace_all;
  run.has_target = !target.is_none();
  if (run.has_target) run.target = from_python<T>(nb::cast<nb::int_>(target));
  const T room = from_python<T>(capacity);
  std::vector<T> values = read(value_column), weights = read(weight_column);
  check_items(values, weights, room);
  if (max_states < 1 || max_queue < 2) throw std::invalid_argument("max_states and max_queue: expected at least 1 and 2");

  bool raised = false;  // by a signal handler; its exception stays set
  auto last_look = Run<T>::Clock::now();
  run.interrupted = [&raised, &last_look] {
    const auto now = Run<T>::Clock::now();
    if (now - last_look < std::chrono::milliseconds(20)) return false;
    last_look = now;
    nb::gil_scoped_acquire gil;
    raised = raised || PyErr_CheckSignals() != 0;
    return raised;
  };

  Outcome<T> outcome;
  std::vector<std::int64_t> chosen;
  {
    nb::gil_scoped_release no_gil;
    const std::vector<std::uint32_t> order = ratio_order(values, weights);
    std::vector<T> sorted_values(order.size()), sorted_weights(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted_values[i] = values[order[i]];
      sorted_weights[i] = weights[order[i]];
    }
    const Items<T> items(std::move(sorted_values), std::move(sorted_weights), room);
    Options options;
    options.core_after = core_after;
    options.max_states = max_states;
    options.first_width = std::min(options.first_width, max_states);
    options.max_queue = max_queue;
    options.bounded = bounded;
    outcome = solve(items, run, options);
    for (const std::size_t p : outcome.positions) chosen.push_back(order[p]);
    std::sort(chosen.begin(), chosen.end());
  }
  if (raised) {
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();  // Ctrl-C: the best so far, with its stop reason
  }

  nb::list trace;
  for (const TraceRow& row : run.trace)
    trace.append(nb::make_tuple(row.iteration, row.nodes, row.seconds, to_python(run.trace_values[row.value_index])));
  nb::dict out;
  out["chosen"] = array_of(chosen);
  out["value"] = to_python(run.best);
  out["greedy"] = to_python(outcome.greedy);
  out["bound"] = to_python(outcome.bound);
  out["optimal"] = outcome.optimal;
  out["stop"] = static_cast<int>(run.stop);
  out["iterations"] = run.iterations;
  out["nodes"] = run.nodes;
  out["trace"] = trace;
  return out;
}

template <class T, class Column>
void bind(nb::module_& m, const char* name) {
  m.def(name, &run_kernel<T, Column>, nb::arg("values").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("capacity"), nb::kw_only(), nb::arg("time_limit"), nb::arg("max_iter"),
        nb::arg("target").none(), nb::arg("trace_all"), nb::arg("core_after"), nb::arg("max_states"),
        nb::arg("max_queue"), nb::arg("bounded"));
}

}  // namespace

NB_MODULE(_knapsack, m) {
  m.attr("name") = "native";
  bind<std::int64_t, Column64>(m, "solve64");
  bind<int128, Column128>(m, "solve128");
}
