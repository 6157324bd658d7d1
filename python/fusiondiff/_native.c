/*
 * Wraps the library for Python: runs, comparisons and checks are opaque objects,
 * reports are bytes. The caller passes the inputs of a build as a dictionary (see
 * _native.pyi). Calls of the library release the GIL, so that other threads can run.
 * Meanwhile no Python object is accessed, and notes of the library are stored until
 * this thread has the GIL again.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "host/host.h" /* for Windows, whose fclose() does not pass on the text of a
                          stream that fsd_memory_open() returned */

#include <fusiondiff/edit.h>

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 64, MOST_MEMORY = 2 * MOST_FILES };

static PyObject *error_class;

/* ------------------------------------------------------------------------- inputs */

/* One build. Its strings and bytes belong to the dictionary, which outlives the
 * call. */
struct side {
    struct fsd_options opt;
    const char *profiles[MOST_FILES], *shapes[MOST_FILES], *values[2];
    const char *parts[MOST_FILES];
    struct fsd_directory *folder; /* the directory that has the files; NULL: none */
};

struct call {
    struct side side[2];
    struct fsd_memory memory[MOST_MEMORY];
    size_t n_memory;
    char **notes; /* notes of the library, which become warnings */
    size_t n_notes;
    FILE *out; /* a stream to `bytes`, for reports; NULL: the call prints nothing */
    char *bytes;
    size_t size;
    PyThreadState *thread; /* the state of the thread while the GIL is released */
    struct fsd_error err;
    enum fsd_status status;
};

/* The current call in this thread, which receives the notes of the library. An object
 * may send notes after the end of the call that created it, so it does not refer to
 * that call. */
static _Thread_local struct call *hearing;

static void keep_note(void *payload, const char *message)
{
    struct call *call = hearing;
    char **larger =
        call ? realloc(call->notes, (call->n_notes + 1) * sizeof *larger) : NULL;

    (void)payload;
    if (larger)
        call->notes = larger;
    if (larger && (larger[call->n_notes] = strdup(message)))
        call->n_notes++;
}

static void hear(struct call *call)
{
    hearing = call;
    fsd_use_memory(call->memory, call->n_memory);
}

static void end(struct call *call)
{
    for (size_t i = 0; i < 2; i++) {
        fsd_directory_free(call->side[i].folder);
        call->side[i].folder = NULL;
    }
    if (hearing == call) {
        fsd_use_memory(NULL, 0);
        hearing = NULL;
    }
    if (call->thread)
        PyEval_RestoreThread(call->thread);
    call->thread = NULL;
}

/* Opens call->out. The text that the library prints there is the result of the call. */
static void print_to(struct call *call)
{
    call->out = fsd_memory_open(&call->bytes, &call->size);
}

/* ---------------------------------------------------------------------- directories */

/* Whether `name` is an input in memory. Such an input is no directory, even if a
 * directory has the same name. */
static bool in_memory(const struct call *call, const char *name)
{
    for (size_t i = 0; i < call->n_memory; i++)
        if (call->memory[i].path == name)
            return true;
    return false;
}

/* Replaces directories by the files in them, like the command line. Drops the notes on
 * these files: a note would become a warning, and maybe an exception, and the report
 * has the names of the files anyway. */
static enum fsd_status open_folders(struct call *call, struct side *sides, size_t n)
{
    enum fsd_status status = FSD_OK;

    for (size_t i = 0; i < n && status == FSD_OK; i++) {
        struct fsd_options *opt = &sides[i].opt;

        if (in_memory(call, opt->model) || in_memory(call, opt->engine))
            continue;
        opt->note = NULL;
        status = fsd_directory_open(&sides[i].folder, opt, false, &call->err);
        opt->note = keep_note;
    }
    return status;
}

/* Begins a call: releases the GIL, which end() acquires again. The first `n` sides may
 * be directories. */
static void begin(struct call *call, size_t n)
{
    call->thread = PyEval_SaveThread();
    hear(call);
    call->status = open_folders(call, call->side, n);
}

/* ---------------------------------------------------------------------------- files */

/* Takes a file: a path, or a pair of a name and the contents of the file. */
static bool take_file(struct call *call, PyObject *value, const char **out)
{
    struct fsd_memory *memory = &call->memory[call->n_memory];
    PyObject *name = value;
    Py_ssize_t size;
    char *bytes;

    if (value == Py_None)
        return true;
    if (PyTuple_Check(value)) {
        if (call->n_memory == MOST_MEMORY) {
            PyErr_Format(PyExc_ValueError, "at most %d inputs in memory", MOST_MEMORY);
            return false;
        }
        if (!PyArg_ParseTuple(value, "SS", &name, &value) ||
            PyBytes_AsStringAndSize(value, &bytes, &size))
            return false;
        memory->bytes = bytes;
        memory->size = (size_t)size;
    }
    /* Without a size argument, this call refuses names with a zero byte: it would end
     * the name, which might then be the name of another file. */
    if (PyBytes_AsStringAndSize(name, &bytes, NULL))
        return false;
    *out = bytes;
    if (name != value) {
        memory->path = bytes;
        call->n_memory++;
    }
    return true;
}

