// Python bindings of prediction and encoding.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "counts.hpp"
#include "predict.hpp"

namespace nb = nanobind;
using namespace dilemma;

template <class T, int N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// Everything a walk relies on, so that no array from a file can lead it astray: indices in range, and
// children behind their parents, so that there is no cycle.
static void check_tree(const TreeView& tree, std::size_t n_nodes, std::size_t n_branches,
                       std::size_t n_columns) {
  if (n_nodes == 0 || tree.branch_start[0] != 0 ||
      tree.branch_start[n_nodes] != static_cast<std::int64_t>(n_branches))
    throw nb::value_error("tree: branch_start does not match branch");
  for (std::size_t node = 0; node < n_nodes; ++node) {
    const std::int64_t start = tree.branch_start[node], end = tree.branch_start[node + 1];
    if (start > end || end > static_cast<std::int64_t>(n_branches))
      throw nb::value_error("tree: branch_start is not ascending");
    const auto inside = [&](std::int32_t next) {
      return next > static_cast<std::int64_t>(node) && next < static_cast<std::int64_t>(n_nodes);
    };
    for (std::int64_t k = start; k < end; ++k)
      if (!inside(tree.branch[k])) throw nb::value_error("tree: branch out of range");
    const std::uint8_t kind = tree.kind[node];
    if (kind == kLeaf) continue;
    if (kind > kMultiway || end - start < 1 || (kind != kMultiway && end - start != 2))
      throw nb::value_error("tree: wrong number of branches");
    if (!inside(tree.missing[node])) throw nb::value_error("tree: missing branch out of range");
    if (tree.feature[node] < 0 || tree.feature[node] >= static_cast<std::int64_t>(n_columns))
      throw nb::value_error("tree: feature out of range");
  }
}

template <class T>
static void apply(In<std::uint8_t, 1> kind, In<std::int32_t, 1> feature, In<double, 1> threshold,
                  In<std::uint8_t, 2> mask, In<std::int32_t, 1> missing, In<std::int32_t, 1> branch_start,
                  In<std::int32_t, 1> branch, Rows<T> x, Out<std::int32_t, 1> leaf) {
  const std::size_t n = kind.shape(0);
  if (feature.shape(0) != n || threshold.shape(0) != n || mask.shape(0) != n || mask.shape(1) != 32 ||
      missing.shape(0) != n || branch_start.shape(0) != n + 1 || leaf.shape(0) != x.shape(0))
    throw nb::value_error("tree: arrays differ in length");
  const TreeView tree{kind.data(), feature.data(), threshold.data(), mask.data(),
                      missing.data(), branch_start.data(), branch.data()};
  check_tree(tree, n, branch.shape(0), x.shape(1));
  nb::gil_scoped_release release;
  apply_rows(tree, x.data(), x.shape(0), x.stride(0), x.stride(1), leaf.data());
}

template <class T>
static bool binary(Rows<T> x, Out<std::uint8_t, 2> codes) {
  if (codes.shape(0) != x.shape(1) || codes.shape(1) != x.shape(0))
    throw nb::value_error("codes: expected shape (columns, rows)");
  nb::gil_scoped_release release;
  return turn_binary(x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1), codes.data());
}

template <class T>
static void encode(Rows<T> x, In<std::int32_t, 1> columns, In<std::int32_t, 1> cut_start, In<double, 1> cuts,
                   Out<std::uint8_t, 2> codes) {
  const std::size_t n = columns.shape(0);
  if (codes.shape(0) != x.shape(1) || codes.shape(1) != x.shape(0))
    throw nb::value_error("codes: expected shape (columns, rows)");
  if (cut_start.shape(0) != n + 1 || cut_start.data()[0] != 0 ||
      cut_start.data()[n] != static_cast<std::int64_t>(cuts.shape(0)))
    throw nb::value_error("cut_start does not match cuts and columns");
  std::vector<CutSearch> searches;
  searches.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t start = cut_start.data()[i], end = cut_start.data()[i + 1];
    if (start > end || end - start > 254 || end > static_cast<std::int64_t>(cuts.shape(0)))
      throw nb::value_error("cut_start: expected at most 254 cuts a column");
    if (columns.data()[i] < 0 || columns.data()[i] >= static_cast<std::int64_t>(x.shape(1)))
      throw nb::value_error("columns: out of range");
    searches.emplace_back(cuts.data() + start, static_cast<std::size_t>(end - start));
  }
  const std::vector<std::int32_t> which(columns.data(), columns.data() + n);
  nb::gil_scoped_release release;
  encode_columns(x.data(), x.shape(0), x.stride(0), x.stride(1), which, searches, codes.data());
}

