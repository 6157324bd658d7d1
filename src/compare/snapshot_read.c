/*
 * A snapshot, read in two passes over its lines: the first learns the names of nodes
 * and ports, since a line may name what stands below it; the second fills the state.
 */
#include "base/file.h"
#include "compare/snapshot_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_LIMIT (UINT64_C(1) << 28)

/* ---------------------------------------------------------------------- values */

static bool take_sym(struct fsd_snapshot_reader *r, fsd_sym *out, const char *expected)
{
    if (!fsd_snapshot_is_name(r) || r->word.port)
        return fsd_snapshot_complain(r, expected);
    *out = fsd_intern_str(r->s->names, r->word.text);
    return fsd_snapshot_next(r);
}

static bool take_count(struct fsd_snapshot_reader *r, uint32_t *out)
{
    char *end;
    unsigned long long n;

    if (r->word.kind != WORD_BARE || *r->word.text < '0' || *r->word.text > '9')
        return fsd_snapshot_complain(r, "a count");
    n = strtoull(r->word.text, &end, 10);
    if (*end || n > UINT32_MAX)
        return fsd_snapshot_complain(r, "a count");
    *out = (uint32_t)n;
    return fsd_snapshot_next(r);
}

/* One of our own words, by the function that gives them; "-" is the empty one. */
static bool take_own(struct fsd_snapshot_reader *r, uint8_t *out, unsigned count,
                     const char *(*name)(unsigned), const char *expected)
{
    const char *text = fsd_snapshot_is_mark(r, "-") ? "" : r->word.text;

    for (unsigned i = 0; text && i < count; i++)
        if (!strcmp(name(i), text)) {
            *out = (uint8_t)i;
            return fsd_snapshot_next(r);
        }
    return fsd_snapshot_complain(r, expected);
}

static const char *kind_at(unsigned i)
{
    return fsd_kind_name((enum fsd_kind)i);
}

static const char *cause_at(unsigned i)
{
    return fsd_cause_name((enum fsd_cause)i);
}

static const char *fate_at(unsigned i)
{
    return fsd_fate_name((enum fsd_fate)i);
}

static const char *dtype_at(unsigned i)
{
    return fsd_dtype_name((enum fsd_dtype)i);
}

static const char *role_at(unsigned i)
{
    return fsd_role_name((uint8_t)i);
}

static bool take_dtype(struct fsd_snapshot_reader *r, uint8_t *out)
{
    return take_own(r, out, FSD__DTYPE_COUNT, dtype_at, "a type");
}

/* "fp16/chw32" */
static bool take_form(struct fsd_snapshot_reader *r, struct fsd_state_form *out)
{
    char *slash = r->word.kind == WORD_BARE ? strchr(r->word.text, '/') : NULL;

    out->layout = slash ? fsd_intern_str(r->s->names, slash + 1) : 0;
    if (slash)
        *slash = '\0';
    return take_dtype(r, &out->type);
}

static fsd_id look_up(const struct fsd_snapshot_reader *r, const fsd_id *of)
{
    fsd_id sym = fsd_intern_find(r->s->names, r->word.text, strlen(r->word.text));

    return sym < r->n_names ? of[sym] : FSD_NONE;
}

static bool take_ref(struct fsd_snapshot_reader *r, fsd_ref *out, bool output,
                     bool or_none)
{
    fsd_id id;

    *out = FSD_NONE;
    if (or_none && fsd_snapshot_is_mark(r, "-"))
        return fsd_snapshot_next(r);
    if (!fsd_snapshot_is_name(r))
        return fsd_snapshot_complain(r, "the name of a node");
    id = look_up(r, !r->word.port ? r->node_of : output ? r->output_of : r->input_of);
    if (id == FSD_NONE)
        return fsd_snapshot_complain(r, r->word.port ? "a port of this snapshot"
                                                     : "a node of this snapshot");
    *out = r->word.port ? FSD_REF_PORT | id : id;
    return fsd_snapshot_next(r);
}

static bool take_node(struct fsd_snapshot_reader *r, fsd_id *out)
{
    return take_ref(r, out, false, false) &&
           (!(*out & FSD_REF_PORT) ||
            fsd_snapshot_complain(r, "the name of a node before"));
}

/* One of the nodes of the group that is being read, none before `from`. */
static bool take_group_node(struct fsd_snapshot_reader *r, fsd_id *out, fsd_id from)
{
    struct word word = r->word;

    if (!take_node(r, out))
        return false;
    if (*out >= from && *out < r->s->nodes.n &&
        r->s->nodes.at[*out].group == r->s->groups.n)
        return true;
    r->word = word;
    return fsd_snapshot_complain(r, "nodes of the group, in their order");
}

