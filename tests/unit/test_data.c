/* A run as data: layers, nodes, links, findings and members, as data.found has them, in
 * structs of older and newer callers. FSD_UPDATE=1 writes data.found: read it before
 * you keep it. */
#include "fusiondiff/fusiondiff.h"
#include "cases.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *text(const char *or_null)
{
    return or_null ? or_null : "-";
}

static void put_layers(const struct fsd_diff *d, FILE *out)
{
    struct fsd_layer_data l;

    for (uint32_t i = 0; fsd_diff_layer(d, i, &l, sizeof l); i++)
        fprintf(out,
                "layer %" PRIu32 " %s; %s, %s, cause %s, %s, tactic %s, %.4g ms, "
                "%" PRId64 " bytes, %" PRId64 " macs, links %" PRIu32 "+%" PRIu32
                "%s%s\n",
                i, l.name, l.type, l.kind, text(l.cause), text(l.precision),
                text(l.tactic), l.ms, l.bytes, l.macs, l.first_link, l.n_links,
                l.inserted ? ", inserted" : "", l.opaque ? ", opaque" : "");
}

static void put_nodes(const struct fsd_diff *d, FILE *out)
{
    struct fsd_node_data n;

    for (uint32_t i = 0; fsd_diff_node(d, i, &n, sizeof n); i++) {
        fprintf(out,
                "node %" PRIu32 " %s; %s of '%s', %s '%s', %s as %s, %.4g ms, %" PRId64
                " macs, as %" PRId64 ", by",
                i, n.name, n.op, n.domain, n.fate, n.why, text(n.requested),
                text(n.realised), n.ms, n.macs, n.same_as);
        for (uint32_t k = 0; k < n.n_layers; k++)
            fprintf(out, " %" PRIu32, fsd_node_layer(d, i, k));
        fputs("\n", out);
        assert_int_equal(fsd_node_layer(d, i, n.n_layers), UINT32_MAX);
    }
    assert_int_equal(fsd_node_layer(d, fsd_diff_count(d, FSD_PART_NODES), 0),
                     UINT32_MAX);
}

static void put_links(const struct fsd_diff *d, FILE *out)
{
    struct fsd_link_data l;

    for (uint32_t i = 0; fsd_diff_link(d, i, &l, sizeof l); i++)
        fprintf(out, "link %" PRIu32 " %" PRIu32 ":%" PRIu32 " by %u\n", i, l.layer,
                l.node, l.evidence);
}

static void put_findings(const struct fsd_diff *d, FILE *out)
{
    static const enum fsd_part parts[] = {FSD_PART_LAYERS, FSD_PART_NODES};
    struct fsd_finding_data f;
    uint32_t n = fsd_diff_count(d, FSD_PART_FINDINGS);

    for (uint32_t i = 0; fsd_diff_finding(d, i, &f, sizeof f); i++) {
        fprintf(out, "finding %" PRIu32 " %s (%d); %s; to do: %s; about", i, f.rule,
                (int)f.severity, f.message, text(f.todo));
        for (size_t p = 0; p < 2; p++) {
            uint32_t of = p ? f.n_nodes : f.n_layers;

            for (uint32_t k = 0; k < of; k++)
                fprintf(out, " %s%" PRIu32, p ? "node " : "layer ",
                        fsd_finding_subject(d, i, parts[p], k));
            assert_int_equal(fsd_finding_subject(d, i, parts[p], of), UINT32_MAX);
        }
        fputs("\n", out);
        assert_int_equal(fsd_finding_subject(d, i, FSD_PART_LINKS, 0), UINT32_MAX);
    }
    assert_int_equal(fsd_finding_subject(d, n, FSD_PART_LAYERS, 0), UINT32_MAX);
}

static void put_member(void *payload, uint32_t i, const struct fsd_member *m)
{
    fprintf(payload, "  %" PRIu32 " %s", i, m->key);
    if (m->text)
        fprintf(payload, " '%s'", m->text);
    fprintf(payload, m->text && !m->number ? "\n" : " %.6g\n", m->number);
}

