/*
 * snapshot --merge: what git runs for a file with `merge=fusiondiff`.  Lines of two
 * snapshots cannot be mixed, since each is of one build: a side that did not change
 * gives way to the other.  Where both changed, the build of the merged model is in
 * neither.
 */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t n;
};

static enum fsd_status read_snapshot(const char *path, struct text *out,
                                     struct fsd_error *err)
{
    enum { STEP = 1 << 16 };
    FILE *in;

    if (fsd_file_kind(path) != FSD_FILE_SNAPSHOT)
        return fail_file(err, FSD_E_FORMAT, path,
                         "expected a snapshot, found another file");
    in = fopen(path, "rb");
    if (!in)
        return fail_errno(err, path);
    do {
        out->at = must(realloc(out->at, out->n + STEP));
        out->n += fread(out->at + out->n, 1, STEP, in);
    } while (!feof(in) && !ferror(in));
    return fclose(in) ? fail_errno(err, path) : FSD_OK;
}

static bool are_equal(const struct text *a, const struct text *b)
{
    return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

static enum fsd_status print_text(const void *payload, const struct sink *to)
{
    const struct text *text = payload;

    return fwrite(text->at, 1, text->n, to->out) == text->n && !fflush(to->out)
               ? FSD_OK
               : fail_errno(to->err, NULL);
}

enum fsd_status merge_snapshots(struct command_line *line, struct fsd_error *err)
{
    enum { BASE, OURS, THEIRS, SIDES };
    const char *const paths[SIDES] = {line->merge_base, line->run.model,
                                      line->run.engine};
    struct text side[SIDES] = {{0}};
    enum fsd_status status = FSD_OK;

    for (int i = 0; i < SIDES && status == FSD_OK; i++)
        status = read_snapshot(paths[i], &side[i], err);
    if (status == FSD_OK && are_equal(&side[BASE], &side[OURS])) {
        line->n_outputs = 1;
        line->outputs[0] = (struct output){.path = paths[OURS], .updates = true};
        status = write_outputs(line, print_text, &side[THEIRS], err);
    } else if (status == FSD_OK && !are_equal(&side[BASE], &side[THEIRS]) &&
               !are_equal(&side[OURS], &side[THEIRS])) {
        print_note(NULL, "both sides changed the snapshot: keep either one, build the "
                         "merged model, then run check --update");
        line->exit_status = FINDINGS;
    }
    for (int i = 0; i < SIDES; i++)
        free(side[i].at);
    return status;
}
