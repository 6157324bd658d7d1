/* Writes the outputs of verbs that write both a model and a report. */
#include "cli/edit.h"

void note_weights(const struct command_line *line)
{
    if (!line->quiet && fsd_file_has_external(line->run.model))
        print_note(NULL, "the weights are in external files: copy these files into the "
                         "folder of the new model");
}

enum fsd_status write_models(const struct command_line *line, print_fn *print_model,
                             print_fn *print_report, const void *payload,
                             struct fsd_error *err)
{
    static struct command_line models, reports;
    enum fsd_status status = check_outputs(line, NULL, 0, err);
    bool moved = false;

    models = reports = *line;
    models.n_outputs = reports.n_outputs = 0;
    for (unsigned i = 0; i < line->n_outputs; i++) {
        const struct output *to = &line->outputs[i];
        struct command_line *of = ends_with(to->path, ".onnx") ? &models : &reports;

        of->outputs[of->n_outputs++] = *to;
        moved |= of == &models && !is_same_folder(line->run.model, to->path);
    }
    if (!reports.n_outputs && !line->quiet)
        reports.outputs[reports.n_outputs++] = (struct output){NULL, line->format};
    if (status == FSD_OK)
        status = write_outputs(&models, print_model, payload, err);
    if (status == FSD_OK)
        status = write_outputs(&reports, print_report, payload, err);
    if (status == FSD_OK && moved)
        note_weights(line);
    return status;
}