static bool take_source(struct fsd_snapshot_reader *r, struct fsd_source *out)
{
    out->out = r->word.out;
    return take_ref(r, &out->at, false, true);
}

static bool take_refs(struct fsd_snapshot_reader *r, struct fsd_span *out, bool output)
{
    fsd_ref ref;

    out->at = r->s->refs.n;
    while (fsd_snapshot_is_name(r)) {
        if (!take_ref(r, &ref, output, false))
            return false;
        fsd_vec_push(r->s->arena, &r->s->refs, ref);
    }
    out->n = r->s->refs.n - out->at;
    return true;
}

static bool take_nodes(struct fsd_snapshot_reader *r, struct fsd_span *out)
{
    if (!take_refs(r, out, false))
        return false;
    for (uint32_t i = 0; i < out->n; i++)
        if (r->s->refs.at[out->at + i] & FSD_REF_PORT)
            return fsd_snapshot_complain(r, "only nodes before");
    return true;
}

static bool take_double(struct fsd_snapshot_reader *r, double *out)
{
    char *end;

    if (r->word.kind != WORD_BARE)
        return fsd_snapshot_complain(r, "milliseconds");
    *out = strtod(r->word.text, &end);
    if (*end || !(*out >= 0 && *out < 1e12))
        return fsd_snapshot_complain(r, "milliseconds");
    return fsd_snapshot_next(r);
}

static bool take_ms(struct fsd_snapshot_reader *r, struct fsd_spread *out)
{
    *out = FSD_SPREAD_NONE;
    if (!fsd_snapshot_is_mark(r, "~"))
        return true;
    return fsd_snapshot_next(r) && take_double(r, &out->median) &&
           take_double(r, &out->low) && take_double(r, &out->high);
}

static bool finish_line(struct fsd_snapshot_reader *r)
{
    return r->word.kind == WORD_END || fsd_snapshot_complain(r, "the end of the line");
}

/* ----------------------------------------------------------------------- lines */

static bool read_model(struct fsd_snapshot_reader *r)
{
    return fsd_snapshot_take_hash(r, r->s->model_hash);
}

static bool read_engine(struct fsd_snapshot_reader *r)
{
    return fsd_snapshot_take_hash(r, r->s->engine_hash) &&
           take_sym(r, &r->s->engine_kind, "a kind of dump") &&
           take_sym(r, &r->s->producer, "a producer");
}

static bool read_layers(struct fsd_snapshot_reader *r)
{
    return take_count(r, &r->s->layers) && take_count(r, &r->s->computing) &&
           take_count(r, &r->s->mapped);
}

static bool read_times(struct fsd_snapshot_reader *r)
{
    return take_count(r, &r->s->profiles) && take_ms(r, &r->s->total);
}

static bool read_tool(struct fsd_snapshot_reader *r)
{
    fsd_sym version;

    return take_sym(r, &version, "a version");
}

static bool read_port(struct fsd_snapshot_reader *r, bool output)
{
    struct fsd_state_port port = {.from = {FSD_NONE, 0}, .core_from = {FSD_NONE, 0}};

    if (!take_sym(r, &port.name, "a name") || !take_sym(r, &port.shape, "a shape") ||
        !take_form(r, &port.form))
        return false;
    if (output && (!fsd_snapshot_skip_mark(r, "<") || !take_source(r, &port.from)))
        return false;
    if (output)
        fsd_vec_push(r->s->arena, &r->s->outputs, port);
    else
        fsd_vec_push(r->s->arena, &r->s->inputs, port);
    if (output)
        fsd_vec_push(r->s->arena, &r->lines->outputs, r->line);
    else
        fsd_vec_push(r->s->arena, &r->lines->inputs, r->line);
    return true;
}

static bool read_input(struct fsd_snapshot_reader *r)
{
    return read_port(r, false);
}

static bool read_output(struct fsd_snapshot_reader *r)
{
    return read_port(r, true);
}

static bool read_sources(struct fsd_snapshot_reader *r, struct fsd_span *in)
{
    struct fsd_source source;

    in->at = r->s->sources.n;
    while (fsd_snapshot_is_name(r) || fsd_snapshot_is_mark(r, "-")) {
        if (!take_source(r, &source))
            return false;
        fsd_vec_push(r->s->arena, &r->s->sources, source);
    }
    in->n = r->s->sources.n - in->at;
    return true;
}

