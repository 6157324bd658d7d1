#include "gate/list.h"
#include "base/order.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct fsd_list *fsd_list_new(void)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_list *list = FSD_NEW(arena, struct fsd_list, 1);

    list->arena = arena;
    return list;
}

void fsd_list_free(struct fsd_list *list)
{
    if (list)
        fsd_arena_free(list->arena);
}

const char *fsd_list_text(struct fsd_list *list, const char *format, ...)
{
    va_list args;
    int n;
    char *text;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return "";
    text = FSD_NEW(list->arena, char, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

/* -------------------------------------------------------------- fingerprints */

/* A message without its numbers, which change from run to run. */
static uint64_t hash_words(const char *message, uint64_t hash)
{
    while (*message) {
        size_t n = strcspn(message, "0123456789");

        hash = XXH64(message, n, hash);
        message += n;
        message += strspn(message, "0123456789");
    }
    return hash;
}

/* What a finding is about stays when its numbers and layer names change. */
static uint64_t hash_item(const struct fsd_list *list, const struct fsd_list_item *item)
{
    const char *rule = list->rules.at[item->rule].id;
    uint64_t hash = XXH64(rule, strlen(rule), 0);

    for (uint32_t i = 0; i < item->n_nodes; i++)
        hash = XXH64(item->nodes[i], strlen(item->nodes[i]) + 1, hash);
    if (!item->n_nodes)
        hash = hash_words(item->message, hash);
    return hash;
}

struct keyed {
    uint64_t hash;
    uint32_t item;
};

static int by_hash(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return fsd_order(x->item, y->item);
}

/* Items that are about the same get numbers. */
static void set_fingerprints(struct fsd_list *list)
{
    uint32_t n = list->items.n;
    struct keyed *keys = FSD_NEW(list->arena, struct keyed, n);

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct keyed){hash_item(list, &list->items.at[i]), i};
    if (n)
        qsort(keys, n, sizeof *keys, by_hash);
    for (uint32_t i = 0, same = 0; i < n; i++) {
        same = i && keys[i].hash == keys[i - 1].hash ? same + 1 : 0;
        list->items.at[keys[i].item].fingerprint =
            same ? XXH64(&same, sizeof same, keys[i].hash) : keys[i].hash;
    }
}

void fsd_list_finish(struct fsd_list *list)
{
    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];

        list->rules.at[item->rule].found++;
        list->by_severity[item->severity]++;
        list->failed |= item->severity >= list->fails_at && !list->accepts;
    }
    if (list->judges)
        list->verdict = list->accepts ? "accepted" : list->failed ? "failed" : "passed";
    for (uint32_t i = 0; i < list->rules.n; i++)
        list->ignored += list->rules.at[i].ignored;
    set_fingerprints(list);
}
