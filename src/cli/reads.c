/*
 * Records the files that the program reads, because no output may replace them. All
 * threads add the files that they open to one list. Before the program writes an
 * output, it searches this list for the output. While the report is made, more files
 * may be opened. The program therefore searches again before the output replaces a
 * file.
 *
 * Files on the command line are recorded before they are opened, so that the program
 * refuses an output at once and not after minutes of work.
 */
#include "cli/cli.h"

static struct fsd_opened *opened, /* all files that were opened */
    *named; /* the files that the user named, except files that a verb updates, such
               as the snapshot of `check`. An output with `updates` may replace no
               file of `named`. Any other output may replace no file of `opened` */

void record_reads(void)
{
    if (!opened) {
        opened = must(fsd_opened_new());
        named = must(fsd_opened_new());
    }
    fsd_opened_record(opened);
}

void add_read(const char *path)
{
    if (path && !fsd_opened_add(opened, path))
        must(NULL);
}

static void add_named(const char *path)
{
    add_read(path);
    if (path && !fsd_opened_add(named, path))
        must(NULL);
}

static void add_reads(const struct fsd_options *build)
{
    add_named(build->model);
    add_named(build->engine);
    add_named(build->log);
    add_named(build->times);
    for (unsigned i = 0; i < build->n_profiles; i++)
        add_named(build->profiles[i]);
    for (unsigned i = 0; i < build->n_values; i++)
        add_named(build->values[i]);
    for (unsigned i = 0; i < build->n_parts; i++)
        add_named(build->parts[i]);
}

enum fsd_status refuse_read(const struct output *to, struct fsd_error *err)
{
    if (!fsd_opened_has(to->updates ? named : opened, to->path ? to->path : "-"))
        return FSD_OK;
    return fail_file(err, FSD_E_ARG, to->path ? to->path : "standard output",
                     "expected an output file, found one of the inputs");
}

enum fsd_status check_outputs(const struct command_line *line,
                              const struct fsd_options *inputs, unsigned n,
                              struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < n; i++)
        add_reads(&inputs[i]);
    for (unsigned i = 0; i < line->n_outputs && status == FSD_OK; i++)
        status = refuse_read(&line->outputs[i], err);
    return status;
}

enum fsd_status check_line_outputs(const struct command_line *line,
                                   struct fsd_error *err)
{
    const struct option_row *row = option_rows(line->verb, 0);

    for (; is_row(row); row++)
        if (row->input)
            add_named(*(const char *const *)((const char *)line + row->at));
    add_read(line->check.options.snapshot);
    for (unsigned i = 0; i < line->part.cut.n_values; i++)
        add_named(line->part.cut.values[i]);
    if (!line->snapshot.merge_base)
        return check_outputs(line, &line->run, 1, err);
    add_named(line->run.engine); /* run.engine is THEIRS, which is only read.  A merge
                                    may replace OURS, which is run.model */
    return FSD_OK;
}