static bool read_node(struct fsd_snapshot_reader *r)
{
    struct fsd_state_node n = {.named = true, .group = FSD_NONE};

    if (!take_sym(r, &n.key, "a name") || !take_sym(r, &n.op, "an operator") ||
        !take_own(r, &n.role, FSD__ROLE_COUNT, role_at, "a role") ||
        !take_own(r, &n.fate, FSD__FATE_COUNT, fate_at, "a fate") ||
        !take_dtype(r, &n.precision))
        return false;
    if (r->word.kind == WORD_BARE && !strcmp(r->word.text, "unnamed")) {
        n.named = false;
        if (!fsd_snapshot_next(r))
            return false;
    }
    if (!fsd_snapshot_skip_mark(r, "<") || !read_sources(r, &n.in))
        return false;
    if (fsd_snapshot_is_mark(r, ";") &&
        (!fsd_snapshot_next(r) || !take_sym(r, &n.traits, "traits")))
        return false;
    if (fsd_snapshot_is_name(r) && !take_sym(r, &n.weight, "a weight"))
        return false;
    fsd_vec_push(r->s->arena, &r->s->nodes, n);
    fsd_vec_push(r->s->arena, &r->lines->nodes, r->line);
    return true;
}

/* "< a fp16 b" or "> b fp16".  Comparing looks for all borders of a node in a row. */
static bool read_border(struct fsd_snapshot_reader *r, struct fsd_span *borders,
                        bool in)
{
    struct fsd_border b = {.at = FSD_NONE};
    fsd_id before = borders->n ? r->s->borders.at[r->s->borders.n - 1].node : 0;

    if (in && (!take_ref(r, &b.at, false, false) || !take_form(r, &b.form)))
        return false;
    if (!take_group_node(r, &b.node, before) || (!in && !take_form(r, &b.form)))
        return false;
    fsd_vec_push(r->s->arena, &r->s->borders, b);
    borders->n++;
    return true;
}

static bool read_borders(struct fsd_snapshot_reader *r, struct fsd_span *out, bool in)
{
    *out = (struct fsd_span){r->s->borders.n, 0};
    while (fsd_snapshot_is_mark(r, in ? "<" : ">"))
        if (!fsd_snapshot_next(r) || !read_border(r, out, in))
            return false;
    return true;
}

/* A node is in one group. */
static bool claim(struct fsd_snapshot_reader *r, const struct fsd_group *g)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        fsd_id node = r->s->refs.at[g->nodes.at + i];
        struct fsd_state_node *n;

        if (node >= r->s->nodes.n) /* names are known before their lines are read */
            return fsd_snapshot_complain(r, "a node of a line before");
        n = &r->s->nodes.at[node];
        if (n->group != FSD_NONE) {
            r->word.kind = WORD_BARE;
            r->word.text = fsd_arena_strndup(r->scratch, fsd_text(r->s->names, n->key),
                                             fsd_text_len(r->s->names, n->key));
            return fsd_snapshot_complain(r, "nodes that no group before has");
        }
        n->group = r->s->groups.n;
    }
    return g->nodes.n || fsd_snapshot_complain(r, "at least one node");
}

static bool read_group(struct fsd_snapshot_reader *r)
{
    struct fsd_group g = {0};

    if (!take_own(r, &g.kind, FSD__KIND_COUNT, kind_at, "a kind") ||
        !take_dtype(r, &g.precision) || !take_count(r, &g.layers))
        return false;
    if (r->word.kind == WORD_BARE && !strcmp(r->word.text, "loose")) {
        g.loose = true;
        if (!fsd_snapshot_next(r))
            return false;
    }
    if (!fsd_snapshot_skip_mark(r, ":") || !take_nodes(r, &g.nodes) || !claim(r, &g) ||
        !read_borders(r, &g.in, true) || !read_borders(r, &g.out, false) ||
        !take_ms(r, &g.ms))
        return false;
    fsd_vec_push(r->s->arena, &r->s->groups, g);
    fsd_vec_push(r->s->arena, &r->lines->groups, r->line);
    return true;
}