template <class T>
static void bind_encode(nb::module_& m) {
  m.def("encode", &encode<T>, nb::arg("x").noconvert(), nb::arg("columns").noconvert(),
        nb::arg("cut_start").noconvert(), nb::arg("cuts").noconvert(), nb::arg("codes").noconvert());
}

static void counts(In<std::uint64_t, 2> columns, In<std::int32_t, 1> at, In<std::uint64_t, 1> words,
                   In<std::int32_t, 1> word_class, Out<std::int64_t, 2> out) {
  const std::size_t n_words = columns.shape(1);
  if (word_class.shape(0) != n_words || at.shape(0) != words.shape(0) || out.shape(0) != columns.shape(0))
    throw nb::value_error("counts: arrays differ in length");
  for (std::size_t i = 0; i < at.shape(0); ++i)
    if (at.data()[i] < 0 || static_cast<std::size_t>(at.data()[i]) >= n_words)
      throw nb::value_error("counts: word out of range");
  for (std::size_t i = 0; i < n_words; ++i)
    if (word_class.data()[i] < 0 || static_cast<std::size_t>(word_class.data()[i]) >= out.shape(1))
      throw nb::value_error("counts: class out of range");
  nb::gil_scoped_release release;
  class_counts(columns.data(), columns.shape(0), n_words, at.data(), words.data(), at.shape(0),
               word_class.data(), out.shape(1), out.data());
}

NB_MODULE(_predict, m) {
  m.attr("name") = "native";
  m.def("apply", &apply<double>, nb::arg("kind").noconvert(), nb::arg("feature").noconvert(),
        nb::arg("threshold").noconvert(), nb::arg("mask").noconvert(), nb::arg("missing").noconvert(),
        nb::arg("branch_start").noconvert(), nb::arg("branch").noconvert(), nb::arg("x").noconvert(),
        nb::arg("leaf").noconvert());
  m.def("apply", &apply<float>, nb::arg("kind").noconvert(), nb::arg("feature").noconvert(),
        nb::arg("threshold").noconvert(), nb::arg("mask").noconvert(), nb::arg("missing").noconvert(),
        nb::arg("branch_start").noconvert(), nb::arg("branch").noconvert(), nb::arg("x").noconvert(),
        nb::arg("leaf").noconvert());
  m.def("binary", &binary<std::uint8_t>, nb::arg("x").noconvert(), nb::arg("codes").noconvert());
  m.def("binary", &binary<float>, nb::arg("x").noconvert(), nb::arg("codes").noconvert());
  m.def("binary", &binary<double>, nb::arg("x").noconvert(), nb::arg("codes").noconvert());
  bind_encode<double>(m);
  bind_encode<float>(m);
  bind_encode<std::uint8_t>(m);
  bind_encode<std::int32_t>(m);
  bind_encode<std::int64_t>(m);
  m.def("counts", &counts, nb::arg("columns").noconvert(), nb::arg("at").noconvert(),
        nb::arg("words").noconvert(), nb::arg("word_class").noconvert(), nb::arg("out").noconvert());
  m.def(
      "search",
      [](In<double, 1> values, In<double, 1> cuts, Out<std::uint8_t, 1> codes) {
        if (cuts.shape(0) > 254) throw nb::value_error("cuts: expected at most 254");
        if (codes.shape(0) != values.shape(0)) throw nb::value_error("codes: expected as many as values");
        nb::gil_scoped_release release;
        search_codes(values.data(), values.shape(0), cuts.data(), cuts.shape(0), codes.data());
      },
      nb::arg("values").noconvert(), nb::arg("cuts").noconvert(), nb::arg("codes").noconvert());
}
