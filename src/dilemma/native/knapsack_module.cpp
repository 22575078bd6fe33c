// Python bindings of the knapsack kernel.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_knapsack, m) { m.attr("name") = "native"; }
