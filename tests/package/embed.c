/* The library as an embedder sees it, C11 and C++17 alike:  embed MODEL ENGINE [memory]
 * prints a run line by line, which check.py holds against the JSON report.  With a
 * third word the library gets bytes, not files. */
#include <fusiondiff/fusiondiff.h>

#include <stdio.h>
#include <string.h>

static void print_member(void *part, uint32_t i, const struct fsd_member *member)
{
    printf("member\t%s\t%u\t%s\t", (const char *)part, i, member->key);
    if (member->text)
        printf("%s\n", member->text);
    else
        printf("%.9g\n", member->number);
}

static void print_run(const struct fsd_diff *run)
{
    static char parts[][9] = {"layers", "nodes", "links", "findings"};
    struct fsd_layer_data layer;
    struct fsd_node_data node;
    struct fsd_link_data link;
    struct fsd_finding_data finding;

    for (uint32_t i = 0; fsd_diff_layer(run, i, &layer, sizeof layer); i++)
        printf("layer\t%u\t%s\t%s\t%s\t%s\t%s\t%d\t%lld\t%u\n", i, layer.name,
               layer.type, layer.kind, layer.cause ? layer.cause : "",
               layer.precision ? layer.precision : "", layer.inserted,
               (long long)layer.macs, layer.n_links);
    for (uint32_t i = 0; fsd_diff_node(run, i, &node, sizeof node); i++) {
        printf("node\t%u\t%s\t%s\t%s\t%s\t", i, node.name, node.op, node.fate,
               node.why);
        for (uint32_t k = 0; k < node.n_layers; k++)
            printf("%s%u", k ? "," : "", fsd_node_layer(run, i, k));
        putchar('\n');
    }
    for (uint32_t i = 0; fsd_diff_link(run, i, &link, sizeof link); i++)
        printf("link\t%u\t%u\t%u\n", link.layer, link.node, link.evidence);
    for (uint32_t i = 0; fsd_diff_finding(run, i, &finding, sizeof finding); i++)
        printf("finding\t%s\t%d\t%s\t%u\n", finding.rule, (int)finding.severity,
               finding.message,
               finding.n_nodes ? fsd_finding_subject(run, i, FSD_PART_NODES, 0) : 0);
    for (int part = 0; part < FSD__PART_COUNT; part++)
        fsd_diff_members(run, (enum fsd_part)part, print_member, parts[part]);
}

static char kept[2][1 << 20];

static struct fsd_memory bytes_of(const char *path, const char *as, char *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof kept[0], file) : 0;
    struct fsd_memory memory = {as, bytes, size};

    if (file)
        fclose(file);
    return memory;
}

int main(int argc, char **argv)
{
    struct fsd_memory files[2];
    struct fsd_options options;
    struct fsd_error error;
    struct fsd_diff *run;
    char text[800];

    if (argc < 3)
        return 2;
    memset(&options, 0, sizeof options);
    options.model = argv[1];
    options.engine = argv[2];
    if (argc > 3) {
        options.model = "the model";
        options.engine = "the engine";
        files[0] = bytes_of(argv[1], options.model, kept[0]);
        files[1] = bytes_of(argv[2], options.engine, kept[1]);
        fsd_use_memory(files, 2);
    }
    if (fsd_diff_open(&run, &options, &error) != FSD_OK) {
        fprintf(stderr, "%s\n", fsd_error_text(&error, text, sizeof text));
        return 2;
    }
    print_run(run);
    fsd_diff_free(run);
    return 0;
}
