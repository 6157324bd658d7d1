/*
 * Reads the cache of trtexec's global performance tuner (--tuningCacheFile, TensorRT
 * 11.1 and later).  Each line is a JSON object: the first describes the search, and
 * each further line an iteration.
 *
 *     {"tuner_version":"1.0","default_build_route":"-a=on -b=1","tuning_expr":...}
 *     {"iter":0,"build_route":"-a=on","crash":false,"error_message":"",
 *      "accuracy_loss":{"out":0.0012},"gpu_time":1.83}
 *
 * trtexec appends a line when an iteration ends.  If the search is killed, the last
 * line may be incomplete.  The iterations before it are read, and `cut` is set.
 */
#include "base/file_type.h"
#include "read/engine/record.h"
#include "read/trt/trt.h"

#include <math.h>

enum { STEPS_MAX = 1 << 16 };
static const double most_ms = 1e9;

struct tuning {
    struct fsd_tuning *out;
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_records r;
};

static fsd_sym text_of(const struct tuning *t, const struct fsd_field *f)
{
    return f->is_text ? fsd_record_unescaped(t->names,
                                             (struct fsd_slice){f->text, f->text_len})
                      : 0;
}

/* A function that read_record() calls for each field of a record.  read_record() skips
 * a list or object that the function does not read. */
typedef void field_fn(struct tuning *t, const struct fsd_field *field, void *payload);

/* Reads the fields of one record.  The caller may have read the opening brace already.
 * @return the step that ended the record: FSD_RECORD_CLOSE if it is complete */
static enum fsd_record_step read_record(struct tuning *t, field_fn *each, void *payload)
{
    enum fsd_record_step step;
    struct fsd_field field = {0};

    while ((step = fsd_record_next(&t->r, &field)) == FSD_RECORD_FIELD) {
        size_t before = t->r.at;

        each(t, &field, payload);
        if (field.opens && t->r.at == before)
            t->r.at = fsd_record_behind(&t->r);
    }
    return step;
}

/* Reads a record that is the value of a field. */
static void read_inside(struct tuning *t, const struct fsd_field *f, field_fn *each,
                        void *payload)
{
    struct fsd_field none;

    if (f->opens == '{' && fsd_record_next(&t->r, &none) == FSD_RECORD_OPEN)
        read_record(t, each, payload);
}

static void read_parameter(struct tuning *t, const struct fsd_field *f, void *payload)
{
    (void)payload;
    if (fsd_field_is(f, "epsilon") && f->number > 0)
        t->out->most_loss = f->number;
}

static void read_head(struct tuning *t, const struct fsd_field *f, void *payload)
{
    const struct {
        const char *key;
        fsd_sym *to;
    } texts[] = {{"tuner_version", &t->out->version},
                 {"default_build_route", &t->out->default_route},
                 {"tuning_expr", &t->out->searched},
                 {"searching_algorithm", &t->out->search},
                 {"accuracy_algorithm", &t->out->loss_by}};

    for (size_t i = 0; i < FSD_COUNT_OF(texts); i++)
        if (fsd_field_is(f, texts[i].key))
            *texts[i].to = text_of(t, f);
    if (fsd_field_is(f, "accuracy_parameter"))
        read_inside(t, f, read_parameter, payload);
}

static void read_loss(struct tuning *t, const struct fsd_field *f, void *payload)
{
    struct fsd_tuning_step *step = payload;

    if (f->is_text || f->opens || isnan(f->number))
        return;
    step->odd |= !(f->number >= 0) || isinf(f->number);
    if (!(f->number > step->loss) || isinf(f->number))
        return;
    step->loss = f->number;
    step->loss_of =
        fsd_record_unescaped(t->names, (struct fsd_slice){f->key, f->key_len});
}

static void read_ms(struct fsd_tuning_step *step, const struct fsd_field *f)
{
    if (f->is_text || f->opens || isnan(f->number))
        return;
    if (f->number > 0 && f->number <= most_ms)
        step->ms = f->number;
    else /* a time of 0 means that nothing was measured */
        step->odd |= f->number != 0;
}

static void read_step(struct tuning *t, const struct fsd_field *f, void *payload)
{
    struct fsd_tuning_step *step = payload;

    if (fsd_field_is(f, "iter") && f->number >= 0 && f->number <= UINT32_MAX) {
        step->number = (uint64_t)f->number;
        step->numbered = !f->is_text && !f->opens;
    } else if (fsd_field_is(f, "build_route")) {
        step->route = text_of(t, f);
    } else if (fsd_field_is(f, "crash")) {
        step->failed = f->is_true;
    } else if (fsd_field_is(f, "error_message")) {
        step->error = text_of(t, f);
    } else if (fsd_field_is(f, "accuracy_loss")) {
        read_inside(t, f, read_loss, payload);
    } else if (fsd_field_is(f, "gpu_time")) {
        read_ms(step, f);
    }
}

static enum fsd_status read_steps(struct tuning *t, struct fsd_error *err)
{
    enum fsd_record_step step;
    struct fsd_field none;

    while ((step = fsd_record_next(&t->r, &none)) == FSD_RECORD_OPEN) {
        struct fsd_tuning_step one = {.loss = -1, .ms = -1};

        if (t->out->steps.n == STEPS_MAX)
            return fsd_fail(err, FSD_E_LIMIT, t->r.file->name, FSD_POS_NONE, 0,
                            "expected at most %d iterations, found more", STEPS_MAX);
        if (read_record(t, read_step, &one) != FSD_RECORD_CLOSE) {
            t->out->cut = true;
            break;
        }
        if (one.failed)
            one.ms = one.loss = -1;
        fsd_vec_push(t->arena, &t->out->steps, one);
    }
    if (step == FSD_RECORD_END || t->out->cut || t->r.err->status != FSD_OK)
        return FSD_OK;
    return fsd_fail(err, FSD_E_FORMAT, t->r.file->name, FSD_POS_BYTE, t->r.at,
                    "expected an iteration in a tuning cache, found something else");
}

enum fsd_status fsd_tuning_read(struct fsd_arena *arena, struct fsd_intern *names,
                                const struct fsd_file *file, struct fsd_tuning *out,
                                struct fsd_error *err)
{
    struct fsd_error broken = {0};
    struct tuning t = {out,
                       arena,
                       names,
                       {.file = file,
                        .at = fsd_file_text_start(file),
                        .what = "a tuning cache",
                        .err = &broken,
                        .nested = true,
                        .escaped = true}};
    struct fsd_field none;
    enum fsd_status status;

    *out = (struct fsd_tuning){.path = file->name, .most_loss = -1};
    if (fsd_file_type_of(file) != FSD_FILETYPE_JSON ||
        fsd_record_next(&t.r, &none) != FSD_RECORD_OPEN ||
        read_record(&t, read_head, NULL) != FSD_RECORD_CLOSE || !out->version)
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_LINE, 1,
                        "expected the first line of a tuning cache (an object with "
                        "\"tuner_version\"), found none");
    status = read_steps(&t, err);
    /* An incomplete line in the middle of the file is damage.  An incomplete last line
     * means that the search was killed. */
    if (status == FSD_OK && broken.status != FSD_OK && broken.pos < file->size) {
        if (err)
            *err = broken;
        return FSD_E_FORMAT;
    }
    return status;
}
