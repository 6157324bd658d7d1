/*
 * Reads the results of Polygraphy's comparison of two runners, which `polygraphy run
 * --save-accuracy-results` saves:
 *
 *     {"lst": [ {"lst": [ [ ["onnxrt", "trt"],
 *                           [ {"x": {"passed": true, ...}, "y": {...}}, ... ] ], ... ],
 *                "aggregation": "per_sample"}, ... ]}
 *
 * The outer list has a result for each comparison function. A result has a list for
 * each pair of runners, with an object for each iteration. In this object, the value of
 * each output is an object or, if the comparison function is the user's own, true or
 * false. Older versions save a single result.
 */

#include "edit/bisect/accuracy.h"
#include "base/base.h"
#include "edit/run.h"

struct reading {
    struct fsd_records r;
    struct fsd_intern *names;
    struct fsd_compared *outputs;
    uint32_t n, iterations;
    bool average;
};

/* Reads the next item; false at the end of the object, or if the text is truncated. */
static bool next(struct reading *x, struct fsd_field *field, enum fsd_record_step *step)
{
    *step = fsd_record_next(&x->r, field);
    if (*step == FSD_RECORD_END)
        fsd_fail(x->r.err, FSD_E_FORMAT, x->r.file->name, FSD_POS_BYTE, x->r.at,
                 "expected the end of %s, found the end of the file", x->r.what);
    return *step < FSD_RECORD_CLOSE;
}

static struct fsd_compared *find_output(const struct reading *x,
                                        const struct fsd_field *field)
{
    const struct fsd_slice key = {field->key, field->key_len};
    fsd_sym name = field->key ? fsd_record_unescaped(x->names, key) : 0;

    for (uint32_t i = 0; i < x->n; i++)
        if (name && x->outputs[i].name == name)
            return &x->outputs[i];
    return NULL;
}

/* Counts a result of an output. If an iteration states an output several times,
 * `passed` grows by one at most. */
static void count_result(const struct reading *x, struct fsd_compared *output,
                         bool passed)
{
    if (!output)
        return;
    output->failed += !passed;
    output->passed += passed && output->latest != x->iterations;
    output->latest = x->iterations;
}

/* Reads the object of an output: {"passed": true, "thresholds": {...}, ...}. An object
 * without "passed" is ignored. */
static void read_output(struct reading *x, struct fsd_compared *output)
{
    enum fsd_record_step step = fsd_record_next(&x->r, &(struct fsd_field){0});
    struct fsd_field field = {0};

    while (step < FSD_RECORD_CLOSE && next(x, &field, &step)) {
        if (step != FSD_RECORD_FIELD)
            continue;
        if (fsd_field_is(&field, "passed") && (field.is_true || field.is_false))
            count_result(x, output, field.is_true);
        else if (field.opens)
            x->r.at = fsd_record_behind(&x->r);
    }
}

/* Reads the object of an iteration, {"x": {...}, "y": true}, after its opening
 * bracket. */
static void read_iteration(struct reading *x)
{
    enum fsd_record_step step;
    struct fsd_field field = {0};

    x->iterations++;
    while (next(x, &field, &step)) {
        if (step != FSD_RECORD_FIELD)
            continue;
        if (field.opens == '{')
            read_output(x, find_output(x, &field));
        else if (field.opens)
            x->r.at = fsd_record_behind(&x->r);
        else if (field.is_true || field.is_false)
            count_result(x, find_output(x, &field), field.is_true);
    }
}

/* Reads a result after its opening bracket. The "lst" of a result has a list for each
 * pair of runners.
 * @param outermost true: the result is the outermost object of the file. If its "lst"
 *        contains objects instead of lists, each object is a result, and is read too */
static void read_result(struct reading *x, bool outermost)
{
    enum fsd_record_step step;
    struct fsd_field field = {0};
    bool pairs = false;

    while (next(x, &field, &step)) {
        if (step == FSD_RECORD_OPEN && outermost && !pairs)
            read_result(x, false);
        else if (step == FSD_RECORD_OPEN)
            read_iteration(x);
        else if (step == FSD_RECORD_LIST)
            pairs = true;
        else if (fsd_field_is(&field, "aggregation"))
            x->average |=
                fsd_slice_is((struct fsd_slice){field.text, field.text_len}, "average");
        else if (field.opens == '[' && fsd_field_is(&field, "lst"))
            fsd_record_next(&x->r, &field); /* the opening bracket */
        else if (field.opens)
            x->r.at = fsd_record_behind(&x->r);
    }
}

static enum fsd_status check(const struct reading *x, struct fsd_error *err)
{
    const char *file = x->r.file->name;

    if (x->average)
        return fsd_fail(err, FSD_E_FORMAT, file, FSD_POS_NONE, 0,
                        "expected a result for each iteration, found averages of all "
                        "iterations (--check-average)");
    if (!x->iterations)
        return fsd_fail(err, FSD_E_FORMAT, file, FSD_POS_NONE, 0,
                        "expected %s, found a file without iterations", x->r.what);
    for (uint32_t i = 0; i < x->n && !fsd_accuracy_fails(x->outputs, x->n); i++)
        if (x->outputs[i].passed < x->iterations)
            return fsd_fail(err, FSD_E_MISMATCH, file, FSD_POS_NONE, 0,
                            "expected a result for the network's output '%s' in each "
                            "iteration, found %u of %u results",
                            fsd_text(x->names, x->outputs[i].name),
                            x->outputs[i].passed, x->iterations);
    return FSD_OK;
}

bool fsd_accuracy_fails(const struct fsd_compared *outputs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (outputs[i].failed)
            return true;
    return false;
}

enum fsd_status fsd_accuracy_read(struct fsd_intern *names, const struct fsd_file *file,
                                  struct fsd_compared *outputs, uint32_t n,
                                  struct fsd_error *err)
{
    struct fsd_error broken = {0};
    struct reading x = {{.file = file,
                         .at = fsd_file_text_start(file),
                         .what = "a comparison that Polygraphy saved",
                         .err = &broken,
                         .nested = true,
                         .escaped = true},
                        names,
                        outputs,
                        n,
                        0,
                        false};
    enum fsd_record_step step = fsd_record_next(&x.r, &(struct fsd_field){0});

    for (uint32_t i = 0; i < n; i++)
        outputs[i] = (struct fsd_compared){.name = outputs[i].name};
    if (step == FSD_RECORD_OPEN)
        read_result(&x, true);
    if (x.r.err->status == FSD_OK)
        return check(&x, err);
    if (err)
        *err = broken;
    return broken.status;
}
