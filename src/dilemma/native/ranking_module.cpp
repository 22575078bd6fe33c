// Reads what a problem's `actions` offers: the best action that is not banned, its score, and the second best score
// (twin: `front_plain` in dilemma/ranking.py). It answers for offers of ordinary types and returns None for all
// others, malformed ones and NaN among them: the twin then reads them, or says what is wrong.
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstring>

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

// The two best of the scores seen, the first of equals before the others.
struct Best {
    PyObject* banned;
    bool any_banned;
    Py_ssize_t found = 0;  // 0, 1 or 2
    Py_ssize_t index = -1;
    double top = 0, second = 0;

    explicit Best(PyObject* set) : banned(set), any_banned(PySet_GET_SIZE(set) > 0) {}

    // Whether a score would be one of the two.
    bool wants(double score) const { return found < 2 || score > second; }

    void take(Py_ssize_t i, double score) {
        if (!found || score > top) {
            second = top;
            top = score;
            index = i;
        } else {
            second = score;
        }
        if (found < 2) ++found;
    }

    PyObject* answer(Py_ssize_t offered, PyObject* action) const {
        const Py_ssize_t count = !offered ? 0 : !found ? -1 : any_banned ? found : offered;
        nb::object best = nb::borrow(action ? action : Py_None);
        const double nothing = std::nan("");
        return Py_BuildValue("nOdd", count, best.ptr(), found ? top : nothing, found > 1 ? second : nothing);
    }
};

// 1: banned, 0: not, -1: it cannot be told (not hashable).
int is_banned(const Best& best, PyObject* action) {
    const int answer = PySet_Contains(best.banned, action);
    if (answer < 0) PyErr_Clear();
    return answer;
}

// [(action, score), ...]
PyObject* from_pairs(PyObject* pairs, PyObject* banned) {
    Best best(banned);
    const Py_ssize_t n = PyList_GET_SIZE(pairs);
    nb::object chosen;
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (PyList_GET_SIZE(pairs) != n) return nullptr;  // changed by a user's __eq__
        PyObject* pair = PyList_GET_ITEM(pairs, i);
        double score;
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2 || !read(PyTuple_GET_ITEM(pair, 1), score))
            return nullptr;
        if (!best.wants(score)) continue;
        if (best.any_banned) {
            nb::object action = nb::borrow(PyTuple_GET_ITEM(pair, 0));
            const int out = is_banned(best, action.ptr());
            if (out < 0) return nullptr;
            if (out) continue;
            best.take(i, score);
            if (best.index == i) chosen = action;
        } else {
            best.take(i, score);
        }
    }
    if (!best.any_banned && best.found) chosen = nb::borrow(PyTuple_GET_ITEM(PyList_GET_ITEM(pairs, best.index), 0));
    return best.answer(n, chosen.ptr());
}

// The actions of a pair of parallel sequences, one at a time.
struct Actions {
    PyObject* source;
    Buffer buffer;
    bool list = false, whole = false;

    bool open(PyObject* actions, Py_ssize_t n) {
        source = actions;
        list = PyList_CheckExact(actions);
        if (list) return PyList_GET_SIZE(actions) == n;
        if (Py_TYPE(actions) == &PyRange_Type) return PySequence_Size(actions) == n;
        if (Py_TYPE(actions) != array_type || !buffer.open(actions) || buffer.view.shape[0] != n) return false;
        whole = buffer.is("lq", sizeof(long long));
        return true;
    }

    nb::object at(Py_ssize_t i) const {
        if (list) return nb::borrow(i < PyList_GET_SIZE(source) ? PyList_GET_ITEM(source, i) : nullptr);
        if (whole) return nb::steal(PyLong_FromLongLong(buffer.at<long long>(i)));
        PyObject* item = buffer.held ? PyObject_CallMethod(source, "item", "n", i) : PySequence_GetItem(source, i);
        if (!item) PyErr_Clear();
        return nb::steal(item);
    }
};

// (actions, scores)
PyObject* from_columns(PyObject* names, PyObject* scores, PyObject* banned) {
    Best best(banned);
    Actions actions;
    Buffer numbers;
    const bool list = PyList_CheckExact(scores);
    if (!list && !(Py_TYPE(scores) == array_type && numbers.open(scores) && numbers.is("d", sizeof(double))))
        return nullptr;
    const Py_ssize_t n = list ? PyList_GET_SIZE(scores) : numbers.view.shape[0];
    if (!actions.open(names, n)) return nullptr;
    for (Py_ssize_t i = 0; i < n; ++i) {
        double score;
        if (list) {
            if (PyList_GET_SIZE(scores) != n || !read(PyList_GET_ITEM(scores, i), score)) return nullptr;
        } else {
            score = numbers.at<double>(i);
            if (std::isnan(score)) return nullptr;
        }
        if (!best.wants(score)) continue;
        if (best.any_banned) {
            nb::object action = actions.at(i);
            const int out = action.is_valid() ? is_banned(best, action.ptr()) : -1;
            if (out < 0) return nullptr;
            if (out) continue;
        }
        best.take(i, score);
    }
    nb::object chosen;
    if (best.found) {
        chosen = actions.at(best.index);
        if (!chosen.is_valid()) return nullptr;
    }
    return best.answer(n, chosen.ptr());
}

nb::object front(nb::handle offer, nb::handle banned) {
    if (!PyAnySet_Check(banned.ptr())) throw nb::type_error("banned: expected a frozenset");
    PyObject* found = nullptr;
    PyObject* given = offer.ptr();
    if (PyList_CheckExact(given)) {
        found = from_pairs(given, banned.ptr());
    } else if (PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == 2) {
        found = from_columns(PyTuple_GET_ITEM(given, 0), PyTuple_GET_ITEM(given, 1), banned.ptr());
    }
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found ? nb::steal(found) : nb::none();
}

}  // namespace

NB_MODULE(_ranking, m) {
    nb::module_ numpy = nb::module_::import_("numpy");  // the types live as long as NumPy: the process
    array_type = reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr("ndarray")).release().ptr());
    float64_type = reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr("float64")).release().ptr());
    m.attr("name") = "native";
    m.def("front", &front, nb::arg("offer"), nb::arg("banned"),
          "Return (count, action, score, second score) of the best action not banned, or None: ask the twin.");
}