static bool read_move(struct fsd_snapshot_reader *r)
{
    struct fsd_move m = {0};

    if (!take_own(r, &m.kind, FSD__KIND_COUNT, kind_at, "a kind") ||
        !take_own(r, &m.cause, FSD__CAUSE_COUNT, cause_at, "a cause"))
        return false;
    if (r->word.kind == WORD_BARE && !strcmp(r->word.text, "inserted")) {
        m.inserted = true;
        if (!fsd_snapshot_next(r))
            return false;
    }
    if (!fsd_snapshot_skip_mark(r, ":") || !take_form(r, &m.before) ||
        !fsd_snapshot_skip_mark(r, "->") || !take_form(r, &m.after) ||
        !fsd_snapshot_skip_mark(r, "<") || !take_refs(r, &m.from, false) ||
        !fsd_snapshot_skip_mark(r, ">") || !take_refs(r, &m.to, true))
        return false;
    if (fsd_snapshot_is_mark(r, "=") &&
        (!fsd_snapshot_next(r) || !take_nodes(r, &m.nodes)))
        return false;
    if (!take_ms(r, &m.ms))
        return false;
    fsd_vec_push(r->s->arena, &r->s->moves, m);
    fsd_vec_push(r->s->arena, &r->lines->moves, r->line);
    return true;
}

static bool read_end(struct fsd_snapshot_reader *r)
{
    uint64_t said[2] = {0}, is[2];

    r->ended = true;
    if (r->format < 2)
        return true;
    if (!fsd_snapshot_take_hash(r, said))
        return false;
    fsd_snapshot_hash_above(r, is);
    if (memcmp(said, is, sizeof is) != 0)
        r->status = fsd_fail(r->err, FSD_E_FORMAT, r->name, FSD_POS_LINE, r->line,
                             "expected the lines above as they were written, found "
                             "others: damaged, merged or edited by hand; take the "
                             "snapshot again");
    return r->status == FSD_OK;
}

/* In the order that they must have: a line may follow one of its own rank or less. */
static const struct {
    const char *word;
    unsigned rank;
    bool once;
    bool (*read)(struct fsd_snapshot_reader *r);
} line_kinds[] = {
    {"tool", 1, true, read_tool},      {"model", 2, true, read_model},
    {"engine", 3, true, read_engine},  {"layers", 4, true, read_layers},
    {"times", 5, true, read_times},    {"input", 6, false, read_input},
    {"output", 7, false, read_output}, {"node", 8, false, read_node},
    {"group", 9, false, read_group},   {"move", 9, false, read_move},
    {"end", 10, true, read_end},
};

/* ---------------------------------------------------------------------- passes */

static bool read_first(struct fsd_snapshot_reader *r)
{
    r->format = 0;
    if (!fsd_snapshot_next_line(r) || strcmp(r->word.text, "fusiondiff") != 0 ||
        !fsd_snapshot_next(r) || r->word.kind != WORD_BARE ||
        strcmp(r->word.text, "snapshot") != 0)
        return fsd_snapshot_complain(
            r, "'fusiondiff snapshot' and the number of a format");
    if (!fsd_snapshot_next(r) || !take_count(r, &r->format))
        return false;
    if (r->format > FSD_SNAPSHOT_FORMAT)
        r->status = fsd_fail(r->err, FSD_E_UNSUPPORTED, r->name, FSD_POS_LINE, r->line,
                             "expected a snapshot of format %d or before, found format "
                             "%u: a newer fusiondiff wrote it",
                             FSD_SNAPSHOT_FORMAT, r->format);
    else if (!r->format)
        return fsd_snapshot_complain(r, "the number of a format");
    return r->status == FSD_OK && finish_line(r);
}

static void rewind_to(struct fsd_snapshot_reader *r, const struct fsd_file *file)
{
    r->begin = r->next_line = (const char *)file->bytes;
    r->end = r->next_line + file->size;
    r->line = 0;
}

/* What each kind of name stands for, by the order of its lines. */
struct name {
    fsd_sym sym;
    uint8_t what; /* 0 node, 1 input, 2 output */
    uint32_t line;
};

typedef FSD_VEC(struct name) name_vec;

static void learn_line(struct fsd_snapshot_reader *r, name_vec *names)
{
    static const char *const words[] = {"node", "input", "output"};

    for (uint8_t i = 0; i < 3; i++) {
        struct name name = {0, i, r->line};

        if (strcmp(r->word.text, words[i]) != 0)
            continue;
        if (fsd_snapshot_next(r) && take_sym(r, &name.sym, "a name"))
            fsd_vec_push(r->scratch, names, name);
        return;
    }
}

