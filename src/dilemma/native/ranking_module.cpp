// Reads what a problem's `actions` offers: the best action that is not banned, or the one of some rank, with the
// scores a dilemma is made of (twins: `front_plain` and `front_at_plain` in dilemma/ranking.py). It answers for offers of ordinary types and returns None for all
// others, malformed ones and NaN among them: the twin then reads them, or says what is wrong.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

constexpr long long kExact = 1LL << 53;  // integers up to here are doubles

PyTypeObject* array_type = nullptr;    // numpy.ndarray
PyTypeObject* float64_type = nullptr;  // numpy.float64, a float

struct Buffer {
    Py_buffer view{};
    bool held = false;

    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (held) PyBuffer_Release(&view);
    }

    bool open(PyObject* array) {
        held = PyObject_GetBuffer(array, &view, PyBUF_FORMAT | PyBUF_STRIDES) == 0;
        if (!held) PyErr_Clear();
        return held && view.ndim == 1;
    }

    bool is(const char* formats, Py_ssize_t size) const {
        return view.itemsize == size && view.format && std::strlen(view.format) == 1 &&
               std::strchr(formats, view.format[0]);
    }

    template <class T>
    T at(Py_ssize_t i) const {
        T out;
        std::memcpy(&out, static_cast<const char*>(view.buf) + i * view.strides[0], sizeof(T));
        return out;
    }
};

// A score as a double; false if that would not compare as the object itself does, or if it is NaN.
bool read(PyObject* score, double& out) {
    if (PyFloat_CheckExact(score) || Py_TYPE(score) == float64_type) {
        out = PyFloat_AS_DOUBLE(score);
        return !std::isnan(out);
    }
    if (!PyLong_CheckExact(score)) return false;
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(score, &overflow);
    if (overflow || whole > kExact || whole < -kExact) return false;
    out = double(whole);
    return true;
}

// [(action, score), ...]
struct Pairs {
    PyObject* list;
    Py_ssize_t n;

    explicit Pairs(PyObject* pairs) : list(pairs), n(PyList_GET_SIZE(pairs)) {}

    // The pair, or null if it is none; a user's __eq__ may have changed the list meanwhile.
    PyObject* pair(Py_ssize_t i) const {
        PyObject* item = i < PyList_GET_SIZE(list) ? PyList_GET_ITEM(list, i) : nullptr;
        return item && PyTuple_CheckExact(item) && PyTuple_GET_SIZE(item) == 2 ? item : nullptr;
    }

    bool score(Py_ssize_t i, double& out) const {
        PyObject* both = pair(i);
        return both && read(PyTuple_GET_ITEM(both, 1), out);
    }

    Py_ssize_t skip(Py_ssize_t i, double) const { return i; }

    nb::object action(Py_ssize_t i) const {
        PyObject* both = pair(i);
        return nb::borrow(both ? PyTuple_GET_ITEM(both, 0) : nullptr);
    }
};

// (actions, scores)
struct Columns {
    PyObject *names, *scores;
    Py_ssize_t n = 0;
    Buffer numbers, actions;
    bool listed_scores, listed_names, whole = false;

    Columns(PyObject* first, PyObject* second)
        : names(first), scores(second), listed_scores(PyList_CheckExact(second)), listed_names(PyList_CheckExact(first)) {}

    bool open() {
        if (listed_scores)
            n = PyList_GET_SIZE(scores);
        else if (Py_TYPE(scores) == array_type && numbers.open(scores) && numbers.is("d", sizeof(double)))
            n = numbers.view.shape[0];
        else
            return false;
        if (listed_names) return PyList_GET_SIZE(names) == n;
        if (Py_TYPE(names) == &PyRange_Type) return PySequence_Size(names) == n;
        if (Py_TYPE(names) != array_type || !actions.open(names) || actions.view.shape[0] != n) return false;
        whole = actions.is("lq", sizeof(long long));
        return true;
    }

    bool score(Py_ssize_t i, double& out) const {
        if (listed_scores) return i < PyList_GET_SIZE(scores) && read(PyList_GET_ITEM(scores, i), out);
        out = numbers.at<double>(i);
        return !std::isnan(out);
    }

    // The next place from `i` on that may hold a score above `least`, or NaN.
    Py_ssize_t skip(Py_ssize_t i, double least) const {
        if (listed_scores || numbers.view.strides[0] != Py_ssize_t(sizeof(double))) return i;
        const char* at = static_cast<const char*>(numbers.view.buf);
        for (; i + 16 <= n; i += 16) {
            double block[16];
            std::memcpy(block, at + i * Py_ssize_t(sizeof(double)), sizeof(block));
            int above = 0;
            for (double score : block) above |= !(score <= least);
            if (above) break;
        }
        return i;
    }

    nb::object action(Py_ssize_t i) const {
        if (listed_names) return nb::borrow(i < PyList_GET_SIZE(names) ? PyList_GET_ITEM(names, i) : nullptr);
        if (whole) return nb::steal(PyLong_FromLongLong(actions.at<long long>(i)));
        PyObject* item = actions.held ? PyObject_CallMethod(names, "item", "n", i) : PySequence_GetItem(names, i);
        if (!item) PyErr_Clear();
        return nb::steal(item);
    }
};

