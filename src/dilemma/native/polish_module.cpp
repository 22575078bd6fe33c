// Python bindings of the local improvements. The wrapper (dilemma/problems/two_opt.py) checks the contents of
// what it passes once; shapes and ranges that would reach outside an array are checked here at every call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <vector>

#include "polish.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Tour = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void two_opt(Tour tour, Matrix<double> distances, Matrix<int32_t> neighbours) {
    const size_t n = tour.shape(0), k = neighbours.shape(1);
    if (n >= (size_t(1) << 29) || k >= (size_t(1) << 29)) throw std::invalid_argument("too many cities");
    if (distances.shape(0) != n || distances.shape(1) != n || neighbours.shape(0) != n)
        throw std::invalid_argument("tour, distances and neighbours disagree about the number of cities");
    std::vector<char> seen(n);
    for (size_t i = 0; i < n; ++i) {
        const int32_t city = tour.data()[i];
        if (city < 0 || size_t(city) >= n || seen[size_t(city)]) throw std::invalid_argument("the tour is no permutation");
        seen[size_t(city)] = 1;
    }
    for (size_t i = 0; i < n * k; ++i)
        if (neighbours.data()[i] < 0 || size_t(neighbours.data()[i]) >= n || size_t(neighbours.data()[i]) == i / k)
            throw std::invalid_argument("neighbour out of range");
    nb::gil_scoped_release release;
    dilemma::polish::TwoOpt(distances.data(), neighbours.data(), int32_t(n), int32_t(k)).run(tour.data());
}

}  // namespace

NB_MODULE(_polish, m) {
    m.attr("name") = "native";
    m.def("two_opt", &two_opt, "tour"_a.noconvert(), "distances"_a.noconvert(), "neighbours"_a.noconvert(),
          "Improve a tour in place by 2-opt and Or-opt moves.");
}
