/* A reader of lines "layer NAME" behind a line "seam engine". */
#include "read/engine/reader.h"
#include "model/graph/graph.h"

#include <string.h>

static enum fsd_claim sniff(const struct fsd_file *file, enum fsd_input input)
{
    static const char mark[] = "seam engine\n";

    return input == FSD_INPUT_ENGINE && fsd_file_has_at(file, 0, mark, sizeof mark - 1)
               ? FSD_CLAIM_SURE
               : FSD_CLAIM_NONE;
}

static void add_layer(struct fsd_graph *g, const struct fsd_vocab *vocab, const char *s,
                      size_t n)
{
    struct fsd_node node = {.name = fsd_intern_add(g->names, s, n),
                            .op = fsd_intern_str(g->names, "Seam"),
                            .where = g->nodes.n};
    struct fsd_layer layer = {.profile = -1, .mentions.at = g->mentions.n};

    fsd_mention_add(
        g, vocab, (struct fsd_mention){.by = FSD_BY_NAME, .role = FSD_MENTION_COMPUTES},
        s, n, vocab ? fsd_vocab_find(vocab, s, n) : NULL);
    layer.mentions.n = g->mentions.n - layer.mentions.at;
    fsd_graph_add_node(g, node);
    fsd_vec_push(g->arena, &g->layers, layer);
}

static enum fsd_status load(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err)
{
    static const char head[] = "\nlayer ";
    const char *at = (const char *)source->file->bytes;
    const char *end = at + source->file->size;

    (void)err;
    g->kind = "seam";
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        const char *name = at + sizeof head - 1, *stop;

        if (name >= end || memcmp(at, head, sizeof head - 1) != 0)
            break;
        stop = memchr(name, '\n', (size_t)(end - name));
        add_layer(g, source->vocab, name, (size_t)((stop ? stop : end) - name));
        at = name;
    }
    fsd_graph_finish(g);
    return FSD_OK;
}

static const char *const reads[] = {"lines of a seam", NULL};

const struct fsd_engine_reader fsd_reader_seam = {
    .name = "Seam", .reads = reads, .sniff = sniff, .load = load};
