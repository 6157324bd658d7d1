/*
 * The pictures of a page, each an SVG within JSON. The first picture shows the whole
 * graph. A box that represents many layers opens a picture of these layers. A box of
 * that picture may open another picture, level by level.
 *
 *     {"title":"all", "svg":"<svg ...", "boxes":{"l7":[7,8,9]}, "opens":{"l7":1}}
 *     {"title":"encoder.0", "within":0, "svg":"<svg ..."}
 *
 * Layouts take long, so their total time is limited, and a very large engine has only
 * two levels. A box that opens no picture links to the table rows of its layers. A
 * level is laid out while other data is written.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/json/json.h"
#include "report/page/page.h"
#include "report/picture/picture.h"

#include <stdlib.h>

enum {
    MOST_PICTURES = 40,
    MOST_LAYERS = 5000, /* an engine with more layers has only two levels of pictures */
    SECONDS = 5,        /* processor time for each picture except the first */
    TIMES = 2           /* all pictures together may take TIMES times the time limit of
                           the first picture */
};

struct box {
    struct fsd_picture_box of;
    uint32_t opens; /* index of the picture that the box opens; 0: none */
};

/* A picture: of the whole graph, or of the layers of a box in another picture. */
struct module {
    const char *title;
    uint32_t within;
    unsigned level;
    unsigned depth, inner; /* depth: the number of name scopes that all items of the
                              picture share; inner: the number of name scopes that the
                              items of one box share */
    const fsd_id *layers;
    uint32_t n;
    FSD_VEC(struct box) boxes;
    const char *note; /* a note for the reader of the picture; NULL: none */
};

struct fsd_album {
    struct fsd_arena *arena;
    const struct fsd_report *of;
    struct fsd_picture want;
    struct fsd_style style;
    FSD_VEC(struct module) modules; /* indexed by picture */
    uint32_t now, written;          /* index of the current picture; number of pictures
                                       in the JSON */
    struct fsd_layouts *layouts;    /* running layouts of the planned pictures; NULL:
                                       none */
    double seconds, left; /* the time limit of all pictures together, and the part of it
                             that is left; in seconds of processor time */
    uint32_t missing;     /* number of pictures that were left out because no time was
                             left */
    struct fsd_json *list;
};

static struct module *module_now(struct fsd_album *album)
{
    return &album->modules.at[album->now];
}

static void keep_note(void *payload, const char *note)
{
    struct fsd_album *album = payload;

    module_now(album)->note = fsd_printed(album->arena, "%s", note);
}

static void keep_box(void *payload, const struct fsd_picture_box *box_of)
{
    struct fsd_album *album = payload;
    struct box box = {*box_of, 0};
    fsd_id *items = FSD_NEW(album->arena, fsd_id, box_of->n);

    for (uint32_t i = 0; i < box_of->n; i++)
        items[i] = box_of->items[i];
    box.of.items = items;
    box.of.name = fsd_printed(album->arena, "%s", box_of->name);
    if (box_of->title)
        box.of.title = fsd_printed(album->arena, "%s", box_of->title);
    fsd_vec_push(album->arena, &module_now(album)->boxes, box);
}

/* Plans a picture for each box of layers in the current picture. A box that contains
 * all layers of the current picture gets none. */
static void plan_modules(struct fsd_album *album)
{
    struct module in = *module_now(album); /* a copy, because adding modules may move
                                              the original */
    bool deep = in.level == 0 || album->of->run->engine->nodes.n <= MOST_LAYERS;

    for (uint32_t i = 0; i < in.boxes.n && deep; i++) {
        struct box *box = &in.boxes.at[i];
        const struct fsd_picture_box *of = &box->of;
        const fsd_id *last = &of->items[of->n - 1];

        if (!of->layers || of->n == in.n || album->modules.n >= MOST_PICTURES)
            continue;
        box->opens = album->modules.n;
        fsd_vec_push(
            album->arena, &album->modules,
            (struct module){.title = of->title
                                         ? of->title
                                         : fsd_printed(album->arena, "layers %u to %u",
                                                       of->items[0], *last),
                            .within = album->now,
                            .level = in.level + 1,
                            .depth = in.inner,
                            .layers = of->items,
                            .n = of->n});
    }
    for (uint32_t i = 0; i < in.boxes.n; i++) /* a box of nodes opens the same
                                                 picture as the box of their layers */
        for (uint32_t k = 0; k < in.boxes.n && !in.boxes.at[i].of.layers; k++)
            if (in.boxes.at[k].of.layers &&
                in.boxes.at[k].of.items[0] == in.boxes.at[i].of.owner)
                in.boxes.at[i].opens = in.boxes.at[k].opens;
}

