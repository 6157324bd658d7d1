/*
 * Reads the command of a build from command.json, which `collect` writes beside the
 * engine:
 *
 *     {"schema":"fusiondiff-collect/1", "given":["builder","--onnx=m.onnx","--fp16"],
 *      "environment":{"CUDA_VISIBLE_DEVICES":"0"}, ...}
 *
 * Only command.json states the flags of the build; no dump does. A file with a
 * different schema belongs to another program.
 */
#include "edit/issue/issue.h"
#include "base/base.h"

enum { MOST_COMMAND_BYTES = 1 << 20, MOST_WORDS = 4096 };

struct reading {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_issue_command *out;
    struct fsd_records r;
    bool is;    /* the file was written by `collect` */
    bool given; /* the list "given" is being read */
};

static fsd_sym text_at(const struct reading *x, const char *at, size_t n)
{
    return fsd_record_unescaped(x->names, (struct fsd_slice){at, n});
}

static void read_environment(struct reading *x)
{
    struct fsd_field field = {0};
    enum fsd_record_step step = fsd_record_next(&x->r, &field); /* the opening
                                                                   bracket */

    while (step == FSD_RECORD_OPEN || step == FSD_RECORD_FIELD) {
        if (step == FSD_RECORD_FIELD && field.is_text &&
            x->out->variables.n < MOST_WORDS) {
            const char *name = fsd_text(x->names, text_at(x, field.key, field.key_len));
            const char *value =
                fsd_text(x->names, text_at(x, field.text, field.text_len));

            fsd_vec_push(x->arena, &x->out->variables,
                         ((struct fsd_issue_variable){name, value}));
        }
        step = fsd_record_next(&x->r, &field);
    }
}

static void read_member(struct reading *x, const struct fsd_field *field)
{
    if (!field->key) {
        if (x->given && x->out->words.n < MOST_WORDS)
            fsd_vec_push(x->arena, &x->out->words,
                         fsd_text(x->names, text_at(x, field->text, field->text_len)));
        return;
    }
    x->given = fsd_field_is(field, "given") && field->opens == '[';
    if (fsd_field_is(field, "schema"))
        x->is = fsd_slice_begins((struct fsd_slice){field->text, field->text_len},
                                 "fusiondiff-collect/");
    else if (fsd_field_is(field, "environment") && field->opens == '{')
        read_environment(x);
    else if (field->opens && !x->given)
        x->r.at = fsd_record_behind(&x->r);
}

static void read_command(struct reading *x)
{
    struct fsd_field field = {0};
    enum fsd_record_step step = fsd_record_next(&x->r, &field);

    for (; step < FSD_RECORD_CLOSE; step = fsd_record_next(&x->r, &field))
        if (step == FSD_RECORD_FIELD)
            read_member(x, &field);
}

const struct fsd_issue_command *fsd_issue_command_of(struct fsd_arena *arena,
                                                     struct fsd_intern *names,
                                                     const char *engine)
{
    const char *path = fsd_path_beside(arena, engine, "command.json");
    struct fsd_issue_command *out = FSD_NEW(arena, struct fsd_issue_command, 1);
    struct fsd_error err = {0};
    struct fsd_file file = {0};
    struct reading x = {.arena = arena, .names = names, .out = out};

    x.r = (struct fsd_records){.file = &file,
                               .what = "a command",
                               .err = &err,
                               .nested = true,
                               .escaped = true};
    if (fsd_file_open(&file, path, MOST_COMMAND_BYTES, &err) == FSD_OK)
        read_command(&x);
    return fsd_file_done(&file, FSD_OK, &err) == FSD_OK && x.is && out->words.n ? out
                                                                                : NULL;
}
