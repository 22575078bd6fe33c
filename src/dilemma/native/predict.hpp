// Walking rows down a tree, and turning wide arrays into columns of codes. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <initializer_list>
#include <vector>

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

// Eight values of a row as bytes 0, 1 or 255 (NaN); false if there is any other.
template <class T>
bool binary_bytes(const T* row, std::ptrdiff_t stride, std::size_t n, std::uint8_t* bytes) {
  bool fine = true;
  for (std::size_t k = 0; k < n; ++k) {
    const T v = row[static_cast<std::ptrdiff_t>(k) * stride];
    const bool one = v == T(1), gap = v != v;
    fine &= one || gap || v == T(0);
    bytes[k] = gap ? 255 : static_cast<std::uint8_t>(one);
  }
  return fine;
}

template <>
inline bool binary_bytes(const std::uint8_t* row, std::ptrdiff_t stride, std::size_t n, std::uint8_t* bytes) {
  std::uint8_t high = 0;
  if (stride == 1) {
    std::memcpy(bytes, row, n);
    for (std::size_t k = 0; k < n; ++k) high |= bytes[k];
  } else {
    for (std::size_t k = 0; k < n; ++k) high |= bytes[k] = row[static_cast<std::ptrdiff_t>(k) * stride];
  }
  return high <= 1;
}

// Swap rows and columns of 8 x 8 bytes: blocks of four, then two, then one.
inline void turn_block(std::uint64_t* a) {
  const auto swap = [a](int i, int j, int shift, std::uint64_t mask) {
    const std::uint64_t t = ((a[i] >> shift) ^ a[j]) & mask;
    a[j] ^= t;
    a[i] ^= t << shift;
  };
  for (int i = 0; i < 4; ++i) swap(i, i + 4, 32, 0x00000000FFFFFFFFull);
  for (int i : {0, 1, 4, 5}) swap(i, i + 2, 16, 0x0000FFFF0000FFFFull);
  for (int i : {0, 2, 4, 6}) swap(i, i + 1, 8, 0x00FF00FF00FF00FFull);
}

// The same as below for 8 columns of bytes side by side and 64 rows, without a branch.
inline bool turn_strip(const std::uint8_t* x, std::ptrdiff_t row_stride, std::size_t n_rows, std::uint8_t* codes) {
  std::uint64_t high = 0;
  for (std::size_t r0 = 0; r0 < 64; r0 += 8) {
    std::uint64_t block[8];
    for (std::size_t r = 0; r < 8; ++r) {
      std::memcpy(&block[r], x + static_cast<std::ptrdiff_t>(r0 + r) * row_stride, 8);
      high |= block[r];
    }
    turn_block(block);
    for (std::size_t c = 0; c < 8; ++c) std::memcpy(codes + c * n_rows + r0, &block[c], 8);
  }
  return !(high & 0xFEFEFEFEFEFEFEFEull);
}

// Columns of a 0/1 array as rows of bytes, 255 for NaN; false at the first other value.
// Turned in blocks of 8 x 8 within strips of 64 rows, so that both sides stay in cache.
template <class T>
bool turn_binary(const T* x, std::size_t n_rows, std::size_t n_columns, std::ptrdiff_t row_stride,
                 std::ptrdiff_t column_stride, std::uint8_t* codes) {
  constexpr std::size_t kStrip = 64;
  for (std::size_t strip = 0; strip < n_rows; strip += kStrip) {
    const std::size_t end = std::min(n_rows, strip + kStrip);
    for (std::size_t c0 = 0; c0 < n_columns; c0 += 8) {
      const std::size_t width = std::min<std::size_t>(8, n_columns - c0);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        if (width == 8 && column_stride == 1 && end - strip == kStrip) {
          const T* corner = x + static_cast<std::ptrdiff_t>(strip) * row_stride + static_cast<std::ptrdiff_t>(c0);
          if (!turn_strip(corner, row_stride, n_rows, codes + c0 * n_rows + strip)) return false;
          continue;
        }
      }
#endif
      for (std::size_t r0 = strip; r0 < end; r0 += 8) {
        const std::size_t height = std::min<std::size_t>(8, end - r0);
        std::uint8_t bytes[8][8] = {};
        for (std::size_t r = 0; r < height; ++r) {
          const T* row = x + static_cast<std::ptrdiff_t>(r0 + r) * row_stride +
                         static_cast<std::ptrdiff_t>(c0) * column_stride;
          if (!binary_bytes(row, column_stride, width, bytes[r])) return false;
        }
        std::uint64_t block[8];
        std::uint8_t turned[8][8];
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        std::memcpy(block, bytes, 64);
        turn_block(block);
        std::memcpy(turned, block, 64);
#else
        (void)block;
        for (int r = 0; r < 8; ++r)
          for (int c = 0; c < 8; ++c) turned[c][r] = bytes[r][c];
#endif
        for (std::size_t c = 0; c < width; ++c) std::memcpy(codes + (c0 + c) * n_rows + r0, turned[c], height);
      }
    }
  }
  return true;
}

// Cuts of one column (ascending, at most 254), padded for a search of fixed length without branches.
class CutSearch {
 public:
  CutSearch(const double* cuts, std::size_t n_cuts) {
    while ((std::size_t{1} << levels_) <= n_cuts) ++levels_;
    padded_.assign((std::size_t{1} << levels_) - 1, INFINITY);
    std::copy(cuts, cuts + n_cuts, padded_.begin());
  }

  // Number of cuts below each of up to 64 values; 255 for NaN. Many at once: each search waits for memory.
  void operator()(const double* values, std::size_t n, std::uint8_t* codes) const {
    std::uint32_t at[kStrip] = {};
    for (int level = levels_; level-- > 0;) {
      const std::uint32_t step = std::uint32_t{1} << level;
      const double* pivot = padded_.data() + (step - 1);
      for (std::size_t k = 0; k < n; ++k) at[k] += pivot[at[k]] < values[k] ? step : 0;
    }
    for (std::size_t k = 0; k < n; ++k) codes[k] = std::isnan(values[k]) ? 255 : static_cast<std::uint8_t>(at[k]);
  }

  static constexpr std::size_t kStrip = 64;

 private:
  int levels_ = 0;
  std::vector<double> padded_;
};

inline void search_codes(const double* values, std::size_t n, const double* cuts, std::size_t n_cuts,
                         std::uint8_t* codes) {
  const CutSearch search(cuts, n_cuts);
  for (std::size_t i = 0; i < n; i += CutSearch::kStrip)
    search(values + i, std::min(CutSearch::kStrip, n - i), codes + i);
}

// Codes of some columns of a strided array, a row of `codes` each, written where the column's number says.
// In strips of rows, so that each line of the array is fetched once.
template <class T>
void encode_columns(const T* x, std::size_t n_rows, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
                    const std::vector<std::int32_t>& columns, const std::vector<CutSearch>& searches,
                    std::uint8_t* codes) {
  double values[CutSearch::kStrip];
  for (std::size_t r = 0; r < n_rows; r += CutSearch::kStrip) {
    const std::size_t n = std::min(CutSearch::kStrip, n_rows - r);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const T* first = x + static_cast<std::ptrdiff_t>(r) * row_stride + columns[i] * column_stride;
      for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<double>(first[static_cast<std::ptrdiff_t>(k) * row_stride]);
      searches[i](values, n, codes + static_cast<std::size_t>(columns[i]) * n_rows + r);
    }
  }
}

}  // namespace dilemma