static bool set_names(struct fsd_snapshot_reader *r, const name_vec *names)
{
    fsd_id **of[] = {&r->node_of, &r->input_of, &r->output_of};
    uint32_t count[3] = {0};

    r->n_names = fsd_intern_count(r->s->names);
    for (int i = 0; i < 3; i++) {
        *of[i] = FSD_NEW(r->scratch, fsd_id, r->n_names);
        memset(*of[i], 0xff, r->n_names * sizeof **of[i]);
    }
    for (uint32_t i = 0; i < names->n; i++) {
        const struct name *name = &names->at[i];
        fsd_id *id = &(*of[name->what])[name->sym];

        if (*id != FSD_NONE && !name->what) {
            r->line = name->line;
            r->word = (struct word){WORD_BARE, false, NULL, 0};
            r->word.text =
                fsd_arena_strndup(r->scratch, fsd_text(r->s->names, name->sym),
                                  fsd_text_len(r->s->names, name->sym));
            return fsd_snapshot_complain(r, "a node of another name");
        }
        if (*id == FSD_NONE)
            *id = count[name->what];
        count[name->what]++;
    }
    return true;
}

static bool learn(struct fsd_snapshot_reader *r, const struct fsd_file *file)
{
    name_vec names = {0};

    rewind_to(r, file);
    if (!read_first(r))
        return false;
    while (fsd_snapshot_next_line(r))
        learn_line(r, &names);
    return r->status == FSD_OK && set_names(r, &names);
}

static bool fill_line(struct fsd_snapshot_reader *r, unsigned *rank)
{
    size_t i = 0;

    while (i < FSD_COUNT_OF(line_kinds) &&
           (r->word.kind != WORD_BARE || strcmp(line_kinds[i].word, r->word.text) != 0))
        i++;
    if (i == FSD_COUNT_OF(line_kinds))
        return fsd_snapshot_complain(r, "node, group, move or another kind of line");
    if (line_kinds[i].rank < *rank + line_kinds[i].once)
        return fsd_snapshot_complain(r, "the lines in their order");
    *rank = line_kinds[i].rank;
    return fsd_snapshot_next(r) && line_kinds[i].read(r) && finish_line(r);
}

static void fill(struct fsd_snapshot_reader *r, const struct fsd_file *file)
{
    unsigned rank = 0;

    rewind_to(r, file);
    if (!read_first(r))
        return;
    while (fsd_snapshot_next_line(r))
        if (!fill_line(r, &rank))
            return;
    r->word.kind = WORD_END;
    if (r->status == FSD_OK && !r->ended)
        r->status = fsd_fail(r->err, FSD_E_FORMAT, r->name, FSD_POS_LINE, r->line,
                             "expected 'end', found the end of the file");
}

static enum fsd_status read_file(struct fsd_state *s, const struct fsd_file *file,
                                 struct fsd_snapshot_lines *lines,
                                 struct fsd_error *err)
{
    struct fsd_snapshot_reader r = {.s = s,
                                    .scratch = fsd_arena_new(),
                                    .name = file->name,
                                    .lines = lines,
                                    .err = err};

    if (learn(&r, file))
        fill(&r, file);
    if (r.status == FSD_OK)
        fsd_state_finish(s);
    fsd_arena_free(r.scratch);
    return r.status;
}

enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_snapshot_lines *lines,
                                  struct fsd_error *err)
{
    struct fsd_snapshot_lines unwanted = {0};
    struct fsd_state *s = fsd_state_new();
    enum fsd_status status;

    *out = NULL;
    s->model_path = fsd_text(s->names, fsd_intern_str(s->names, file->name));
    s->engine_path = s->model_path;
    if (lines)
        *lines = unwanted;
    status = read_file(s, file, lines ? lines : &unwanted, err);
    if (status == FSD_OK)
        *out = s;
    else
        fsd_state_free(s);
    return status;
}

enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_snapshot_lines *lines,
                                  struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, SNAPSHOT_LIMIT, err);

    *out = NULL;
    if (status == FSD_OK)
        status = fsd_snapshot_load(out, &file, lines, err);
    if (fsd_file_done(&file, status, err) == status)
        return status;
    fsd_state_free(*out);
    *out = NULL;
    return FSD_E_IO;
}

bool fsd_snapshot_sniff(const char *path)
{
    static const char magic[] = "fusiondiff snapshot ";
    struct fsd_file file;
    bool yes = fsd_file_open(&file, path, SNAPSHOT_LIMIT, NULL) == FSD_OK &&
               file.size >= strlen(magic) && !memcmp(file.bytes, magic, strlen(magic));

    fsd_file_close(&file);
    return yes;
}