static void put_boxes(const struct module *module, struct fsd_json *item)
{
    struct fsd_json *object = fsd_json_object(item, "boxes"), *list;

    for (uint32_t i = 0; i < module->boxes.n; i++) {
        const struct fsd_picture_box *of = &module->boxes.at[i].of;

        list = fsd_json_list(object, of->name);
        for (uint32_t k = 0; k < of->n; k++)
            fsd_json_add_number(list, of->items[k]);
    }
    object = fsd_json_object(item, "opens");
    for (uint32_t i = 0; i < module->boxes.n; i++)
        if (module->boxes.at[i].opens)
            fsd_json_number(object, module->boxes.at[i].of.name,
                            module->boxes.at[i].opens);
}

/* Sets the time limit of the next picture, or fails if no time is left. */
static enum fsd_status allow(struct fsd_album *album, double most,
                             struct fsd_error *err)
{
    album->want.layout_seconds = most < album->left ? most : album->left;
    return album->left > 0
               ? FSD_OK
               : fsd_fail(
                     err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
                     "expected to lay out all drawings within %g seconds, found no "
                     "time left for this drawing: --layout-timeout allows more time",
                     album->seconds);
}

/* Adds the picture and its note to the JSON object `item`. If `status` is an error,
 * there is no picture, and the note is the message of `err`. */
static void put_drawing(struct fsd_album *album, struct fsd_json *item,
                        enum fsd_status status, struct fsd_print *svg,
                        const struct fsd_error *err)
{
    const char *note = status == FSD_OK ? module_now(album)->note : err->message;

    fsd_print_close(svg);
    album->missing += status == FSD_E_LIMIT;
    if (note)
        fsd_json_text(item, "note", note);
    if (status == FSD_OK)
        fsd_json_text(item, "svg", svg->text);
    free(svg->text);
}

/* Writes the current picture of the album, and stores its note and boxes. */
static enum fsd_status write_module(struct fsd_album *album, const char *format,
                                    FILE *out, struct fsd_error *err)
{
    struct module *module = module_now(album);
    struct fsd_excerpt part = {.layers = module->layers,
                               .n = module->n,
                               .depth = module->depth,
                               .box = keep_box,
                               .payload = album};
    enum fsd_status status;

    module->boxes.n = 0;
    module->note = NULL;
    status =
        fsd_picture_write_part(album->of->run, &part, format, &album->style, out, err);
    module->inner = part.depth;
    album->left -= part.spent;
    return status;
}

/* Begins to lay out the planned pictures. */
static void begin_level(struct fsd_album *album)
{
    uint32_t n = album->modules.n - album->written;
    const char **dots = FSD_NEW(album->arena, const char *, n);

    if (album->left <= 0)
        return;
    for (album->now = album->written; album->now < album->modules.n; album->now++) {
        struct fsd_print dot;

        write_module(album, NULL, fsd_print_open(&dot), NULL);
        dots[album->now - album->written] = fsd_print_take(&dot, album->arena);
    }
    if (n)
        album->layouts = fsd_layouts_begin(album->arena, dots, n, "svg");
}

/* Waits for the layout of the current picture. If the layout fails, tries a simpler
 * picture. The first picture has the user's time limit. Every other picture has
 * SECONDS. */
static enum fsd_status draw(struct fsd_album *album, FILE *out, struct fsd_error *err)
{
    double most = module_now(album)->layers ? SECONDS : album->seconds / TIMES;
    enum fsd_status status = allow(album, most, err);
    double seconds = album->want.layout_seconds;
    bool done = status == FSD_OK && album->layouts &&
                fsd_layouts_take(album->layouts, &seconds, out);

    album->left -= album->want.layout_seconds - seconds;
    if (done || status != FSD_OK || (status = allow(album, most, err)) != FSD_OK)
        return status;
    return write_module(album, "svg", out, err);
}

/* Adds the pictures of the current level to the JSON, and plans the next level. */
static void end_level(struct fsd_album *album)
{
    for (uint32_t end = album->modules.n; album->written < end; album->written++) {
        struct fsd_json *item = fsd_json_item(album->list);
        enum fsd_status status;
        struct fsd_error err = {0};
        struct fsd_print svg;

        album->now = album->written;
        status = draw(album, fsd_print_open(&svg), &err);
        fsd_json_text(item, "title", module_now(album)->title);
        if (module_now(album)->layers)
            fsd_json_number(item, "within", module_now(album)->within);
        put_drawing(album, item, status, &svg, &err);
        plan_modules(album);
        if (module_now(album)->boxes.n)
            put_boxes(module_now(album), item);
    }
    if (album->layouts)
        fsd_layouts_end(album->layouts);
    album->layouts = NULL;
}

static void put_places(struct fsd_json *object, const char *side, const fsd_id *places,
                       uint32_t groups)
{
    struct fsd_json *list = fsd_json_list(object, side);

    for (fsd_id g = 0; g < groups; g++)
        fsd_json_add_number(list, places[g]);
}