static void put_all(const char *model, const char *engine, const char *profile,
                    FILE *out)
{
    struct fsd_options opt = {.model = model,
                              .engine = engine,
                              .profiles = &profile,
                              .n_profiles = profile != NULL};
    struct fsd_diff *d;

    assert_int_equal(fsd_diff_open(&d, &opt, NULL), FSD_OK);
    fprintf(out, "== %s\n", engine + strlen(FSD_FIXTURES) + 1);
    put_layers(d, out);
    put_nodes(d, out);
    put_links(d, out);
    put_findings(d, out);
    for (int part = 0; part <= FSD__PART_COUNT; part++) {
        fprintf(out, "part %d: %" PRIu32 "\n", part,
                fsd_diff_count(d, (enum fsd_part)part));
        if (profile) /* members are many, and one run shows them */
            fsd_diff_members(d, (enum fsd_part)part, put_member, out);
    }
    fsd_diff_free(d);
}

static void data_is_found(void **state)
{
    char *found;
    size_t size;
    FILE *out = fsd_memory_open(&found, &size);

    (void)state;
    put_all(FSD_FIXTURES "/qat_block/model.onnx",
            FSD_FIXTURES "/qat_block/engine.graph.json",
            FSD_FIXTURES "/qat_block/profile.json", out);
    put_all(FSD_FIXTURES "/kernels/model.onnx", FSD_FIXTURES "/kernels/engine.log",
            NULL, out);
    fclose(out);
    need_found(FSD_CASES "/../data.found", found);
    free(found);
}

/* -------------------------------------------------------------- callers' structs */

/* The four functions, of one type. */
typedef bool fill_fn(const struct fsd_diff *d, uint32_t i, void *out, size_t size);

static bool layer(const struct fsd_diff *d, uint32_t i, void *out, size_t size)
{
    return fsd_diff_layer(d, i, out, size);
}

static bool node(const struct fsd_diff *d, uint32_t i, void *out, size_t size)
{
    return fsd_diff_node(d, i, out, size);
}

static bool edge(const struct fsd_diff *d, uint32_t i, void *out, size_t size)
{
    return fsd_diff_link(d, i, out, size);
}

static bool finding(const struct fsd_diff *d, uint32_t i, void *out, size_t size)
{
    return fsd_diff_finding(d, i, out, size);
}

/* An older caller gets the first members and no byte beyond; a newer one gets zeros in
 * the members that the library does not know. */
static void structs_have_sizes(void **state)
{
    static const struct {
        fill_fn *fill;
        enum fsd_part part;
        size_t size, used; /* used: without what fills the struct up */
    } rows[] = {{layer, FSD_PART_LAYERS, sizeof(struct fsd_layer_data),
                 offsetof(struct fsd_layer_data, opaque) + sizeof(bool)},
                {node, FSD_PART_NODES, sizeof(struct fsd_node_data),
                 offsetof(struct fsd_node_data, n_layers) + sizeof(uint32_t)},
                {edge, FSD_PART_LINKS, sizeof(struct fsd_link_data),
                 sizeof(struct fsd_link_data)},
                {finding, FSD_PART_FINDINGS, sizeof(struct fsd_finding_data),
                 sizeof(struct fsd_finding_data)}};
    struct fsd_options opt = {.model = FSD_FIXTURES "/qat_block/model.onnx",
                              .engine = FSD_FIXTURES "/qat_block/engine.graph.json"};
    struct fsd_diff *d;

    (void)state;
    assert_int_equal(fsd_diff_open(&d, &opt, NULL), FSD_OK);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const size_t whole = rows[r].size, sizes[] = {whole, 8, whole + 24};
        max_align_t room[3][32];
        unsigned char *bytes[3];

        for (size_t k = 0; k < 3; k++) {
            bytes[k] = (unsigned char *)room[k];
            memset(bytes[k], 0x5a, sizeof room[k]);
            assert_false(
                rows[r].fill(d, fsd_diff_count(d, rows[r].part), bytes[k], sizes[k]));
            assert_int_equal(bytes[k][0], 0x5a);
            assert_true(rows[r].fill(d, 0, bytes[k], sizes[k]));
            assert_memory_equal(bytes[k], bytes[0],
                                sizes[k] < whole ? 8 : rows[r].used);
            for (size_t i = whole; i < sizes[k]; i++)
                assert_int_equal(bytes[k][i], 0);
            assert_int_equal(bytes[k][sizes[k]], 0x5a);
        }
    }
    fsd_diff_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_is_found),
                                       cmocka_unit_test(structs_have_sizes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
