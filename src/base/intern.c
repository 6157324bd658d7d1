/*
 * A table of strings: a hash table with open addressing.  The search for a name begins
 * at the slot of its hash, and ends at the name or at the first free slot.  A slot also
 * holds the hash, so that the search need not read the text of most other names.  The
 * texts of a large model exceed the processor's cache, so reading one takes longer than
 * the rest of the search.  With uthash, whose entries are linked by pointers, a run of
 * 10,000 layers takes a quarter more time.
 *
 *     slots  [hash 3|     |hash 1|hash 2|     ]     entries  [""|"conv1"|"x"|"y"]
 */
#include "base/base.h"
#include "base/plain.h"

enum { FIRST_SLOTS = 64 };

struct slot {
    uint32_t hash;
    fsd_sym sym; /* 0: the slot is free; the empty string needs no slot */
};

struct entry {
    const char *text;
    size_t len;
};

struct fsd_intern {
    struct fsd_arena *arena;
    uint64_t seed; /* random: without it, a file of 3 MB could contain names that all
                      collide */
    struct slot *slots;
    uint32_t mask; /* the number of slots, a power of two, minus 1; at least a quarter
                      of the slots is free */
    FSD_VEC(struct entry) entries;
};

static uint32_t hash_of(const struct fsd_intern *names, const char *s, size_t n)
{
    return (uint32_t)fsd_hash_seeded(s, n, names->seed);
}

/* Returns the slot of this name, or the free slot where it would be. */
static struct slot *find(const struct fsd_intern *names, const char *s, size_t n,
                         uint32_t hash)
{
    for (uint32_t i = hash;; i++) {
        struct slot *slot = &names->slots[i & names->mask];
        const struct entry *entry = &names->entries.at[slot->sym];

        if (!slot->sym ||
            (slot->hash == hash && entry->len == n && !memcmp(entry->text, s, n)))
            return slot;
    }
}

static void make_slots(struct fsd_intern *names, uint32_t n)
{
    const struct slot *old = names->slots;
    uint32_t n_old = old ? names->mask + 1 : 0, to;

    names->slots = FSD_NEW(names->arena, struct slot, n);
    names->mask = n - 1;
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].sym) {
            for (to = old[i].hash & names->mask; names->slots[to].sym;)
                to = (to + 1) & names->mask;
            names->slots[to] = old[i];
        }
}

struct fsd_intern *fsd_intern_new(struct fsd_arena *arena)
{
    struct fsd_intern *names = FSD_NEW(arena, struct fsd_intern, 1);

    names->arena = arena;
    names->seed = fsd_hash_seed();
    fsd_vec_push(arena, &names->entries, (struct entry){"", 0});
    make_slots(names, FIRST_SLOTS);
    return names;
}

static size_t valid_len(const char *s, size_t n)
{
    size_t i = fsd_plain_run(s, n), len;

    while (i < n && s[i] && (len = fsd_utf8_len((const unsigned char *)s + i, n - i)))
        i += len;
    return i;
}

static fsd_sym put(struct fsd_intern *names, const char *bytes, size_t n, uint32_t hash)
{
    struct slot *slot;

    if (names->entries.n > names->mask / 4 * 3)
        make_slots(names, 2 * (names->mask + 1));
    slot = find(names, bytes, n, hash);
    if (!slot->sym) {
        *slot = (struct slot){hash, names->entries.n};
        fsd_vec_push(names->arena, &names->entries, (struct entry){bytes, n});
    }
    return slot->sym;
}

fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n)
{
    return n ? put(names, bytes, n, hash_of(names, bytes, n)) : 0;
}

fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n)
{
    uint32_t hash = hash_of(names, s, n);
    fsd_sym known = n ? find(names, s, n, hash)->sym : 0;
    size_t good, used = 0;
    char *fixed;

    if (known || !n)
        return known;
    good = valid_len(s, n);
    if (good == n)
        return put(names, fsd_arena_strndup(names->arena, s, n), n, hash);
    fixed = FSD_NEW(names->arena, char, 4 * n + 1);
    for (size_t i = 0; i < n; good = valid_len(s + i, n - i)) {
        memcpy(fixed + used, s + i, good); /* copies the valid bytes */
        used += good;
        i += good;
        if (i < n)
            used += (size_t)sprintf(fixed + used, "\\x%02x", (unsigned char)s[i++]);
    }
    return fsd_intern_bytes(names, fixed, used);
}

fsd_sym fsd_intern_slice(struct fsd_intern *names, struct fsd_slice t)
{
    return fsd_intern_add(names, t.s, t.n);
}

fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s)
{
    return s ? fsd_intern_add(names, s, strlen(s)) : 0;
}

fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n)
{
    fsd_sym sym = n ? find(names, s, n, hash_of(names, s, n))->sym : 0;

    return n && !sym ? FSD_NONE : sym;
}

bool fsd_intern_has(const struct fsd_intern *names, const char *s, size_t n)
{
    return fsd_intern_find(names, s, n) != FSD_NONE;
}

fsd_sym fsd_intern_other(const struct fsd_intern *names, fsd_sym sym,
                         const struct fsd_intern *other)
{
    return fsd_intern_find(other, fsd_text(names, sym), fsd_text_len(names, sym));
}

const char *fsd_text(const struct fsd_intern *names, fsd_sym sym)
{
    return names->entries.at[sym].text;
}

size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym)
{
    return names->entries.at[sym].len;
}

void fsd_intern_replace(struct fsd_intern *names, const char *const *texts)
{
    uint32_t n = names->mask + 1;

    for (fsd_sym i = 1; i < names->entries.n; i++)
        if (texts[i])
            names->entries.at[i] = (struct entry){texts[i], strlen(texts[i])};
    names->slots = NULL; /* the slots have the hashes of the old texts */
    make_slots(names, n);
    for (fsd_sym i = 1; i < names->entries.n; i++) {
        const struct entry *entry = &names->entries.at[i];
        uint32_t hash = hash_of(names, entry->text, entry->len);
        struct slot *slot = find(names, entry->text, entry->len, hash);

        if (entry->len && !slot->sym) /* if several symbols have the same text, find()
                                         finds the first */
            *slot = (struct slot){hash, i};
    }
}

uint32_t fsd_intern_count(const struct fsd_intern *names)
{
    return names->entries.n;
}
