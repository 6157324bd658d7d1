/*
 * Finds the engines in a log in one pass, line by line.
 *
 * A title, or a first layer, begins a list of layers.  The builder and the inspector
 * may both list an engine.  Two lists belong to one engine if at least half of the
 * names in the shorter list are also in the other list.  The other names may differ,
 * because only the inspector lists the kernels of a Myelin region.  A list that has
 * only names could be any text.  It counts only if bindings or the end of the log
 * follow it.
 *
 * A line about a step of a build begins a new attempt in two cases: the log has already
 * listed the engine of the current attempt, or the step comes before the current step
 * in the order of a build.
 */
#include "read/log/log.h"

#include "base/base.h"

#include <xxhash.h>

/* The steps of a build, in the order in which a log has them. */
enum step { ANY_STEP, STARTING, READING, PARSING, BUILDING };

enum place { NOWHERE, IN_BLOCK, IN_LAYERS, BEHIND_LAYERS, IN_BINDINGS };

struct fsd_log_segmenter {
    struct fsd_arena *arena;
    struct fsd_log_lines lines;
    fsd_log_engines *out;
    struct fsd_log_line line;
    uint32_t attempt;
    enum step step; /* the latest step of this attempt */
    bool known;     /* the log has listed the attempt's engine */
    enum place in;
    struct fsd_log_list list; /* the open list */
    enum fsd_log_form form;
    struct fsd_slice first; /* the name of the first layer in `list`, if the inspector
                               wrote the list */
    struct fsd_slice title;
    struct fsd_log_list
        kinds; /* the list of the form FSD_LOG_KINDS in the current attempt, if it is
                  not yet stored in an engine */
};

struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list)
{
    return (struct fsd_log_lines){.file = file,
                                  .at = list->at,
                                  .end = list->end,
                                  .number = list->number - 1,
                                  .wrapper = list->wrapper,
                                  .released = list->at};
}

bool fsd_log_listed_layer(enum fsd_log_form form, struct fsd_slice line,
                          struct fsd_log_layer *out)
{
    if (form == FSD_LOG_BLOCK)
        return fsd_log_layer_split(line, out);
    if (form == FSD_LOG_TEXT)
        return fsd_log_text_layer(line, out);
    if (form == FSD_LOG_KINDS)
        return fsd_log_kind_layer(line, out, &(bool){false});
    *out = (struct fsd_log_layer){.name = line};
    return line.n > 0;
}

bool fsd_log_is_region(const struct fsd_log_layer *layer)
{
    return fsd_slice_begins(layer->type, "Myelin") ||
           fsd_slice_find(layer->name, "{ForeignNode[") != NULL;
}

/* -------------------------------------------- do two lists describe the same engine */

/* The hashes of the names in a list, sorted. */
struct names {
    uint64_t *at;
    uint32_t n;
};

static struct names list_names(struct fsd_arena *arena, const struct fsd_file *file,
                               enum fsd_log_form form, struct fsd_log_list list)
{
    struct fsd_log_lines lines = fsd_log_list_lines(file, &list);
    struct names names = {FSD_NEW(arena, uint64_t, list.layers), 0};
    struct fsd_log_line line;
    struct fsd_log_layer layer;

