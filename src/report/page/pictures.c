/*
 * The drawings of a page, each an SVG within JSON: the whole, and where boxes of it
 * stand for many layers, what is in each of these, level by level.
 *
 *     {"title":"all", "svg":"<svg ...", "boxes":{"l7":[7,8,9]}, "opens":{"l7":1}}
 *     {"title":"encoder.0", "within":0, "svg":"<svg ..."}
 *
 * A layout takes its time: only so many are made, and of a very large engine none but
 * the whole, whose boxes then lead to the rows of what they stand for.
 */
#include "base/print.h"
#include "report/json/json.h"
#include "report/page/page.h"
#include "report/picture/picture.h"

#include <stdlib.h>

enum {
    MOST_PICTURES = 40,
    MOST_LAYERS = 5000, /* of an engine whose modules are drawn */
    SECONDS = 5         /* for one of them */
};

/* What is in a box of another picture. */
struct module {
    const char *title;
    uint32_t within;
    unsigned depth; /* of scopes */
    const fsd_id *layers;
    uint32_t n;
};

struct box {
    struct fsd_picture_box of;
    uint32_t opens; /* a picture; 0: none */
};

struct album {
    struct fsd_arena *arena;
    FSD_VEC(struct module) modules; /* by picture */
    FSD_VEC(struct box) boxes;      /* of the picture under way */
    const char *note;               /* on it */
    uint32_t now;
    bool whole_only;
};

static void keep_note(void *payload, const char *note)
{
    struct album *album = payload;

    album->note = fsd_printed(album->arena, "%s", note);
}

static void keep_box(void *payload, const struct fsd_picture_box *told)
{
    struct album *album = payload;
    struct box box = {*told, 0};
    fsd_id *items = FSD_NEW(album->arena, fsd_id, told->n);

    for (uint32_t i = 0; i < told->n; i++)
        items[i] = told->items[i];
    box.of.items = items;
    box.of.name = fsd_printed(album->arena, "%s", told->name);
    if (told->title)
        box.of.title = fsd_printed(album->arena, "%s", told->title);
    fsd_vec_push(album->arena, &album->boxes, box);
}

/* A picture for each box of layers that stands for less than the picture it is in. */
static void plan_modules(struct album *album, unsigned depth)
{
    struct module in = album->modules.at[album->now];

    for (uint32_t i = 0; i < album->boxes.n && !album->whole_only; i++) {
        struct box *box = &album->boxes.at[i];
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
                            .depth = depth,
                            .layers = of->items,
                            .n = of->n});
    }
    for (uint32_t i = 0; i < album->boxes.n; i++) /* nodes go with their layers */
        for (uint32_t k = 0; k < album->boxes.n && !album->boxes.at[i].of.layers; k++)
            if (album->boxes.at[k].of.layers &&
                album->boxes.at[k].of.items[0] == album->boxes.at[i].of.owner)
                album->boxes.at[i].opens = album->boxes.at[k].opens;
}

static void put_boxes(const struct album *album, struct fsd_json *item)
{
    struct fsd_json *object = fsd_json_object(item, "boxes"), *list;

    for (uint32_t i = 0; i < album->boxes.n; i++) {
        const struct fsd_picture_box *of = &album->boxes.at[i].of;

        list = fsd_json_list(object, of->name);
        for (uint32_t k = 0; k < of->n; k++)
            fsd_json_add_number(list, of->items[k]);
    }
    object = fsd_json_object(item, "opens");
    for (uint32_t i = 0; i < album->boxes.n; i++)
        if (album->boxes.at[i].opens)
            fsd_json_number(object, album->boxes.at[i].of.name,
                            album->boxes.at[i].opens);
}

/* What is said on the way, or why there is no drawing, stands beside it. */
static void put_drawing(struct fsd_json *item, const char *note, enum fsd_status status,
                        struct fsd_print *svg, const struct fsd_error *err)
{
    fsd_print_close(svg);
    if (status != FSD_OK)
        note = err->message;
    if (note)
        fsd_json_text(item, "note", note);
    if (status == FSD_OK)
        fsd_json_text(item, "svg", svg->text);
    free(svg->text);
}

