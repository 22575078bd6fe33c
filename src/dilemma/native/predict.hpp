// Walking rows down a tree, and turning wide arrays into columns of codes. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dilemma {

enum NodeKind : std::uint8_t { kLeaf = 0, kNumeric = 1, kSubset = 2, kMultiway = 3 };

// Plain arrays of a tree; see dilemma/tree/model.py for their meaning.
struct TreeView {
  const std::uint8_t* kind;
  const std::int32_t* feature;
  const double* threshold;
  const std::uint8_t* mask;  // n_nodes x 32 bytes: bit c says whether code c goes left
  const std::int32_t* missing;
  const std::int32_t* branch_start;  // n_nodes + 1
  const std::int32_t* branch;
};

// The child of `node` for value `x`; missing and unseen values take the missing branch.
inline std::int32_t next_node(const TreeView& tree, std::int32_t node, double x) {
  const std::int32_t start = tree.branch_start[node];
  if (tree.kind[node] == kNumeric) {
    if (std::isnan(x)) return tree.missing[node];
    return tree.branch[start + (x <= tree.threshold[node] ? 0 : 1)];
  }
  if (!(x >= 0.0 && x < 255.0)) return tree.missing[node];
  const auto code = static_cast<std::int32_t>(x);
  if (tree.kind[node] == kSubset) {
    const std::uint8_t byte = tree.mask[static_cast<std::size_t>(node) * 32 + code / 8];
    return tree.branch[start + ((byte >> (code % 8)) & 1 ? 0 : 1)];
  }
  if (code >= tree.branch_start[node + 1] - start) return tree.missing[node];
  return tree.branch[start + code];
}

// Leaf of each row of a strided array (strides in elements).
template <class T>
void apply_rows(const TreeView& tree, const T* x, std::size_t n_rows, std::ptrdiff_t row_stride,
                std::ptrdiff_t column_stride, std::int32_t* leaf) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    const T* row = x + static_cast<std::ptrdiff_t>(i) * row_stride;
    std::int32_t node = 0;
    while (tree.kind[node] != kLeaf)
      node = next_node(tree, node, static_cast<double>(row[tree.feature[node] * column_stride]));
    leaf[i] = node;
  }
}

// Columns of a 0/1 array as rows of bytes, 255 for NaN; false at the first other value.
// Turned block by block, so that both sides stay in cache.
template <class T>
bool turn_binary(const T* x, std::size_t n_rows, std::size_t n_columns, std::ptrdiff_t row_stride,
                 std::ptrdiff_t column_stride, std::uint8_t* codes) {
  constexpr std::size_t kRows = 64, kColumns = 64;
  for (std::size_t r0 = 0; r0 < n_rows; r0 += kRows) {
    const std::size_t r1 = std::min(n_rows, r0 + kRows);
    for (std::size_t c0 = 0; c0 < n_columns; c0 += kColumns) {
      const std::size_t c1 = std::min(n_columns, c0 + kColumns);
      std::uint8_t tile[kColumns][kRows];
      bool other = false;
      for (std::size_t r = r0; r < r1; ++r) {
        const T* row = x + static_cast<std::ptrdiff_t>(r) * row_stride;
        for (std::size_t c = c0; c < c1; ++c) {
          const T v = row[static_cast<std::ptrdiff_t>(c) * column_stride];
          const bool one = v == T(1), zero = v == T(0), gap = v != v;
          other |= !(one || zero || gap);
          tile[c - c0][r - r0] = gap ? 255 : static_cast<std::uint8_t>(one);
        }
      }
      if (other) return false;
      for (std::size_t c = c0; c < c1; ++c) std::memcpy(codes + c * n_rows + r0, tile[c - c0], r1 - r0);
    }
  }
  return true;
}

// Number of cuts below each value (cuts ascending, at most 254); 255 for NaN.
inline void search_codes(const double* values, std::size_t n, const double* cuts, std::size_t n_cuts,
                         std::uint8_t* codes) {
  double padded[256];
  for (std::size_t k = 0; k < 256; ++k) padded[k] = k < n_cuts ? cuts[k] : INFINITY;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = values[i];
    unsigned at = 0;
    for (unsigned step = 128; step != 0; step >>= 1) at += padded[at + step - 1] < v ? step : 0;
    codes[i] = std::isnan(v) ? 255 : static_cast<std::uint8_t>(at);
  }
}

}  // namespace dilemma