    lines.end = list.layers_end;
    while (names.n < list.layers && fsd_log_next(&lines, &line))
        if (fsd_log_listed_layer(form, line.text, &layer) && layer.name.n &&
            !fsd_log_is_region(&layer))
            names.at[names.n++] = XXH3_64bits(layer.name.s, layer.name.n);
    fsd_vec_sort(&names, fsd_by_number);
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

/* Whether the open list is a list of `engine`: at least half of the names in the
 * shorter list are also in the other list.  The other names may differ, because only
 * the inspector lists the kernels of a region. */
static bool same_engine(const struct fsd_log_segmenter *s,
                        const struct fsd_log_engine *engine)
{
    FSD_SCRATCH(scratch);
    struct names mine = list_names(scratch, s->lines.file, s->form, s->list),
                 other = {0};
    uint32_t common, fewer;

    for (int form = FSD__LOG_FORM_COUNT - 1; form >= 0; form--)
        if (engine->lists[form].number)
            other = list_names(scratch, s->lines.file, (enum fsd_log_form)form,
                               engine->lists[form]);
    common = count_common(&mine, &other);
    fewer = mine.n < other.n ? mine.n : other.n;
    return 2 * (uint64_t)common >= fewer;
}

/* ----------------------------------------------------------- opening and closing */

/* Ends the open list.  Any program may print a list that has only names, so such a list
 * counts as an engine's only if bindings or the end of the log (`at_end`) follow it. */
static void close_list(struct fsd_log_segmenter *s, bool at_end)
{
    bool sure = s->form != FSD_LOG_NAMES || s->in == IN_BINDINGS || at_end;
    struct fsd_log_engine *last;

    s->in = NOWHERE;
    if (!s->list.layers || !sure)
        return;
    last = s->known ? &s->out->at[s->out->n - 1] : NULL;
    /* The builder prints one FSD_LOG_BLOCK per engine, so a second one is about another
     * engine.  The inspector may list an engine several times: once per request. */
    if (last && !(s->form == FSD_LOG_BLOCK && last->lists[s->form].number) &&
        same_engine(s, last)) {
        if (!last->lists[s->form].number)
            last->lists[s->form] = s->list;
        return;
    }
    s->attempt += s->known;
    s->known = true;
    fsd_vec_push(s->arena, s->out,
                 (struct fsd_log_engine){.title = s->title, .attempt = s->attempt});
    s->out->at[s->out->n - 1].lists[s->form] = s->list;
    s->out->at[s->out->n - 1].lists[FSD_LOG_KINDS] = s->kinds;
    s->kinds.layers = 0;
}

/* Ends the list of kinds, which the builder prints before it chooses tactics.  This
 * list describes the engine only if the log has no other list of the engine. */
static void close_kinds(struct fsd_log_segmenter *s)
{
    if (s->kinds.layers && !s->known) {
        fsd_vec_push(s->arena, s->out,
                     (struct fsd_log_engine){.title = s->title, .attempt = s->attempt});
        s->out->at[s->out->n - 1].lists[FSD_LOG_KINDS] = s->kinds;
    }
    s->kinds = (struct fsd_log_list){0};
}

static void begin_attempt(struct fsd_log_segmenter *s)
{
    close_kinds(s);
    s->attempt++;
    s->known = false;
    s->step = ANY_STEP;
}

static void open_list(struct fsd_log_segmenter *s, enum place in,
                      enum fsd_log_form form)
{
    if (s->in != NOWHERE)
        close_list(s, false);
    s->in = in;
    s->form = form;
    s->list = (struct fsd_log_list){0};
}

static void extend(const struct fsd_log_segmenter *s, struct fsd_log_list *list)
{
    list->end = s->lines.at < s->lines.end ? s->lines.at : s->lines.end;
}

static void add_layer_to(const struct fsd_log_segmenter *s, struct fsd_log_list *list)
{
    if (!list->layers++) {
        list->number = s->line.number;
        list->at = s->line.at;
        list->prefixed = s->line.prefixed;
        list->pieces = s->line.pieces;
    }
    extend(s, list);
    list->layers_end = list->end;
    list->wrapper = s->lines.wrapper;
}

bool fsd_log_is_foreign(const struct fsd_log_list *list,
                        const struct fsd_log_line *line)
{
    return line->prefixed && (!list->prefixed || line->pieces > list->pieces);
}

static void add_layer(struct fsd_log_segmenter *s)
{
    add_layer_to(s, &s->list);
}

/* ------------------------------------------------------------------------ lines */

static bool is_title(const struct fsd_log_line *line, const char *words)
{
    struct fsd_slice text = line->text;

    while (fsd_slice_drop(&text, " "))
        ;
    return fsd_slice_is(text, words);
}

/* Finds the step of a build to which a line belongs; returns false if it belongs to
 * none.  A line that belongs to a step ends the open list of layers.  Other lines about
 * a build do not end it: several threads write the log, so such lines may stand within
 * a list. */
static bool is_step(struct fsd_slice text, enum step *step)
{
    static const struct {
        const char *words;
        enum step step;
    } steps[] = {{"&&&& RUNNING ", STARTING},
                 {"Input filename:", STARTING},
                 {"Adding network input: ", READING},
                 {"Importing initializer: ", ANY_STEP},
                 {"Static check for parsing node: ", PARSING},
                 {"Parsing node: ", PARSING},
                 {"Registering layer: ", PARSING},
                 {"Original: ", BUILDING},
                 {"Applying generic ", BUILDING},
                 {"GRAPH NODES", BUILDING}};

    for (size_t i = 0; i < FSD_COUNT_OF(steps); i++)
        if (text.n && *text.s == *steps[i].words &&
            fsd_slice_begins(text, steps[i].words)) {
            *step = steps[i].step;
            /* A run with --loadEngine shows an engine that an earlier run built, and
             * begins no attempt. */
            return *step != STARTING || !fsd_slice_find(text, " --loadEngine");
        }
    return false;
}

/* Whether `layer` belongs to the open list.  A program may print a blank line after
 * each layer, so a blank line does not end the list.  But if the layer after a blank
 * line has the name of the list's first layer, this layer begins a new list. */
static bool goes_on(const struct fsd_log_segmenter *s,
                    const struct fsd_log_layer *layer)
{
    bool again = layer->name.n == s->first.n &&
                 !memcmp(layer->name.s, s->first.s, layer->name.n);

    if (s->in == BEHIND_LAYERS)
        return s->form == FSD_LOG_TEXT && !again;
    return s->in == IN_LAYERS && (!s->list.layers || s->form == FSD_LOG_TEXT);
}

/* Begins a list, or adds a layer to the open list, if the line is a title or a layer. A
 * list may begin anywhere, even within another list. */
static bool begin_list(struct fsd_log_segmenter *s)
{
    struct fsd_log_layer layer;

    if (fsd_slice_begins(s->line.text, "Layer(")) {
        if (fsd_log_layer_split(s->line.text, &layer)) {
            if (s->in != IN_BLOCK)
                open_list(s, IN_BLOCK, FSD_LOG_BLOCK);
            add_layer(s);
        } else if (s->in == IN_BLOCK && s->list.layers) {
            extend(s, &s->list); /* the line is truncated; it stays in the list and
                                    counts as not understood */
            s->list.layers_end = s->list.end;
        }
    } else if (is_title(&s->line, "Engine Layer Information:")) {
        open_list(s, IN_BLOCK, FSD_LOG_BLOCK);
    } else if (is_title(&s->line, "Layers:")) {
        open_list(s, IN_LAYERS, FSD_LOG_NAMES);
    } else if (fsd_log_text_layer(s->line.text, &layer)) {
        if (!goes_on(s, &layer))
            open_list(s, IN_LAYERS, FSD_LOG_TEXT);
        s->in = IN_LAYERS;
        s->form = FSD_LOG_TEXT;
        if (!s->list.layers)
            s->first = layer.name;
        add_layer(s);
    } else {
        return false;
    }
    return true;
}

/* Reads a line of a list of kinds.  The layers of the DLA and the layers of the GPU are
 * two parts of one list. */
static bool read_kinds(struct fsd_log_segmenter *s)
{
    struct fsd_log_layer layer;
    bool dla;

    if (fsd_log_is_dla_title(s->line.text)) {
        if (s->kinds.layers)
            begin_attempt(s);
        return true;
    }
    if (!fsd_log_kind_layer(s->line.text, &layer, &dla))
        return false;
    if (!s->known)
        add_layer_to(s, &s->kinds);
    return true;
}

/* Reads a line of an inspector's list.  Returns true if the line can mean nothing else.
 *
 * FSD_LOG_TEXT: reads only the bindings; begin_list() reads the layers.  Returns true
 * for the bindings and their title.
 *
 * FSD_LOG_NAMES: reads the layers and the bindings.  Always returns false, because a
 * line with only a name may be any other text. */
static bool read_listed(struct fsd_log_segmenter *s)
{
    bool foreign = fsd_log_is_foreign(&s->list, &s->line);
    bool blank = !fsd_slice_trim(s->line.text).n;
    bool sure = s->form == FSD_LOG_TEXT;

    if (s->in == IN_BINDINGS) {
        if (foreign || blank)
            close_list(s, false);
        else
            extend(s, &s->list);
        return sure && !foreign;
    }
    if (is_title(&s->line, "Bindings:") || is_title(&s->line, "I/O Tensors:")) {
        s->in = IN_BINDINGS;
        s->list.io = *s->line.text.s == 'I';
        s->list.bindings = s->lines.at;
        extend(s, &s->list);
        return sure;
    }
    if ((foreign && s->list.layers) || (s->in == BEHIND_LAYERS && !blank))
        close_list(s, false);
    else if (blank && s->list.layers)
        s->in = BEHIND_LAYERS;
    else if (!blank && s->form == FSD_LOG_NAMES)
        add_layer(s);
    return false;
}

/* Reads the current line. @return whether the line belongs to a list and has no other
 * meaning */
static bool read_line(struct fsd_log_segmenter *s)
{
    struct fsd_slice text = s->line.text;
    enum step step;

    if (text.n && (*text.s == 'L' || *text.s == 'E' || *text.s == 'N') && begin_list(s))
        return true;
    if (text.n && (*text.s == '[' || *text.s == '-') && read_kinds(s))
        return true;
    if (is_step(text, &step)) {
        if (s->in != NOWHERE)
            close_list(s, false);
        if (s->known || (step != ANY_STEP && step < s->step))
            begin_attempt(s);
        if (step > s->step)
            s->step = step;
    }
    if (s->in == IN_LAYERS || s->in == BEHIND_LAYERS || s->in == IN_BINDINGS)
        return read_listed(s);
    if (fsd_slice_take(&text, "Input filename:") || fsd_slice_take(&text, "Model: "))
        s->title = fsd_slice_trim(text);
    return false;
}

struct fsd_log_segmenter *fsd_log_segmenter_new(struct fsd_arena *arena,
                                                const struct fsd_file *file,
                                                fsd_log_engines *out)
{
    struct fsd_log_segmenter *s = FSD_NEW(arena, struct fsd_log_segmenter, 1);

    s->arena = arena;
    s->lines = fsd_log_lines(file);
    s->out = out;
    return s;
}

static bool may_mean(char first)
{
    switch (first) {
    case '&':
    case '-':
    case '[':
    case 'A':
    case 'E':
    case 'G':
    case 'I':
    case 'L':
    case 'M':
    case 'N':
    case 'O':
    case 'P':
    case 'R':
    case 'S':
        return true;
    default:
        return false;
    }
}

bool fsd_log_segment(struct fsd_log_segmenter *s, struct fsd_log_place *out)
{
    if (!fsd_log_next(&s->lines, &out->line)) {
        if (s->in != NOWHERE)
            close_list(s, true);
        close_kinds(s);
        out->attempt =
            s->attempt; /* set after close_list(), which may begin a new attempt for the
                           list at the end of the file */
        return false;
    }
    out->listed = false;
    /* Outside of lists, few lines matter here.  may_mean() skips most of the others by
     * their first letter. */
    if (s->in != NOWHERE || (out->line.text.n && may_mean(*out->line.text.s))) {
        s->line = out->line;
        out->listed = read_line(s);
    }
    out->attempt = s->attempt;
    out->next = s->lines.at;
    return true;
}

void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  struct fsd_log_scan *out)
{
    struct fsd_log_segmenter *s = fsd_log_segmenter_new(arena, file, &out->engines);
    struct fsd_log_place place;

    while (fsd_log_segment(s, &place))
        out->lines = place.line.number;
}
