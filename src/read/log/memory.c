/*
 * Reads the summary of memory that the builder prints for a finished engine:
 *
 *     Layer: conv1 + relu1 Host Persistent: 5664 bytes Device Persistent: 0 bytes
 *                          Scratch Memory: 512 bytes
 *     Total Device Persistent Memory: 0 bytes
 *     Max Scratch Memory: 8880128 bytes
 *     Total Activation Memory: 8880128 bytes
 *     Total Weights Memory: 346907392 bytes
 *     Allocated activation device memory of size 4718592
 *
 * Source: logs of TensorRT 8.0 to 10.16 and TensorRT for RTX. TensorRT prints the word
 * "bytes" since version 10.
 */
#include "read/log/log.h"

static bool take_bytes(struct fsd_slice *t, int64_t *bytes)
{
    uint64_t n;

    if (!fsd_slice_take_number(t, INT64_MAX, &n))
        return false;
    *bytes = (int64_t)n;
    fsd_slice_take(t, " bytes");
    return true;
}

/* Reads the memory of a layer. The name of a layer may contain any words, so it ends at
 * the last " Host Persistent: ". */
static bool read_layer(struct fsd_history *h, struct fsd_slice t, uint32_t build)
{
    struct fsd_memory_use m = {.build = build, .weights = -1, .activations = -1};
    const char *at = fsd_slice_find_last(t, " Host Persistent: ");
    struct fsd_slice name = t;

    if (!at)
        return false;
    name.n = (size_t)(at - t.s);
    t = fsd_slice_from(t, name.n);
    if (!fsd_slice_take(&t, " Host Persistent: ") || !take_bytes(&t, &m.host) ||
        !fsd_slice_take(&t, " Device Persistent: ") || !take_bytes(&t, &m.device) ||
        !fsd_slice_take(&t, " Scratch Memory: ") || !take_bytes(&t, &m.scratch))
        return false;
    m.layer = fsd_intern_slice(h->names, name);
    fsd_vec_push(h->arena, &h->memory, m);
    return true;
}

/* Returns the entry of h->memory with the total sizes of the engine `build`.  Adds the
 * entry if there is none. */
static struct fsd_memory_use *sums_of(struct fsd_history *h, uint32_t build)
{
    const struct fsd_memory_use none = {.build = build,
                                        .host = -1,
                                        .device = -1,
                                        .scratch = -1,
                                        .activations = -1,
                                        .weights = -1};

    for (uint32_t i = h->memory.n; i-- > 0 && h->memory.at[i].build == build;)
        if (!h->memory.at[i].layer)
            return &h->memory.at[i];
    fsd_vec_push(h->arena, &h->memory, none);
    return &h->memory.at[h->memory.n - 1];
}

bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build)
{
    static const struct {
        const char *words;
        size_t at; /* the offset of the member in struct fsd_memory_use */
    } sums[] = {
        {"Total Host Persistent Memory: ", offsetof(struct fsd_memory_use, host)},
        {"Total per-runner host persistent memory is ",
         offsetof(struct fsd_memory_use, host)},
        {"Total Device Persistent Memory: ", offsetof(struct fsd_memory_use, device)},
        {"Total per-runner device persistent memory is ",
         offsetof(struct fsd_memory_use, device)},
        {"Total Scratch Memory: ", offsetof(struct fsd_memory_use, scratch)},
        {"Max Scratch Memory: ", offsetof(struct fsd_memory_use, scratch)},
        {"Total Activation Memory: ", offsetof(struct fsd_memory_use, activations)},
        {"Allocated activation device memory of size ",
         offsetof(struct fsd_memory_use, activations)},
        {"Total Weights Memory: ", offsetof(struct fsd_memory_use, weights)},
    };
    int64_t bytes;

    if (fsd_slice_take(&text, "Layer: "))
        return read_layer(h, text, build);
    for (size_t i = 0; i < FSD_COUNT_OF(sums); i++)
        if (fsd_slice_take(&text, sums[i].words) && take_bytes(&text, &bytes)) {
            *(int64_t *)(void *)((char *)sums_of(h, build) + sums[i].at) = bytes;
            return true;
        }
    return false;
}
