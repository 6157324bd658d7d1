/* Writes the file command.json, which describes a collected build, into the build's
 * directory. */
#include "api/command.h"
#include "api/inputs.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "report/json/json.h"
#include "report/record/records.h"

/* Adds a list of file names or arguments. They may contain any bytes, so they are
 * converted to valid UTF-8. */
static void add_words(struct fsd_json *object, const char *key,
                      struct fsd_intern *names, const char *const *words, unsigned n)
{
    struct fsd_json *list = fsd_json_list(object, key);

    for (unsigned i = 0; i < n; i++)
        fsd_json_add_text(list, fsd_text(names, fsd_intern_str(names, words[i])));
}

/* Adds the model's path and its hash. If the model cannot be read, adds the error
 * message in place of the hash. */
static void add_model(struct fsd_json *root, struct fsd_inputs *in, const char *path)
{
    struct fsd_json *model = fsd_json_object(root, "model");
    struct fsd_options opt = {.model = path};
    struct fsd_error err = {0};

    fsd_json_text(model, "path", fsd_text(in->names, fsd_intern_str(in->names, path)));
    if (fsd_inputs_load_side(in, &opt, true, &err) == FSD_OK)
        fsd_json_text(model, "hash", fsd_hash_word(in->arena, in->model->hash));
    else
        fsd_json_text(model, "error", err.message);
}

static enum fsd_status write_record(const struct fsd_collected *what, FILE *out,
                                    struct fsd_error *err)
{
    FSD_SCRATCH(arena);
    struct fsd_inputs in = {.arena = arena, .names = fsd_op_names_new(arena)};
    struct fsd_json *root = fsd_json_new(out), *environment;

    fsd_json_text(root, "schema", "fusiondiff-collect/1");
    fsd_json_text(root, "version", FSD_VERSION);
    add_words(root, "command", in.names, what->command, what->n_command);
    add_words(root, "given", in.names, what->given, what->n_given);
    fsd_json_number(root, "status", what->status);
    environment = fsd_json_object(root, "environment");
    for (unsigned i = 0; i < what->n_environment; i++)
        fsd_json_text(environment, what->names[i],
                      fsd_text(in.names, fsd_intern_str(in.names, what->values[i])));
    if (what->model)
        add_model(root, &in, what->model);
    fsd_json_end(root);
    putc('\n', out);
    return fsd_flush(out, err);
}

enum fsd_status fsd_collected_write(const struct fsd_collected *what, FILE *out,
                                    struct fsd_error *err)
{
    enum fsd_status status =
        fsd_expect_words("command", what->command, what->n_command, err);

    FSD_THEN(status, fsd_expect_words("given", what->given, what->n_given, err));
    FSD_THEN(status, fsd_expect_words("names", what->names, what->n_environment, err));
    FSD_THEN(status,
             fsd_expect_words("values", what->values, what->n_environment, err));
    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    return write_record(what, out, err);
}
