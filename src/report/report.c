#include "base/text.h"
#include "report/report.h"

#include <string.h>

static const struct fsd_writer writers[] = {
    {"text", ".txt .text ", fsd_write_text},
    {"json", ".json ", fsd_write_json},
    {"markdown", ".md .markdown ", fsd_write_markdown},
    {"junit", ".xml ", fsd_write_junit},
    {"sarif", ".sarif ", fsd_write_sarif},
    {"github", "", fsd_write_github},
    {"gitlab", "", fsd_write_gitlab},
    {"dot", ".dot .gv ", NULL},
    {"svg", ".svg ", NULL},
    {"png", ".png ", NULL},
    {"pdf", ".pdf ", NULL},
};

const struct fsd_writer *fsd_writer_at(unsigned i)
{
    return i < FSD_COUNT_OF(writers) ? &writers[i] : NULL;
}

static bool has_extension(const struct fsd_writer *writer, const char *extension)
{
    const char *at = strstr(writer->extensions, extension);

    return at && at[strlen(extension)] == ' ';
}

const struct fsd_writer *fsd_writer_find(const char *name)
{
    const char *extension = strrchr(name, '.');

    for (size_t i = 0; i < FSD_COUNT_OF(writers); i++)
        if (!strcmp(writers[i].name, name) ||
            (extension && extension[1] && has_extension(&writers[i], extension)))
            return &writers[i];
    return NULL;
}

static void put_number(uint32_t n, const char *what, FILE *out)
{
    fsd_put_noun(out, n, what);
}

void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out)
{
    put_number(by_severity[FSD_ERROR], "error", out);
    fputs(", ", out);
    put_number(by_severity[FSD_WARNING], "warning", out);
    fputs(", ", out);
    put_number(by_severity[FSD_INFO], "note", out);
}
