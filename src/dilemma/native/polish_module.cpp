// Python bindings of the local improvements (wrappers: dilemma/problems/two_opt.py, insertion.py). Shapes and
// ranges that would reach outside an array are checked here at every call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "polish.hpp"
#include "polish_flow_shop.hpp"

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

using Jobs = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_jobs(const Jobs& jobs, size_t n) {
    for (size_t i = 0; i < jobs.shape(0); ++i)
        if (jobs.data()[i] < 0 || size_t(jobs.data()[i]) >= n) throw std::invalid_argument("job out of range");
}

void insertions(Matrix<double> times, Jobs jobs, int32_t job, Places spans) {
    check_jobs(jobs, times.shape(0));
    if (job < 0 || size_t(job) >= times.shape(0)) throw std::invalid_argument("job out of range");
    if (spans.shape(0) != jobs.shape(0) + 1) throw std::invalid_argument("one place more than jobs is needed");
    dilemma::polish::FlowShop(times.data(), times.shape(1)).insertions(jobs.data(), jobs.shape(0), job, spans.data());
}

void descend(Matrix<double> times, Tour jobs, Jobs order) {
    const size_t n = times.shape(0);
    if (jobs.shape(0) != n || order.shape(0) != n) throw std::invalid_argument("times, jobs and order disagree");
    check_jobs(order, n);
    std::vector<char> seen(n);
    for (size_t i = 0; i < n; ++i) {
        const int32_t job = jobs.data()[i];
        if (job < 0 || size_t(job) >= n || seen[size_t(job)]) throw std::invalid_argument("the jobs are no permutation");
        seen[size_t(job)] = 1;
    }
    nb::gil_scoped_release release;
    std::vector<int32_t> sequence(jobs.data(), jobs.data() + n);
    dilemma::polish::FlowShop(times.data(), times.shape(1))
        .descend(sequence, std::vector<int32_t>(order.data(), order.data() + n));
    std::copy(sequence.begin(), sequence.end(), jobs.data());
}

}  // namespace

NB_MODULE(_polish, m) {
    m.attr("name") = "native";
    m.def("two_opt", &two_opt, "tour"_a.noconvert(), "distances"_a.noconvert(), "neighbours"_a.noconvert(),
          "Improve a tour in place by 2-opt and Or-opt moves.");
    m.def("insertions", &insertions, "times"_a.noconvert(), "jobs"_a.noconvert(), "job"_a, "spans"_a.noconvert(),
          "Fill in the makespan with a job inserted at each place of a flow shop's sequence.");
    m.def("descend", &descend, "times"_a.noconvert(), "jobs"_a.noconvert(), "order"_a.noconvert(),
          "Improve a flow shop's sequence in place by moving one job at a time.");
}
