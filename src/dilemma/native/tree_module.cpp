// Python bindings of the decision-tree engine. Shapes, types and ranges are checked by the caller
// (dilemma/tree/engine.py and its native wrapper), with messages for people; here again, since a wrong one
// would reach outside an array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "tree_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace dilemma::tree;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

constexpr uint32_t kMostClasses = 1u << 20;  // counts are kept for each class
constexpr int kMostThreads = 256;

// A data set with the arrays it looks at, kept alive.
struct Table {
    Array<uint8_t> codes;
    Array<int32_t> n_codes;
    Array<bool> categorical;
    std::optional<Array<int32_t>> classes;
    std::optional<Array<double>> values;
    std::optional<Array<double>> weights;
    DataView view;

    Table(Array<uint8_t> codes_, Array<int32_t> n_codes_, Array<bool> categorical_, std::optional<Array<int32_t>> classes_,
          std::optional<Array<double>> values_, uint32_t n_classes, std::optional<Array<double>> weights_)
        : codes(codes_), n_codes(n_codes_), categorical(categorical_), classes(classes_), values(values_), weights(weights_) {
        if (codes.ndim() != 2 || n_codes.ndim() != 1 || categorical.ndim() != 1) throw std::invalid_argument("wrong number of dimensions");
        view.n_features = uint32_t(codes.shape(0));
        view.n_rows = uint32_t(codes.shape(1));
        view.n_classes = n_classes;
        view.codes = codes.data();
        view.n_codes = n_codes.data();
        view.categorical = categorical.data();
        if (n_codes.shape(0) != view.n_features || categorical.shape(0) != view.n_features) throw std::invalid_argument("features disagree");
        if (codes.shape(1) < 1 || codes.shape(1) >= (size_t(1) << 31)) throw std::invalid_argument("number of rows out of range");
        if (n_classes > kMostClasses) throw std::invalid_argument("too many classes");
        if (n_classes ? !classes || classes->size() != view.n_rows : !values || values->size() != view.n_rows)
            throw std::invalid_argument("target and rows disagree");
        if (weights && weights->size() != view.n_rows) throw std::invalid_argument("weights and rows disagree");
        view.classes = n_classes ? classes->data() : nullptr;
        view.values = n_classes ? nullptr : values->data();
        view.weights = weights ? weights->data() : nullptr;
        check_ranges();
    }

    void check_ranges() const {
        if (view.n_classes)
            for (uint32_t r = 0; r < view.n_rows; ++r)
                if (view.classes[r] < 0 || uint32_t(view.classes[r]) >= view.n_classes) throw std::invalid_argument("class out of range");
        for (uint32_t f = 0; f < view.n_features; ++f) {
            if (view.n_codes[f] < 1 || view.n_codes[f] > 255) throw std::invalid_argument("n_codes out of range");
            const uint8_t* column = view.column(f);
            uint8_t high = 0;  // 255 wraps to 0: missing is always allowed
            for (uint32_t r = 0; r < view.n_rows; ++r) high = std::max<uint8_t>(high, uint8_t(column[r] + 1));
            if (high > view.n_codes[f]) throw std::invalid_argument("code out of range");
        }
        for (uint32_t r = 0; r < view.n_rows; ++r) {
            if (view.values && !std::isfinite(view.values[r])) throw std::invalid_argument("target is not finite");
            if (view.weights && !(std::isfinite(view.weights[r]) && view.weights[r] >= 0))
                throw std::invalid_argument("weights must be finite and not negative");
        }
    }
};

struct Engine {
    std::shared_ptr<Table> data, judge;
    Settings settings;
    std::unique_ptr<Search> search;
};

template <class T>
T lookup(const std::string& name, std::initializer_list<std::pair<const char*, T>> known) {
    for (const auto& [key, value] : known)
        if (name == key) return value;
    throw std::invalid_argument("unknown name: " + name);
}

bool same_coding(const DataView& a, const DataView& b) {
    return a.n_features == b.n_features && a.n_classes == b.n_classes && std::equal(a.n_codes, a.n_codes + a.n_features, b.n_codes) &&
           std::equal(a.categorical, a.categorical + a.n_features, b.categorical);
}