/* Adds one member for each group. Its name is the id of the group's box, such as "o3".
 * Its value is the key of the group's node. In a comparison of two exports, a group has
 * only one node. */
static void put_names(struct fsd_json *object, const struct fsd_state *s, char side)
{
    char box[16];

    for (fsd_id g = 0; g < s->groups.n; g++) {
        snprintf(box, sizeof box, "%c%u", side, g);
        fsd_json_text(object, box,
                      fsd_state_node_key(s, s->refs.at[s->groups.at[g].nodes.at]));
    }
}

/* Draws a comparison. The id of a box begins with "o" for the old build or "n" for the
 * new build.
 * @param places places[build][group] is the number of a region or row of the page. The
 *         box of the group links to this region or row */
static void put_comparison(struct fsd_album *album, const struct fsd_compare *c,
                           const char *title, double most,
                           const fsd_id *const places[2])
{
    struct fsd_json *item = fsd_json_item(album->list), *object;
    struct fsd_error err = {0};
    struct fsd_print svg;
    FILE *out = fsd_print_open(&svg);
    enum fsd_status status;

    album->now = album->modules.n;
    fsd_vec_push(album->arena, &album->modules, (struct module){.title = title});
    album->written = album->modules.n;
    status = allow(album, most, &err);
    FSD_THEN(status, fsd_compare_write_picture(c, "svg", &album->style, out, &err));
    fsd_json_text(item, "title", title);
    put_drawing(album, item, status, &svg, &err);
    object = fsd_json_object(item, "places");
    put_places(object, "o", places[0], c->old->groups.n);
    put_places(object, "n", places[1], c->new->groups.n);
    if (!c->exports)
        return;
    object = fsd_json_object(item, "nodes");
    put_names(object, c->old, 'o');
    put_names(object, c->new, 'n');
}

/* Returns an array, indexed by build, then by group. Each element is the index in
 * m->rows of the row that contains the group. */
static fsd_id **rows_of_groups(struct fsd_arena *arena, const struct fsd_matrix *m)
{
    fsd_id **rows = FSD_NEW(arena, fsd_id *, m->n);

    for (uint32_t b = 0; b < m->n; b++)
        rows[b] = FSD_NEW(arena, fsd_id, m->builds[b]->groups.n);
    for (uint32_t i = 0; i < m->rows.n; i++)
        for (uint32_t b = 0; b < m->n; b++) {
            struct fsd_span groups = fsd_matrix_cell(m, i, b)->groups;

            for (uint32_t g = 0; g < groups.n; g++)
                rows[b][m->pool.at[groups.at + g]] = i;
        }
    return rows;
}

/* Draws each build beside the first one. */
static void put_matrix(struct fsd_album *album, const struct fsd_matrix *m)
{
    fsd_id **rows = rows_of_groups(album->arena, m);

    for (uint32_t b = 1; b < m->n; b++) {
        const fsd_id *const places[] = {rows[0], rows[b]};

        put_comparison(album, m->with[b],
                       fsd_printed(album->arena, "A and %c", (int)('A' + b)), SECONDS,
                       places);
    }
}

struct fsd_album *fsd_album_begin(const struct fsd_report *r, FILE *json)
{
    static const struct fsd_picture everything = {0};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_album *album = FSD_NEW(arena, struct fsd_album, 1);

    *album = (struct fsd_album){
        .arena = arena,
        .of = r,
        .want = r->style->picture ? *r->style->picture : everything,
        .style = *r->style,
        .list = fsd_json_new_list(json),
    };
    album->left = album->seconds = TIMES * fsd_picture_seconds(&album->want);
    album->want.note = keep_note;
    album->want.payload = album;
    album->style.picture = &album->want;
    if (r->matrix) {
        put_matrix(album, r->matrix);
    } else if (r->compare) {
        const fsd_id *const places[] = {r->compare->old_region, r->compare->new_region};

        put_comparison(album, r->compare, "all", album->left / TIMES, places);
    } else if (r->run && r->run->engine->nodes.n) { /* without layers there is nothing
                                                       to draw */
        fsd_vec_push(arena, &album->modules, (struct module){.title = "all"});
        end_level(album);
        begin_level(album);
    }
    return album;
}

void fsd_album_end(struct fsd_album *album)
{
    const struct fsd_picture *want = album->of->style->picture;

    while (album->written < album->modules.n) {
        end_level(album);
        begin_level(album);
    }
    fsd_json_end(album->list);
    if (album->missing && want && want->note)
        want->note(want->payload,
                   fsd_printed(album->arena,
                               "%u of the page's %u drawings could not be laid out in "
                               "time, so the page does not have them "
                               "(--layout-timeout allows more time)",
                               album->missing, album->modules.n));
    fsd_arena_free(album->arena);
}