static bool take_list(struct call *call, PyObject *value, unsigned most,
                      const char **out, unsigned *n)
{
    for (Py_ssize_t i = 0; i < PyList_Size(value); i++) {
        if (*n == most) {
            PyErr_Format(PyExc_ValueError, "at most %u files of a kind", most);
            return false;
        }
        if (!take_file(call, PyList_GetItem(value, i), &out[*n]))
            return false;
        ++*n;
    }
    return !PyErr_Occurred();
}

static const struct {
    const char *key;
    enum { A_FILE, A_NUMBER, A_FLAG, A_REAL } is;
    size_t at; /* offset in struct fsd_options */
} members[] = {{"model", A_FILE, offsetof(struct fsd_options, model)},
               {"engine", A_FILE, offsetof(struct fsd_options, engine)},
               {"log", A_FILE, offsetof(struct fsd_options, log)},
               {"times", A_FILE, offsetof(struct fsd_options, times)},
               {"label", A_FILE, offsetof(struct fsd_options, label)},
               {"engine_number", A_NUMBER, offsetof(struct fsd_options, engine_number)},
               {"opt_profile", A_NUMBER, offsetof(struct fsd_options, opt_profile)},
               {"evidence", A_NUMBER, offsetof(struct fsd_options, evidence)},
               {"force", A_FLAG, offsetof(struct fsd_options, force)},
               {"peak_gb_s", A_REAL, offsetof(struct fsd_options, peak_gb_s)},
               {"peak_top_s", A_REAL, offsetof(struct fsd_options, peak_top_s)},
               {"values_rows", A_FLAG, offsetof(struct fsd_options, values_rows)},
               {"values_limit", A_REAL, offsetof(struct fsd_options, values_limit)}};

static bool take_member(struct call *call, struct fsd_options *opt, size_t i,
                        PyObject *value)
{
    void *at = (char *)opt + members[i].at;

    switch (members[i].is) {
    case A_FILE:
        return take_file(call, value, at);
    case A_NUMBER:
        *(unsigned *)at = (unsigned)PyLong_AsUnsignedLong(value);
        return true;
    case A_FLAG:
        *(bool *)at = PyObject_IsTrue(value) == 1;
        return true;
    case A_REAL:
    default:
        *(double *)at = PyFloat_AsDouble(value);
        return true;
    }
}

static bool take_side(struct call *call, struct side *side, PyObject *dict)
{
    struct fsd_options *opt = &side->opt;
    const struct {
        const char *key;
        unsigned most;
        const char **list;
        unsigned *n;
    } lists[] = {{"profiles", MOST_FILES, side->profiles, &opt->n_profiles},
                 {"values", 2, side->values, &opt->n_values},
                 {"parts", MOST_FILES, side->parts, &opt->n_parts},
                 {"shapes", MOST_FILES, side->shapes, &opt->n_shapes}};
    PyObject *value;

    opt->profiles = side->profiles;
    opt->values = side->values;
    opt->shapes = side->shapes;
    opt->parts = side->parts;
    opt->note = keep_note;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if ((value = PyDict_GetItemString(dict, members[i].key)) &&
            !take_member(call, opt, i, value))
            return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((value = PyDict_GetItemString(dict, lists[i].key)) &&
            !take_list(call, value, lists[i].most, lists[i].list, lists[i].n))
            return false;
    return !PyErr_Occurred();
}

/* ----------------------------------------------------------------------- what comes */

/* Decodes a text. It may have names of files of a directory, which may be invalid
 * UTF-8. */
static PyObject *text_of(const char *bytes)
{
    return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "backslashreplace");
}

static PyObject *raise_error(const struct fsd_error *err)
{
    static const char *const units[] = {"", "byte", "line"};
    PyObject *words = Py_BuildValue("(sNNsK)", fsd_status_name(err->status),
                                    text_of(err->message), text_of(err->file),
                                    units[err->unit], (unsigned long long)err->pos);

    if (words)
        PyErr_SetObject(error_class, words);
    Py_XDECREF(words);
    return NULL;
}

/* Raises a warning for each note.
 * @return false if a warning filter made an exception of one */
static bool give_notes(struct call *call)
{
    bool fine = true;

    for (size_t i = 0; i < call->n_notes; i++) {
        fine = fine && !PyErr_WarnEx(PyExc_UserWarning, call->notes[i], 2);
        free(call->notes[i]);
    }
    free(call->notes);
    return fine;
}

static const char RUN[] = "fusiondiff.run", COMPARISON[] = "fusiondiff.comparison",
                  CHECK[] = "fusiondiff.check", LINTING[] = "fusiondiff.linting",
                  SEARCH[] = "fusiondiff.search", ROUTING[] = "fusiondiff.routing",
                  FAILURE[] = "fusiondiff.failure";

/* Frees an object of any kind, when Python frees its capsule. */
static void free_made(PyObject *capsule)
{
    const char *kind = PyCapsule_GetName(capsule);
    void *made = PyCapsule_GetPointer(capsule, kind);

    if (kind == RUN)
        fsd_diff_free(made);
    else if (kind == COMPARISON)
        fsd_comparison_free(made);
    else if (kind == CHECK)
        fsd_check_free(made);
    else if (kind == LINTING)
        fsd_linting_free(made);
    else if (kind == SEARCH)
        fsd_bisection_free(made);
    else if (kind == FAILURE)
        fsd_failure_free(made);
    else
        fsd_routing_free(made);
}

/* Raises the warnings of a call. If the call failed, drops an exception of a warning,
 * because the error of the call is more important.
 * @return false if a warning became an exception */
