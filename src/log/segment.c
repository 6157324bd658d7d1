#define _GNU_SOURCE /* memmem */
#include "log/segment.h"
#include "base/order.h"

#include "log/layer.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum place { NOWHERE, IN_BLOCK, IN_LAYERS, BEHIND_LAYERS, IN_BINDINGS };

struct fsd_log_finder {
    struct fsd_arena *arena;
    const struct fsd_file *file;
    fsd_log_engines *out;
    struct fsd_log_line line;
    size_t next; /* where the next line begins */
    enum place in;
    struct fsd_log_list list; /* the one that is open */
    enum fsd_log_form form;
    bool parted; /* a build has begun since the last list */
    const char *title;
    size_t title_n;
};

struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list)
{
    return (struct fsd_log_lines){.file = file,
                                  .at = list->at,
                                  .end = list->end,
                                  .number = list->number - 1,
                                  .released = list->at};
}

bool fsd_log_is_text_layer(const char *s, size_t n, size_t *name_n)
{
    static const char type[] = ", LayerType: ";
    const char *at;

    if (n < 6 || memcmp(s, "Name: ", 6) != 0)
        return false;
    at = memmem(s + 6, n - 6, type, sizeof type - 1);
    *name_n = at ? (size_t)(at - s) - 6 : 0;
    return at != NULL;
}

/* ----------------------------------------------- do two lists tell of one engine */

/* Hashes of the names of a list, sorted. */
struct names {
    uint64_t *at;
    uint32_t n;
};

static bool layer_name(enum fsd_log_form form, const struct fsd_log_line *line,
                       struct fsd_slice *out)
{
    struct fsd_log_layer layer;
    size_t n;

    *out = (struct fsd_slice){line->text, line->n};
    if (form == FSD_LOG_BLOCK) {
        if (!fsd_log_layer_split(line->text, line->n, &layer))
            return false;
        *out = layer.name;
    } else if (form == FSD_LOG_TEXT) {
        if (!fsd_log_is_text_layer(line->text, line->n, &n))
            return false;
        *out = (struct fsd_slice){line->text + 6, n};
    }
    return out->n > 0;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return fsd_order(x, y);
}

/* A region is one layer to the builder and several to the inspector. */
static bool is_region(struct fsd_slice name)
{
    static const char word[] = "{ForeignNode[";

    return memmem(name.s, name.n, word, sizeof word - 1) != NULL;
}

static struct names list_names(struct fsd_arena *arena, const struct fsd_file *file,
                               enum fsd_log_form form, struct fsd_log_list list)
{
    struct fsd_log_lines lines = fsd_log_list_lines(file, &list);
    struct names names = {FSD_NEW(arena, uint64_t, list.layers), 0};
    struct fsd_log_line line;
    struct fsd_slice name;

    lines.end = list.layers_end;
    while (names.n < list.layers && fsd_log_next(&lines, &line))
        if (layer_name(form, &line, &name) && !is_region(name))
            names.at[names.n++] = XXH3_64bits(name.s, name.n);
    qsort(names.at, names.n, sizeof *names.at, by_value);
    return names;
}

static uint32_t count_common(const struct names *a, const struct names *b)
{
    uint32_t i = 0, k = 0, n = 0;

    while (i < a->n && k < b->n) {
        n += a->at[i] == b->at[k];
        if (a->at[i] < b->at[k])
            i++;
        else if (a->at[i] > b->at[k])
            k++;
        else
            i++, k++;
    }
    return n;
}

static bool same_engine(const struct fsd_log_finder *f,
                        const struct fsd_log_engine *engine)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct names mine = list_names(scratch, f->file, f->form, f->list), other = {0};
    uint32_t common, fewer;

    for (int form = FSD__LOG_FORM_COUNT - 1; form >= 0; form--)
        if (engine->lists[form].number)
            other = list_names(scratch, f->file, (enum fsd_log_form)form,
                               engine->lists[form]);
    common = count_common(&mine, &other);
    fewer = mine.n < other.n ? mine.n : other.n;
    fsd_arena_free(scratch);
    return 2 * (uint64_t)common >= fewer;
}

/* ----------------------------------------------------------- opening and closing */

static void close_list(struct fsd_log_finder *f)
{
    struct fsd_log_engine *last = f->out->n ? &f->out->at[f->out->n - 1] : NULL;
    bool ended = f->in == IN_BINDINGS || f->next >= f->file->size;
    bool sure = f->form != FSD_LOG_NAMES || ended;

    f->in = NOWHERE;
    if (!f->list.layers || !sure)
        return;
    if (last && !f->parted && f->form != FSD_LOG_BLOCK && same_engine(f, last)) {
        if (!last->lists[f->form].number)
            last->lists[f->form] = f->list;
    } else {
        fsd_vec_push(f->arena, f->out,
                     (struct fsd_log_engine){.title = f->title, .title_n = f->title_n});
        f->out->at[f->out->n - 1].lists[f->form] = f->list;
    }
    f->parted = false;
}

static void open_list(struct fsd_log_finder *f, enum place in, enum fsd_log_form form)
{
    if (f->in != NOWHERE)
        close_list(f);
    f->in = in;
    f->form = form;
    f->list = (struct fsd_log_list){0};
}

static void extend(struct fsd_log_finder *f)
{
    f->list.end = f->next < f->file->size ? f->next : f->file->size;
}

static void extend_layers(struct fsd_log_finder *f)
{
    extend(f);
    f->list.layers_end = f->list.end;
}