// 1: banned, 0: not, -1: it cannot be told (no action, or not hashable).
int is_banned(PyObject* banned, const nb::object& action) {
    if (!action.is_valid()) return -1;
    const int answer = PySet_Contains(banned, action.ptr());
    if (answer < 0) PyErr_Clear();
    return answer;
}

// The best action that is not banned; the first of equals.
template <class Offer>
PyObject* best_of(const Offer& offer, PyObject* banned) {
    const bool bans = PySet_GET_SIZE(banned) > 0;
    Py_ssize_t found = 0, index = -1;  // how many of the two are known
    double top = std::nan(""), second = top;
    for (Py_ssize_t i = 0; i < offer.n; ++i) {
        if (found == 2 && (i = offer.skip(i, second)) >= offer.n) break;
        double score;
        if (!offer.score(i, score)) return nullptr;
        if (found == 2 && !(score > second)) continue;
        if (bans) {
            const int out = is_banned(banned, offer.action(i));
            if (out < 0) return nullptr;
            if (out) continue;
        }
        if (!found || score > top) {
            second = top;
            top = score;
            index = i;
        } else {
            second = score;
        }
        if (found < 2) ++found;
    }
    const Py_ssize_t count = !offer.n ? 0 : !found ? -1 : bans ? found : offer.n;
    const nb::object action = found ? offer.action(index) : nb::none();
    if (!action.is_valid()) return nullptr;
    return Py_BuildValue("nOdd", count, action.ptr(), top, second);
}

// The action of a rank among those not banned, and all before it.
template <class Offer>
PyObject* at_rank(const Offer& offer, PyObject* banned, Py_ssize_t rank) {
    const bool bans = PySet_GET_SIZE(banned) > 0;
    using Entry = std::pair<double, Py_ssize_t>;
    std::vector<Entry> heap(static_cast<size_t>(offer.n));
    for (Py_ssize_t i = 0; i < offer.n; ++i) {
        if (!offer.score(i, heap[size_t(i)].first)) return nullptr;
        heap[size_t(i)].second = i;
    }
    const auto later = [](const Entry& a, const Entry& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::make_heap(heap.begin(), heap.end(), later);
    std::vector<nb::object> tried;
    double top = std::nan(""), chosen = top, second = top;
    Py_ssize_t found = 0;
    while (!heap.empty() && found < rank + 2) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const auto [score, i] = heap.back();
        heap.pop_back();
        if (bans || found <= rank) {
            nb::object action = offer.action(i);
            const int out = bans ? is_banned(banned, action) : action.is_valid() ? 0 : -1;
            if (out < 0) return nullptr;
            if (out) continue;
            if (found <= rank) tried.push_back(std::move(action));
        }
        if (!found) top = score;
        if (found == rank) chosen = score;
        if (found == rank + 1) second = score;
        ++found;
    }
    const double nothing = std::nan("");
    if (found <= rank) return Py_BuildValue("nOdddN", Py_ssize_t(offer.n ? -1 : 0), Py_None, nothing, nothing, nothing, PyTuple_New(0));
    nb::object before = nb::steal(PyTuple_New(Py_ssize_t(tried.size())));
    for (size_t k = 0; k < tried.size(); ++k) PyTuple_SET_ITEM(before.ptr(), Py_ssize_t(k), nb::object(tried[k]).release().ptr());
    return Py_BuildValue("nOdddO", bans ? found : offer.n, tried.back().ptr(), top, second, chosen, before.ptr());
}

// Calls `use` with what was offered, whatever its layout; None where that is unusual.
template <class Use>
nb::object with(nb::handle offer, nb::handle banned, Use use) {
    if (!PyAnySet_Check(banned.ptr())) throw nb::type_error("banned: expected a frozenset");
    PyObject *found = nullptr, *given = offer.ptr();
    if (PyList_CheckExact(given)) {
        found = use(Pairs(given));
    } else if (PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == 2) {
        Columns columns(PyTuple_GET_ITEM(given, 0), PyTuple_GET_ITEM(given, 1));
        if (columns.open()) found = use(columns);
    }
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found ? nb::steal(found) : nb::none();
}

nb::object front(nb::handle offer, nb::handle banned) {
    return with(offer, banned, [&](const auto& read) { return best_of(read, banned.ptr()); });
}

nb::object front_at(nb::handle offer, nb::handle banned, Py_ssize_t rank) {
    if (rank < 0 || rank > (Py_ssize_t(1) << 40)) throw nb::value_error("rank: expected a number from 0");
    return with(offer, banned, [&](const auto& read) { return at_rank(read, banned.ptr(), rank); });
}

}  // namespace

NB_MODULE(_ranking, m) {
    nb::module_ numpy = nb::module_::import_("numpy");  // the types live as long as NumPy: the process
    array_type = reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr("ndarray")).release().ptr());
    float64_type = reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr("float64")).release().ptr());
    m.attr("name") = "native";
    m.def("front", &front, nb::arg("offer"), nb::arg("banned"),
          "Return (count, action, score, second score) of the best action not banned, or None: ask the twin.");
    m.def("front_at", &front_at, nb::arg("offer"), nb::arg("banned"), nb::arg("rank"),
          "Return (count, action, best score, next score, score, actions up to it) at a rank, or None.");
}