static bool is_told(struct call *call)
{
    bool fine = give_notes(call);

    if (!fine && call->status != FSD_OK)
        PyErr_Clear();
    return fine;
}

static PyObject *finish(struct call *call, void *made, const char *kind)
{
    PyObject *capsule;

    end(call);
    is_told(call);
    if (call->status != FSD_OK)
        return raise_error(&call->err);
    capsule = PyCapsule_New(made, kind, free_made);
    if (PyErr_Occurred())
        Py_CLEAR(capsule);
    return capsule;
}

/* Returns the bytes that were printed after print_to(). */
static PyObject *printed(struct call *call)
{
    PyObject *result = NULL;
    bool whole, told;

    end(call);
    whole = !fclose(call->out);
    told = is_told(call);

    if (call->status != FSD_OK)
        raise_error(&call->err);
    else if (!whole)
        PyErr_NoMemory();
    else if (told)
        result = PyBytes_FromStringAndSize(call->bytes, (Py_ssize_t)call->size);
    free(call->bytes);
    return result;
}

/* Ends a call that wrote to the caller's file.
 * @return None */
static PyObject *written(struct call *call)
{
    bool told;

    end(call);
    told = is_told(call);
    if (call->status != FSD_OK)
        return raise_error(&call->err);
    if (!told)
        return NULL;
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------ functions */

static PyObject *open_run(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_diff *run = NULL;
    PyObject *side;

    if (!PyArg_ParseTuple(args, "O!:open_run", &PyDict_Type, &side) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = fsd_diff_open(&run, &call.side[0].opt, &call.err);
    return finish(&call, run, RUN);
}

static PyObject *open_comparison(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_comparison *comparison = NULL;
    PyObject *before, *after;

    if (!PyArg_ParseTuple(args, "O!O!:open_comparison", &PyDict_Type, &before,
                          &PyDict_Type, &after) ||
        !take_side(&call, &call.side[0], before) ||
        !take_side(&call, &call.side[1], after))
        return NULL;
    begin(&call, 2);
    if (call.status == FSD_OK)
        call.status = fsd_comparison_open(&comparison, &call.side[0].opt,
                                          &call.side[1].opt, &call.err);
    return finish(&call, comparison, COMPARISON);
}

/* Opens builds with several sets of options. The arguments are a list of sides, and a
 * tuning cache or None. */
static PyObject *open_routing(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_routing *routing = NULL;
    struct fsd_options *options = NULL;
    struct side *sides = NULL;
    const char *cache = NULL;
    PyObject *list, *path;
    bool taken = false;
    size_t n;

    if (!PyArg_ParseTuple(args, "O!O:open_routing", &PyList_Type, &list, &path) ||
        !take_file(&call, path, &cache))
        return NULL;
    n = (size_t)PyList_Size(list);
    sides = calloc(n + 1, sizeof *sides);
    options = calloc(n + 1, sizeof *options);
    taken = sides && options;
    if (!taken)
        PyErr_NoMemory();
    for (size_t i = 0; taken && i < n; i++)
        taken = take_side(&call, &sides[i], PyList_GetItem(list, (Py_ssize_t)i));
    if (taken) {
        begin(&call, 0);
        call.status = open_folders(&call, sides, n);
        for (size_t i = 0; i < n; i++)
            options[i] = sides[i].opt;
        if (call.status == FSD_OK)
            call.status =
                fsd_routing_open(&routing, cache, options, (unsigned)n, &call.err);
        end(&call);
        for (size_t i = 0; i < n; i++)
            fsd_directory_free(sides[i].folder);
    }
    free(options);
    free(sides);
    return taken ? finish(&call, routing, ROUTING) : NULL;
}

static PyObject *open_check(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_check_options opt = {0};
    struct fsd_directory *several = NULL;
    struct fsd_check *check = NULL;
    PyObject *side, *snapshot, *policy;

    if (!PyArg_ParseTuple(args, "O!OOI:open_check", &PyDict_Type, &side, &snapshot,
                          &policy, &opt.today) ||
        !take_side(&call, &call.side[0], side) ||
        !take_file(&call, snapshot, &opt.snapshot) ||
        !take_file(&call, policy, &opt.policy))
        return NULL;
    begin(&call, 1);
    if (call.status == FSD_OK && !in_memory(&call, opt.snapshot))
        call.status = fsd_directory_snapshots(&several, &opt, false, &call.err);
    if (call.status == FSD_OK)
        call.status = fsd_check_open(&check, &call.side[0].opt, &opt, &call.err);
    end(&call);
    fsd_directory_free(several);
    return finish(&call, check, CHECK);
}

static PyObject *open_failure(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_failure *failure = NULL;
    PyObject *side;

    if (!PyArg_ParseTuple(args, "O!:open_failure", &PyDict_Type, &side) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = fsd_failure_open(&failure, &call.side[0].opt, &call.err);
    return finish(&call, failure, FAILURE);
}

static PyObject *open_linting(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_lint_options opt = {0};
    struct fsd_linting *linting = NULL;
    PyObject *side, *policy;

    if (!PyArg_ParseTuple(args, "O!zOI:open_linting", &PyDict_Type, &side, &opt.builder,
                          &policy, &opt.today) ||
        !take_side(&call, &call.side[0], side) ||
        !take_file(&call, policy, &opt.policy))
        return NULL;
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = fsd_linting_open(&linting, &call.side[0].opt, &opt, &call.err);
    return finish(&call, linting, LINTING);
}

static PyObject *snapshot(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    PyObject *side;

    if (!PyArg_ParseTuple(args, "O!:snapshot", &PyDict_Type, &side) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    print_to(&call);
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = fsd_snapshot_make(&call.side[0].opt, call.out, &call.err);
    return printed(&call);
}

/* Writes a report on the object in the capsule, which may be of any kind. */
static PyObject *write_report(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_style style = {0};
    const char *format, *kind;
    PyObject *capsule;
    int all = 0;
    void *made;

    if (!PyArg_ParseTuple(args, "OsIp:write", &capsule, &format, &style.width, &all))
        return NULL;
    style.all = all;
    kind = PyCapsule_GetName(capsule);
    made = kind ? PyCapsule_GetPointer(capsule, kind) : NULL;
    if (!made)
        return NULL;
    print_to(&call);
    call.thread = PyEval_SaveThread();
    call.status =
        kind == RUN ? fsd_diff_write(made, format, &style, call.out, &call.err)
        : kind == COMPARISON
            ? fsd_comparison_write(made, format, &style, call.out, &call.err)
        : kind == CHECK   ? fsd_check_write(made, format, &style, call.out, &call.err)
        : kind == ROUTING ? fsd_routing_write(made, format, &style, call.out, &call.err)
        : kind == FAILURE
            ? fsd_failure_write(made, format, &style, call.out, &call.err)
            : fsd_linting_write(made, format, &style, call.out, &call.err);
    return printed(&call);
}

static PyObject *view(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct fsd_query query = {0};
    const char **words;
    struct fsd_style style = {0};
    const char *name, *format;
    PyObject *capsule, *list;
    struct fsd_diff *run;
    struct call call = {0};
    int only_free;

    if (!PyArg_ParseTuple(args, "OsO!sIpzz:view", &capsule, &name, &PyList_Type, &list,
                          &format, &style.width, &only_free, &query.break_at,
                          &query.as))
        return NULL;
    query.only_free = only_free;
    run = PyCapsule_GetPointer(capsule, RUN);
    words = run ? PyMem_New(const char *, (size_t)PyList_Size(list) + 1) : NULL;
    if (run && !words)
        PyErr_NoMemory();
    if (!words || !take_list(&call, list, UINT_MAX, words, &query.n_words)) {
        PyMem_Free(words);
        return NULL;
    }
    query.words = words;
    print_to(&call);
    call.thread = PyEval_SaveThread();
    call.status = fsd_edit_view(run, name, &query, format, &style, call.out, &call.err);
    end(&call);
    PyMem_Free(words);
    return printed(&call);
}

/* Returns the names of nodes for tables, indexed by number. A node without a name gets
 * the same name as in reports. */
static PyObject *node_names(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    const char *kind = PyCapsule_GetName(capsule);
    const void *made = kind ? PyCapsule_GetPointer(capsule, kind) : NULL;
    const struct fsd_diff *run;
    struct fsd_node_data node;
    PyObject *names;

    if (!made)
        return NULL;
    if (kind != RUN && kind != LINTING) {
        PyErr_SetString(PyExc_ValueError, "expected a run or a linting");
        return NULL;
    }
    run = kind == RUN ? made : fsd_linting_run(made);
    names = PyList_New(0);
    for (uint32_t i = 0; names && fsd_diff_node(run, i, &node, sizeof node); i++) {
        PyObject *name = *node.name ? text_of(node.name)
                                    : PyUnicode_FromFormat("#%u (%s)", i, node.op);

        if (!name || PyList_Append(names, name))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* Lists the builds in a directory. Each is a pair of paths; the second path may be
 * empty. Leaves out snapshots, because they are no builds. */
static PyObject *builds(PyObject *Py_UNUSED(self), PyObject *path)
{
    struct fsd_error err = {0};
    struct fsd_directory *directory = NULL;
    const char *model, *engine;
    PyObject *list;
    char *bytes;

    if (PyBytes_AsStringAndSize(path, &bytes, NULL) || !(list = PyList_New(0)))
        return NULL;
    if (fsd_directory_builds(&directory, bytes, false, &err) != FSD_OK)
        Py_CLEAR(list);
    for (uint32_t i = 0; list && fsd_directory_build(directory, i, &model, &engine);
         i++) {
        PyObject *pair = Py_BuildValue("(yy)", model, engine);

        if (!pair || ((*engine || fsd_file_kind(model) != FSD_FILE_SNAPSHOT) &&
                      PyList_Append(list, pair)))
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    fsd_directory_free(directory);
    return list || PyErr_Occurred() ? list : raise_error(&err);
}

/* Lists the rules, one per line. A line begins with the id of the rule. */
static PyObject *rules(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    struct call call = {0};

    print_to(&call);
    call.status = fsd_rule_explain(NULL, call.out, &call.err);
    return printed(&call);
}

static PyObject *differs(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    const struct fsd_comparison *made = PyCapsule_GetPointer(capsule, COMPARISON);

    return made ? PyBool_FromLong(fsd_comparison_differs(made)) : NULL;
}

static PyObject *failed(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    const struct fsd_check *made = PyCapsule_GetPointer(capsule, CHECK);

    return made ? PyBool_FromLong(fsd_check_failed(made)) : NULL;
}

/* Opens a stream to a copy of the descriptor, so that the caller's descriptor stays
 * open. NULL on failure. */
static FILE *open_model(int descriptor)
{
    int own = dup(descriptor);
    FILE *out = own < 0 ? NULL : fdopen(own, "wb");

    if (!out && own >= 0)
        close(own);
    return out;
}

/* Closes the stream of a model.
 * @param status the result of writing, which is returned if the stream has no error
 * @param out NULL: open_model() failed */
static enum fsd_status close_model(FILE *out, enum fsd_status status,
                                   struct fsd_error *err)
{
    if (!out || (fclose(out) && status == FSD_OK))
        status = FSD_E_WRITE;
    if (status == FSD_E_WRITE) {
        *err = (struct fsd_error){.status = status};
        snprintf(err->message, sizeof err->message, "cannot write the model: %s",
                 strerror(errno));
    }
    return status;
}

static enum fsd_status write_fixed(const struct fsd_linting *made,
                                   const struct fsd_fix_options *opt, int descriptor,
                                   struct fsd_error *err)
{
    FILE *out = open_model(descriptor);

    return close_model(out, out ? fsd_linting_fix(made, opt, out, err) : FSD_OK, err);
}

/* Returns the list of edits. If the descriptor is not negative, first writes the edited
 * model to it. `model` is the argument of open_linting(), which is read again. */
static PyObject *fix(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_fix_options opt = {0};
    const char *what[MOST_FILES], *scales[MOST_FILES], *path;
    PyObject *capsule, *model, *what_list, *scale_list;
    const struct fsd_linting *made;
    int descriptor;

    if (!PyArg_ParseTuple(args, "OOO!O!i:fix", &capsule, &model, &PyList_Type,
                          &what_list, &PyList_Type, &scale_list, &descriptor) ||
        !take_file(&call, model, &path) ||
        !take_list(&call, what_list, MOST_FILES, what, &opt.n_what) ||
        !take_list(&call, scale_list, MOST_FILES, scales, &opt.n_scales))
        return NULL;
    opt.what = what;
    opt.scales = scales;
    made = PyCapsule_GetPointer(capsule, LINTING);
    if (!made)
        return NULL;
    print_to(&call);
    begin(&call, 0);
    if (descriptor >= 0)
        call.status = write_fixed(made, &opt, descriptor, &call.err);
    if (call.status == FSD_OK)
        call.status = fsd_linting_list_fixes(made, &opt, "text", call.out, &call.err);
    return printed(&call);
}

/* The descriptors of the files to write; negative: do not write the file. */
struct cut_files {
    int part, inputs;
};

typedef enum fsd_status write_fn(const struct fsd_cutting *made, FILE *out,
                                 struct fsd_error *err);

static enum fsd_status write_cut(const struct fsd_cutting *made, write_fn *write,
                                 int descriptor, struct fsd_error *err)
{
    FILE *out = open_model(descriptor);

    return close_model(out, out ? write(made, out, err) : FSD_OK, err);
}

static enum fsd_status cut_part(const struct call *call,
                                const struct fsd_cut_options *opt,
                                struct cut_files files, const char *path, FILE *text,
                                struct fsd_error *err)
{
    struct fsd_cutting *made = NULL;
    enum fsd_status status = fsd_cutting_open(&made, &call->side[0].opt, opt, err);

    if (status == FSD_OK && files.inputs >= 0)
        status = write_cut(made, fsd_cutting_write_inputs, files.inputs, err);
    if (status == FSD_OK && files.part >= 0)
        status = write_cut(made, fsd_cutting_write, files.part, err);
    if (status == FSD_OK)
        status = fsd_cutting_report(made, path, NULL, text, err);
    fsd_cutting_free(made);
    return status;
}

/* The words that select a part of a model, in five lists. */
typedef const char *part_words[5][MOST_FILES];

/* Takes the five lists of words, which are the items of one Python list. */
static bool take_part(struct call *call, PyObject *lists, part_words words,
                      struct fsd_cut_options *opt)
{
    unsigned *const counts[5] = {&opt->n_layers, &opt->n_groups, &opt->n_nodes,
                                 &opt->n_from, &opt->n_to};

    opt->layers = words[0];
    opt->groups = words[1];
    opt->nodes = words[2];
    opt->from = words[3];
    opt->to = words[4];
    for (int i = 0; i < 5; i++)
        if (!take_list(call, PyList_GetItem(lists, i), MOST_FILES, words[i], counts[i]))
            return false;
    return true;
}

/* Returns the description of a part. If a descriptor is not negative, writes its
 * file. */
static PyObject *cut(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_cut_options opt = {0};
    struct cut_files files;
    part_words words;
    const char *path, *values[MOST_FILES];
    PyObject *side, *lists, *value_list;
    int inlined;

    if (!PyArg_ParseTuple(args, "O!O!IpizO!i:cut", &PyDict_Type, &side, &PyList_Type,
                          &lists, &opt.context, &inlined, &files.part, &path,
                          &PyList_Type, &value_list, &files.inputs) ||
        !take_side(&call, &call.side[0], side) ||
        !take_part(&call, lists, words, &opt) ||
        !take_list(&call, value_list, MOST_FILES, values, &opt.n_values))
        return NULL;
    opt.inline_weights = inlined;
    opt.values = values;
    print_to(&call);
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = cut_part(&call, &opt, files, path, call.out, &call.err);
    return printed(&call);
}

static enum fsd_status write_code(const struct call *call,
                                  const struct fsd_code_options *opt, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_coding *made = NULL;
    enum fsd_status status = fsd_coding_open(&made, &call->side[0].opt, err);

    if (status == FSD_OK)
        status = fsd_coding_write(made, opt, out, err);
    fsd_coding_free(made);
    return status;
}

/* Returns a model as a Python program. */
static PyObject *code(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_cut_options opt = {0};
    struct fsd_code_options how = {0};
    part_words words;
    PyObject *side, *lists;
    int torch;

    if (!PyArg_ParseTuple(args, "O!O!IpI:code", &PyDict_Type, &side, &PyList_Type,
                          &lists, &opt.context, &torch, &how.depth) ||
        !take_side(&call, &call.side[0], side) || !take_part(&call, lists, words, &opt))
        return NULL;
    how.api = torch ? FSD_CODE_TORCH : FSD_CODE_TENSORRT;
    if (opt.n_layers || opt.n_groups || opt.n_nodes || opt.n_from || opt.n_to)
        how.part = &opt;
    print_to(&call);
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = write_code(&call, &how, call.out, &call.err);
    return printed(&call);
}

static enum fsd_status retype_model(const struct call *call, int descriptor, FILE *text,
                                    struct fsd_error *err)
{
    const struct fsd_query query = {0};
    struct fsd_diff *run = NULL;
    enum fsd_status status = fsd_diff_open(&run, &call->side[0].opt, err);
    FILE *out = status == FSD_OK && descriptor >= 0 ? open_model(descriptor) : NULL;

    if (status == FSD_OK && descriptor >= 0)
        status = close_model(out, out ? fsd_diff_retype(run, out, err) : FSD_OK, err);
    if (status == FSD_OK)
        status = fsd_edit_view(run, "retype", &query, "text", NULL, text, err);
    fsd_diff_free(run);
    return status;
}

/* Returns the changes by retype, as text. If the descriptor is not negative, writes the
 * typed model to it. */
static PyObject *retype(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    PyObject *side;
    int descriptor;

    if (!PyArg_ParseTuple(args, "O!i:retype", &PyDict_Type, &side, &descriptor) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    print_to(&call);
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = retype_model(&call, descriptor, call.out, &call.err);
    return printed(&call);
}

static enum fsd_status annotate_model(const struct call *call, enum fsd_annotation as,
                                      FILE *out, struct fsd_error *err)
{
    struct fsd_diff *run = NULL;
    enum fsd_status status = fsd_diff_open(&run, &call->side[0].opt, err);

    if (status == FSD_OK)
        status =
            close_model(out, out ? fsd_diff_annotate(run, as, out, err) : FSD_OK, err);
    else if (out)
        fclose(out);
    fsd_diff_free(run);
    return status;
}

/* Writes the model with the outcomes of its nodes, or the engine as a model, to a
 * descriptor. */
static PyObject *annotate(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    PyObject *side;
    int descriptor, as;
    FILE *out;

    if (!PyArg_ParseTuple(args, "O!ii:annotate", &PyDict_Type, &side, &as,
                          &descriptor) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    out = open_model(descriptor);
    begin(&call, 1);
    if (call.status == FSD_OK)
        call.status = annotate_model(&call, (enum fsd_annotation)as, out, &call.err);
    return written(&call);
}

/* Adds a file of the report to the dictionary.
 * @param name NULL: the file that lists the original names, whose key is "" */
static int add_file(PyObject *files, const struct fsd_issue *issue, const char *name,
                    struct call *call)
{
    PyObject *file;
    int failed;

    print_to(call);
    hear(call);
    call->status = name ? fsd_issue_write(issue, name, call->out, &call->err)
                        : fsd_issue_write_names(issue, call->out, &call->err);
    file = printed(call);
    failed = !file || PyDict_SetItemString(files, name ? name : "", file);
    Py_XDECREF(file);
    return !failed;
}

static PyObject *list_files(const struct fsd_issue *issue, bool anonymous,
                            struct call *call)
{
    PyObject *files = PyDict_New();
    const char *name;
    int fine = files != NULL;

    for (unsigned i = 0; fine && (name = fsd_issue_file(issue, i)); i++)
        fine = add_file(files, issue, name, call);
    if (fine && anonymous)
        fine = add_file(files, issue, NULL, call);
    if (!fine)
        Py_CLEAR(files);
    return files;
}

/* Returns the model of the part as bytes; NULL, with an exception set, on failure. */
static PyObject *part_of(const struct fsd_issue *issue, struct call *call)
{
    print_to(call);
    hear(call);
    call->status = fsd_issue_write(issue, "part.onnx", call->out, &call->err);
    return printed(call);
}

/* Calls `build` with the model of the part as bytes. `build` builds the part, and
 * returns the paths of the part and of the engine. */
static bool verify_part(struct fsd_issue *issue, PyObject *build, struct call *call)
{
    PyObject *part = part_of(issue, call), *built = NULL;
    const char *model, *engine;
    bool shows, fine = false;

    if (part)
        built = PyObject_CallFunctionObjArgs(build, part, NULL);
    if (built && PyArg_ParseTuple(built, "yy:verify", &model, &engine)) {
        hear(call);
        call->status = fsd_issue_verify(issue, model, engine, &shows, &call->err);
        end(call);
        if (call->status != FSD_OK)
            raise_error(&call->err);
        fine = is_told(call) && call->status == FSD_OK;
    }
    Py_XDECREF(part);
    Py_XDECREF(built);
    return fine;
}

/* Returns the files of a report as a dictionary, by name. The file that lists the
 * original names has the key "". */
static PyObject *issue(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_issue_options opt = {0};
    struct fsd_issue *made = NULL;
    part_words words;
    PyObject *before, *side, *lists, *verify, *files = NULL;
    int anonymous, no_weights;

    if (!PyArg_ParseTuple(args, "OO!zO!IppO:issue", &before, &PyDict_Type, &side,
                          &opt.finding, &PyList_Type, &lists, &opt.part.context,
                          &anonymous, &no_weights, &verify) ||
        !take_side(&call, &call.side[0], side) ||
        (before != Py_None && !take_side(&call, &call.side[1], before)) ||
        !take_part(&call, lists, words, &opt.part))
        return NULL;
    opt.anonymous = anonymous;
    opt.no_weights = no_weights;
    begin(&call, 2);
    if (call.status == FSD_OK)
        call.status =
            fsd_issue_open(&made, before == Py_None ? NULL : &call.side[1].opt,
                           &call.side[0].opt, &opt, &call.err);
    end(&call);
    if (call.status != FSD_OK)
        raise_error(&call.err);
    if (is_told(&call) && call.status == FSD_OK &&
        (verify == Py_None || verify_part(made, verify, &call)))
        files = list_files(made, opt.anonymous, &call);
    fsd_issue_free(made);
    return files;
}

/* Opens a search: a new one for a build (a dictionary), or the one in a file (a
 * path). */
static PyObject *open_search(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_bisection *search = NULL;
    PyObject *side, *file;
    const char *path;

    if (!PyArg_ParseTuple(args, "O!O:open_search", &PyDict_Type, &side, &file) ||
        !take_side(&call, &call.side[0], side))
        return NULL;
    path = file == Py_None ? NULL : PyBytes_AsString(file);
    if (!path && file != Py_None)
        return NULL;
    begin(&call, path ? 0 : 1);
    if (call.status == FSD_OK)
        call.status =
            path ? fsd_bisection_read(&search, path, &call.side[0].opt, &call.err)
                 : fsd_bisection_open(&search, &call.side[0].opt, &call.err);
    return finish(&call, search, SEARCH);
}

static PyObject *search_done(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    const struct fsd_bisection *search = PyCapsule_GetPointer(capsule, SEARCH);

    return search ? PyBool_FromLong(fsd_bisection_done(search)) : NULL;
}

/* Returns a text on a search. The argument "next", "log", "tensors" or "state" selects
 * the text. */
static PyObject *search_text(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    const struct fsd_bisection *search;
    PyObject *capsule;
    const char *what;

    if (!PyArg_ParseTuple(args, "Os:search_text", &capsule, &what) ||
        !(search = PyCapsule_GetPointer(capsule, SEARCH)))
        return NULL;
    print_to(&call);
    hear(&call);
    call.status =
        !strcmp(what, "next")      ? fsd_bisection_next(search, call.out, &call.err)
        : !strcmp(what, "log")     ? fsd_bisection_log(search, call.out, &call.err)
        : !strcmp(what, "tensors") ? fsd_bisection_tensors(search, call.out, &call.err)
                                   : fsd_bisection_save(search, call.out, &call.err);
    return printed(&call);
}

/* Writes the model of the next build to a descriptor. */
static PyObject *search_model(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    const struct fsd_bisection *search;
    PyObject *capsule;
    int descriptor, inlined;
    FILE *out;

    if (!PyArg_ParseTuple(args, "Oip:search_model", &capsule, &descriptor, &inlined) ||
        !(search = PyCapsule_GetPointer(capsule, SEARCH)))
        return NULL;
    out = open_model(descriptor);
    hear(&call);
    call.status = out ? fsd_bisection_model(search, inlined, out, &call.err) : FSD_OK;
    call.status = close_model(out, call.status, &call.err);
    return written(&call);
}

/* Returns the result that a saved comparison states: 0 for good, 1 for bad. */
static PyObject *search_judge(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    const struct fsd_bisection *search;
    enum fsd_bisect_result result = FSD_BISECT_SKIP;
    PyObject *capsule;
    const char *path;

    if (!PyArg_ParseTuple(args, "Oy:search_judge", &capsule, &path) ||
        !(search = PyCapsule_GetPointer(capsule, SEARCH)))
        return NULL;
    hear(&call);
    call.status = fsd_bisection_judge(search, path, &result, &call.err);
    end(&call);
    if (call.status != FSD_OK)
        return raise_error(&call.err);
    return PyLong_FromLong(result);
}

/* Returns the result that follows from saved outputs: 0 for good, 1 for bad. */
static PyObject *search_judge_values(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    const struct fsd_bisection *search;
    enum fsd_bisect_result result = FSD_BISECT_SKIP;
    PyObject *capsule;
    const char *good, *outputs;
    double limit;

    if (!PyArg_ParseTuple(args, "Oyyd:search_judge_values", &capsule, &good, &outputs,
                          &limit) ||
        !(search = PyCapsule_GetPointer(capsule, SEARCH)))
        return NULL;
    hear(&call);
    call.status =
        fsd_bisection_judge_values(search, good, outputs, limit, &result, &call.err);
    end(&call);
    if (call.status != FSD_OK)
        return raise_error(&call.err);
    return PyLong_FromLong(result);
}

/* Records the result of a build. The dictionary has its engine; None: the engine is
 * unknown. */
static PyObject *search_take(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct call call = {0};
    struct fsd_bisection *search;
    PyObject *capsule, *side;
    int result;

    if (!PyArg_ParseTuple(args, "OiO:search_take", &capsule, &result, &side) ||
        !(search = PyCapsule_GetPointer(capsule, SEARCH)) ||
        (side != Py_None && !take_side(&call, &call.side[0], side)))
        return NULL;
    print_to(&call);
    hear(&call);
    call.status = fsd_bisection_take(search, (enum fsd_bisect_result)result,
                                     side == Py_None ? NULL : &call.side[0].opt,
                                     call.out, &call.err);
    return printed(&call);
}

/* -------------------------------------------------------- the files that were read */

static const char OPENED[] = "fusiondiff.opened";

static void free_opened(PyObject *capsule)
{
    fsd_opened_free(PyCapsule_GetPointer(capsule, OPENED));
}

/* Creates an empty list of opened files. */
static PyObject *opened(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    struct fsd_opened *made = fsd_opened_new();

    return made ? PyCapsule_New(made, OPENED, free_opened) : PyErr_NoMemory();
}

/* From now on, adds files that this thread opens to this list (None: to no list).
 * Returns the previous list. The caller must keep a reference to a list that is in
 * use. */
static PyObject *record(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    static _Thread_local PyObject *current;
    PyObject *before = current ? current : Py_None;
    struct fsd_opened *list =
        capsule == Py_None ? NULL : PyCapsule_GetPointer(capsule, OPENED);

    if (!list && capsule != Py_None)
        return NULL;
    fsd_opened_record(list);
    current = list ? capsule : NULL;
    Py_INCREF(before);
    return before;
}

/* Returns whether the list has the file with this path. */
static PyObject *was_opened(PyObject *Py_UNUSED(self), PyObject *args)
{
    struct fsd_opened *list;
    PyObject *capsule;
    const char *path;

    if (!PyArg_ParseTuple(args, "Oy:was_opened", &capsule, &path) ||
        !(list = PyCapsule_GetPointer(capsule, OPENED)))
        return NULL;
    return PyBool_FromLong(fsd_opened_has(list, path));
}

static PyObject *update(PyObject *Py_UNUSED(self), PyObject *capsule)
{
    const struct fsd_check *made = PyCapsule_GetPointer(capsule, CHECK);
    struct call call = {0};

    if (!made)
        return NULL;
    print_to(&call);
    hear(&call);
    call.status = fsd_check_update(made, call.out, &call.err);
    return printed(&call);
}

static PyMethodDef methods[] = {
    {"open_run", open_run, METH_VARARGS, NULL},
    {"open_comparison", open_comparison, METH_VARARGS, NULL},
    {"open_routing", open_routing, METH_VARARGS, NULL},
    {"open_check", open_check, METH_VARARGS, NULL},
    {"open_linting", open_linting, METH_VARARGS, NULL},
    {"open_failure", open_failure, METH_VARARGS, NULL},
    {"snapshot", snapshot, METH_VARARGS, NULL},
    {"write", write_report, METH_VARARGS, NULL},
    {"view", view, METH_VARARGS, NULL},
    {"builds", builds, METH_O, NULL},
    {"node_names", node_names, METH_O, NULL},
    {"rules", rules, METH_NOARGS, NULL},
    {"differs", differs, METH_O, NULL},
    {"failed", failed, METH_O, NULL},
    {"fix", fix, METH_VARARGS, NULL},
    {"cut", cut, METH_VARARGS, NULL},
    {"code", code, METH_VARARGS, NULL},
    {"retype", retype, METH_VARARGS, NULL},
    {"annotate", annotate, METH_VARARGS, NULL},
    {"issue", issue, METH_VARARGS, NULL},
    {"update", update, METH_O, NULL},
    {"open_search", open_search, METH_VARARGS, NULL},
    {"search_done", search_done, METH_O, NULL},
    {"search_text", search_text, METH_VARARGS, NULL},
    {"search_model", search_model, METH_VARARGS, NULL},
    {"search_judge", search_judge, METH_VARARGS, NULL},
    {"search_judge_values", search_judge_values, METH_VARARGS, NULL},
    {"search_take", search_take, METH_VARARGS, NULL},
    {"opened", opened, METH_NOARGS, NULL},
    {"record", record, METH_O, NULL},
    {"was_opened", was_opened, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                    "fusiondiff._native",
                                    NULL,
                                    -1,
                                    methods,
                                    NULL,
                                    NULL,
                                    NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *made = PyModule_Create(&module);

    error_class =
        made ? PyErr_NewException("fusiondiff._native.Error", NULL, NULL) : NULL;
    Py_XINCREF(error_class); /* PyModule_AddObject() takes one reference; the static
                                variable keeps another */
    if (error_class && PyModule_AddObject(made, "Error", error_class))
        Py_CLEAR(made);
    if (made && PyModule_AddStringConstant(made, "version", FSD_VERSION))
        Py_CLEAR(made);
    return made;
}