static void add_layer(struct fsd_log_finder *f)
{
    if (!f->list.layers++) {
        f->list.number = f->line.number;
        f->list.at = f->line.at;
        f->list.prefixed = f->line.prefixed;
    }
    extend_layers(f);
}

/* ------------------------------------------------------------------------ lines */

static bool is_blank(const struct fsd_log_line *line)
{
    for (size_t i = 0; i < line->n; i++)
        if (line->text[i] != ' ' && line->text[i] != '\t')
            return false;
    return true;
}

static bool is_title(const struct fsd_log_line *line, const char *words)
{
    size_t n = strlen(words), end = line->n;

    while (end && line->text[end - 1] == ' ')
        end--;
    return end == n && !memcmp(line->text, words, n);
}

/* What belongs to the way to another engine. */
static bool begins_build(const struct fsd_log_line *line)
{
    static const char *const words[] = {
        "Parsing node: ", "Original: ", "Adding network input: ", "Applying generic ",
        "GRAPH NODES"};

    if (!line->n || !strchr("POAG", *line->text ? *line->text : ' '))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fsd_log_starts(line, words[i]))
            return true;
    return false;
}

static void read_title(struct fsd_log_finder *f)
{
    static const char *const words[] = {"Input filename:", "Model: "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);

        if (!fsd_log_starts(&f->line, words[i]))
            continue;
        while (n < f->line.n && f->line.text[n] == ' ')
            n++;
        f->title = f->line.text + n;
        f->title_n = f->line.n - n;
    }
}

/* Lists begin anywhere, also within another one. */
static bool begin_list(struct fsd_log_finder *f)
{
    struct fsd_log_layer layer;
    size_t n;

    if (fsd_log_starts(&f->line, "Layer(")) {
        if (fsd_log_layer_split(f->line.text, f->line.n, &layer)) {
            if (f->in != IN_BLOCK)
                open_list(f, IN_BLOCK, FSD_LOG_BLOCK);
            add_layer(f);
        } else if (f->in == IN_BLOCK && f->list.layers) {
            extend_layers(f); /* it is cut, and will be counted as not understood */
        }
    } else if (is_title(&f->line, "Engine Layer Information:")) {
        open_list(f, IN_BLOCK, FSD_LOG_BLOCK);
    } else if (is_title(&f->line, "Layers:")) {
        open_list(f, IN_LAYERS, FSD_LOG_NAMES);
    } else if (fsd_log_is_text_layer(f->line.text, f->line.n, &n)) {
        if (f->in != IN_LAYERS || (f->list.layers && f->form != FSD_LOG_TEXT))
            open_list(f, IN_LAYERS, FSD_LOG_TEXT);
        f->form = FSD_LOG_TEXT;
        add_layer(f);
    } else {
        return false;
    }
    return true;
}

static void read_bindings(struct fsd_log_finder *f)
{
    bool foreign = f->line.prefixed && !f->list.prefixed;

    if (foreign || is_blank(&f->line))
        close_list(f);
    else
        extend(f);
}

static void read_layers(struct fsd_log_finder *f)
{
    bool foreign = f->line.prefixed && f->list.layers && !f->list.prefixed;

    if (is_title(&f->line, "Bindings:")) {
        f->in = IN_BINDINGS;
        f->list.bindings = f->next;
        extend(f);
    } else if (foreign) {
        close_list(f);
    } else if (is_blank(&f->line)) {
        if (f->list.layers)
            f->in = BEHIND_LAYERS;
    } else if (f->in == BEHIND_LAYERS) {
        close_list(f);
    } else if (f->form == FSD_LOG_NAMES) {
        add_layer(f);
    }
}

/* Nearly all lines say nothing outside a list, and are told by their first letter. */
static bool may_matter(char first)
{
    switch (first) {
    case 'L':
    case 'E':
    case 'N':
    case 'P':
    case 'O':
    case 'A':
    case 'G':
    case 'M':
    case 'I':
        return true;
    default:
        return false;
    }
}

static void read_line(struct fsd_log_finder *f, char first)
{
    if ((first == 'L' || first == 'E' || first == 'N') && begin_list(f))
        return;
    if (begins_build(&f->line)) {
        if (f->in != NOWHERE)
            close_list(f);
        f->parted = true;
    }
    if (f->in == IN_BINDINGS)
        read_bindings(f);
    else if (f->in == IN_LAYERS || f->in == BEHIND_LAYERS)
        read_layers(f);
    else if (first == 'M' || first == 'I')
        read_title(f);
}

struct fsd_log_finder *fsd_log_finder_new(struct fsd_arena *arena,
                                          const struct fsd_file *file,
                                          fsd_log_engines *out)
{
    struct fsd_log_finder *f = FSD_NEW(arena, struct fsd_log_finder, 1);

    f->arena = arena;
    f->file = file;
    f->out = out;
    return f;
}

void fsd_log_finder_line(struct fsd_log_finder *f, const struct fsd_log_line *line,
                         size_t next)
{
    char first = line->n ? *line->text : '\0';

    if (f->in == NOWHERE && !may_matter(first))
        return;
    f->line = *line;
    f->next = next;
    read_line(f, first);
}

void fsd_log_finder_end(struct fsd_log_finder *f)
{
    f->next = f->file->size;
    if (f->in != NOWHERE)
        close_list(f);
}

void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  fsd_log_engines *out, uint64_t *lines)
{
    struct fsd_log_finder *f = fsd_log_finder_new(arena, file, out);
    struct fsd_log_lines all = fsd_log_lines(file);
    struct fsd_log_line line;

    while (fsd_log_next(&all, &line))
        fsd_log_finder_line(f, &line, all.at);
    fsd_log_finder_end(f);
    *lines = all.number;
}
