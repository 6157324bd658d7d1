/* Reads and prints targets: the builders for which lint judges a model. */
#include "judge/lint/lint.h"

#include "base/base.h"
#include "model/graph/graph.h"

#include <stdlib.h>

static const struct family {
    const char *name;
    enum fsd_family family;
} families[] = {
    {"trt8", FSD_TRT8}, {"trt10", FSD_TRT10}, {"trt11", FSD_TRT11}, {"rtx", FSD_RTX}};

/* Reads a number of at most three digits; false if there is no number, or a longer
 * one. */
static bool take_number(const char **at, unsigned *out)
{
    size_t n = strspn(*at, "0123456789");

    *out = n && n < 4 ? (unsigned)strtoul(*at, NULL, 10) : 0;
    *at += n;
    return n && n < 4;
}

bool fsd_target_read(struct fsd_target *out, const char *word, struct fsd_arena *arena)
{
    const struct family *f = families, *end = families + FSD_COUNT_OF(families);
    const char *at = word ? word : "rtx-1.7:sm89";
    unsigned major, minor;
    size_t n = strcspn(at, "-:");

    while (f < end && (strlen(f->name) != n || strncmp(f->name, at, n) != 0))
        f++;
    if (f == end)
        return false;
    *out = (struct fsd_target){.family = f->family,
                               .name = fsd_arena_strndup(arena, at, strlen(at))};
    at += n;
    if (*at == '-' && f->family == FSD_RTX) {
        at++;
        if (!take_number(&at, &major) || *at++ != '.' || !take_number(&at, &minor) ||
            minor > 99)
            return false;
        out->version = 100 * major + minor;
    }
    if (!strncmp(at, ":sm", 3)) {
        at += 3;
        if (!take_number(&at, &out->sm))
            return false;
    }
    return !*at;
}

const char *fsd_families_text(struct fsd_arena *arena, unsigned mask)
{
    const char *text = "";

    if (mask == FSD_ANY_BUILDER)
        return "any builder";
    for (size_t i = 0; i < FSD_COUNT_OF(families); i++)
        if (mask & families[i].family)
            text =
                fsd_printed(arena, "%s%s%s", text, *text ? ", " : "", families[i].name);
    return text;
}

const char *fsd_target_named(const char *version)
{
    static const struct {
        const char *shows, *word;
    } all[] = {{"RTX", "rtx"},
               {"TensorRT 8", "trt8"},
               {"TensorRT 9", "trt10"},
               {"TensorRT 10", "trt10"},
               {"TensorRT 11", "trt11"}};

    for (size_t i = 0; i < FSD_COUNT_OF(all); i++)
        if (strstr(version, all[i].shows))
            return all[i].word;
    return NULL;
}

const char *fsd_target_of(const struct fsd_graph *engine)
{
    return engine->nodes.n ? fsd_target_named(fsd_text(engine->names, engine->producer))
                           : NULL;
}