std::shared_ptr<Engine> make_engine(std::shared_ptr<Table> data, std::shared_ptr<Table> judge, const nb::dict& options,
                                    std::optional<Array<double>> cost_matrix) {
    auto e = std::make_shared<Engine>();
    e->data = std::move(data);
    e->judge = std::move(judge);
    Settings& s = e->settings;
    s.max_depth = nb::cast<int>(options["max_depth"]);
    if (s.max_depth < 0 || s.max_depth > 255) throw std::invalid_argument("max_depth out of range");
    s.criterion = lookup<Criterion>(nb::cast<std::string>(options["criterion"]),
                                    {{"entropy", Criterion::entropy}, {"gini", Criterion::gini}, {"error", Criterion::error},
                                     {"squared_error", Criterion::squared_error}});
    s.categorical = lookup<Categorical>(nb::cast<std::string>(options["categorical_splits"]),
                                        {{"subset", Categorical::subset}, {"one_vs_rest", Categorical::one_vs_rest},
                                         {"multiway", Categorical::multiway}});
    s.leaf_penalty = nb::cast<double>(options["leaf_penalty"]);
    s.min_samples_leaf = nb::cast<uint32_t>(options["min_samples_leaf"]);
    s.min_samples_split = nb::cast<uint32_t>(options["min_samples_split"]);
    s.min_entropy = nb::cast<double>(options["min_entropy"]);
    s.judged_by_validation = nb::cast<bool>(options["validation"]);
    s.memory_limit = nb::cast<uint64_t>(options["memory_limit"]);
    s.n_threads = nb::cast<int>(options["n_threads"]);
    if (s.n_threads < 1 || s.n_threads > kMostThreads) throw std::invalid_argument("n_threads out of range");
    s.random_state = nb::cast<uint64_t>(options["random_state"]);
    if (s.judged_by_validation && !e->judge) throw std::invalid_argument("no validation set");
    if (!(std::isfinite(s.leaf_penalty) && s.leaf_penalty >= 0) || !(std::isfinite(s.min_entropy) && s.min_entropy >= 0))
        throw std::invalid_argument("leaf_penalty and min_entropy must be finite and not negative");
    const DataView& data_view = e->data->view;
    if ((s.criterion == Criterion::squared_error) != (data_view.n_classes == 0))
        throw std::invalid_argument("squared_error is for regression, and regression for it");
    if (!data_view.n_classes && (cost_matrix || s.min_entropy > 0))
        throw std::invalid_argument("cost_matrix and min_entropy are for classification");
    if (e->judge && !same_coding(data_view, e->judge->view)) throw std::invalid_argument("the validation set does not match");
    if (cost_matrix) {
        const size_t k = data_view.n_classes;
        if (cost_matrix->size() != k * k) throw std::invalid_argument("cost_matrix has another size");
        for (size_t i = 0; i < k * k; ++i)
            if (!(std::isfinite(cost_matrix->data()[i]) && cost_matrix->data()[i] >= 0))
                throw std::invalid_argument("costs must be finite and not negative");
        s.cost_matrix.assign(cost_matrix->data(), cost_matrix->data() + k * k);
    }
    const Order order = lookup<Order>(nb::cast<std::string>(options["search"]),
                                      {{"auto", Order::automatic}, {"halving", Order::halving}, {"proof", Order::proof},
                                       {"dilemma", Order::dilemma}, {"regret", Order::regret}, {"rank", Order::rank},
                                       {"random", Order::random}, {"greedy", Order::greedy}});
    const Kernels* kernels = choose_kernels(nb::cast<std::string>(options["kernel"]));
    if (!kernels) throw std::invalid_argument("this machine cannot run that kernel");
    nb::gil_scoped_release released;
    e->search = std::make_unique<Search>(e->data->view, e->judge ? &e->judge->view : nullptr, s, order, *kernels);
    return e;
}

bool signalled() {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();  // the caller raises KeyboardInterrupt, once the best tree is safe
    return true;
}

}  // namespace

NB_MODULE(_tree, m) {
    m.attr("name") = "native";
    m.def("kernels", [] {
        nb::list names;
        for (const Kernels* k : available_kernels()) names.append(k->name);
        return names;
    });
    nb::class_<Table>(m, "Table")
        .def(nb::init<Array<uint8_t>, Array<int32_t>, Array<bool>, std::optional<Array<int32_t>>, std::optional<Array<double>>,
                      uint32_t, std::optional<Array<double>>>(),
             "codes"_a.noconvert(), "n_codes"_a.noconvert(), "categorical"_a.noconvert(), "classes"_a.noconvert().none(),
             "values"_a.noconvert().none(), "n_classes"_a, "weights"_a.noconvert().none());
    nb::class_<Engine>(m, "Engine")
        .def("run",
             [](Engine& e, double seconds, int64_t max_iter, bool until_improved) {
                 if (std::isnan(seconds)) throw std::invalid_argument("seconds is not a number");
                 nb::gil_scoped_release released;
                 return e.search->run(std::max(seconds, 0.0), max_iter, until_improved, signalled);
             })
        .def("plan",
             [](Engine& e) {
                 std::vector<Cut> cuts;
                 std::vector<int> children;
                 e.search->plan(cuts, children);
                 nb::list out;
                 for (size_t i = 0; i < cuts.size(); ++i) {
                     const Cut& c = cuts[i];
                     nb::object mask = nb::int_(0);
                     if (c.kind == kSubset) {
                         const Mask& words = e.search->masks()[c.mask];
                         mask = nb::bytes(reinterpret_cast<const char*>(words.data()), 32);
                     }
                     out.append(nb::make_tuple(int(c.feature), int(c.kind), int(c.threshold), mask, c.missing_left, children[i]));
                 }
                 return out;
             })
        .def_prop_ro("energy", [](Engine& e) { return e.search->energy(); })
        .def_prop_ro("bound", [](Engine& e) { return e.search->bound(); })
        .def_prop_ro("optimal", [](Engine& e) { return e.search->optimal(); })
        .def_prop_ro("iterations", [](Engine& e) { return e.search->iterations(); })
        .def_prop_ro("nodes", [](Engine& e) { return e.search->nodes(); })
        .def_prop_ro("bytes", [](Engine& e) { return e.search->bytes(); })
        .def_prop_ro("space", [](Engine& e) { return std::string(e.search->space_name()); });
    m.def("make_engine", &make_engine, "data"_a, "judge"_a.none(), "options"_a, "cost_matrix"_a.noconvert().none());
}