static void put_run(struct album *album, const struct fsd_report *r,
                    struct fsd_picture want, struct fsd_json *list)
{
    struct fsd_style style = *r->style;

    style.picture = &want;
    fsd_vec_push(album->arena, &album->modules, (struct module){.title = "all"});
    album->whole_only = r->run->engine->nodes.n > MOST_LAYERS;
    for (; album->now < album->modules.n; album->now++) {
        struct module module = album->modules.at[album->now];
        struct fsd_excerpt part = {module.layers, module.n, module.depth, keep_box,
                                   album};
        struct fsd_json *item = fsd_json_item(list);
        struct fsd_error err = {0};
        struct fsd_print svg;
        enum fsd_status status;

        album->boxes.n = 0;
        album->note = NULL;
        want.layout_seconds = module.layers ? SECONDS : want.layout_seconds;
        status = fsd_picture_write_part(r->run, &part, "svg", &style,
                                        fsd_print_open(&svg), &err);
        fsd_json_text(item, "title", module.title);
        if (module.layers)
            fsd_json_number(item, "within", module.within);
        put_drawing(item, album->note, status, &svg, &err);
        plan_modules(album, part.depth);
        if (album->boxes.n)
            put_boxes(album, item);
    }
}

static void put_places(struct fsd_json *object, const char *side, const fsd_id *places,
                       uint32_t groups)
{
    struct fsd_json *list = fsd_json_list(object, side);

    for (fsd_id g = 0; g < groups; g++)
        fsd_json_add_number(list, places[g]);
}

/* With what a page shows each group in (a region, a row), by the letter that its box's
 * id begins with. */
static void put_comparison(struct album *album, const struct fsd_compare *c,
                           const char *title, const fsd_id *const places[2],
                           const struct fsd_style *style, struct fsd_json *list)
{
    struct fsd_json *item = fsd_json_item(list), *object;
    struct fsd_error err = {0};
    struct fsd_print svg;
    enum fsd_status status;

    album->note = NULL;
    status = fsd_compare_write_picture(c, "svg", style, fsd_print_open(&svg), &err);
    fsd_json_text(item, "title", title);
    put_drawing(item, album->note, status, &svg, &err);
    object = fsd_json_object(item, "places");
    put_places(object, "o", places[0], c->old->groups.n);
    put_places(object, "n", places[1], c->new->groups.n);
}

/* By build and group: its row. */
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

/* Each build beside the first. */
static void put_matrix(struct album *album, const struct fsd_matrix *m,
                       struct fsd_style *style, struct fsd_picture *want,
                       struct fsd_json *list)
{
    fsd_id **rows = rows_of_groups(album->arena, m);

    want->layout_seconds = SECONDS;
    for (uint32_t b = 1; b < m->n; b++) {
        const fsd_id *const places[] = {rows[0], rows[b]};

        put_comparison(album, m->with[b],
                       fsd_printed(album->arena, "A and %c", (int)('A' + b)), places,
                       style, list);
    }
}

void fsd_page_put_pictures(const struct fsd_report *r, FILE *out)
{
    static const struct fsd_picture everything = {0};
    struct album album = {.arena = fsd_arena_new()};
    struct fsd_json *list = fsd_json_new_list(out);
    struct fsd_picture want = r->style->picture ? *r->style->picture : everything;
    struct fsd_style style = *r->style;

    want.note = keep_note;
    want.payload = &album;
    style.picture = &want;
    if (r->matrix) {
        put_matrix(&album, r->matrix, &style, &want, list);
    } else if (r->compare) {
        const fsd_id *const places[] = {r->compare->old_region, r->compare->new_region};

        put_comparison(&album, r->compare, "all", places, &style, list);
    } else if (r->run->engine->nodes
                   .n) { /* of a model alone there is nothing to draw */
        put_run(&album, r, want, list);
    }
    fsd_json_end(list);
    fsd_arena_free(album.arena);
}
