// Python bindings of the decision-tree kernel.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_tree, m) { m.attr("name") = "native"; }
