/*
 * uthash holds the entries; an array gives them by number.  The table is freed by
 * nobody: uthash allocates from the arena.
 */
#include "base/intern.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* uthash's allocations name the table through the variable `names`, which every
 * function here that adds an entry has in scope. */
#define uthash_malloc(size)                                                            \
    fsd_arena_alloc(names->arena, (size), 1, alignof(max_align_t))
#define uthash_free(ptr, size) ((void)(ptr))
/* Names of regions are long, and logs repeat them; uthash's own takes byte by byte.
 * Without a seed a file of 3 MB could hold names that all fall into one bucket. */
#define HASH_FUNCTION(key, n, hash)                                                    \
    ((hash) = (unsigned)fsd_hash_seeded((key), (n), names->seed))
#include <uthash.h>

struct entry {
    const char *text;
    size_t len;
    fsd_sym sym;
    UT_hash_handle hh;
};

struct fsd_intern {
    struct fsd_arena *arena;
    uint64_t seed;
    struct entry *table;
    FSD_VEC(struct entry *) entries;
};

static struct entry *find(const struct fsd_intern *names, const char *s, size_t n)
{
    struct entry *entry = NULL;

    HASH_FIND(hh, names->table, n ? s : "", n, entry); /* no name has no bytes */
    return entry;
}

/* The text outlives the table. */
static fsd_sym add_entry(struct fsd_intern *names, const char *s, size_t n)
{
    struct entry *entry = FSD_NEW(names->arena, struct entry, 1);

    entry->text = s;
    entry->len = n;
    entry->sym = names->entries.n;
    HASH_ADD_KEYPTR(hh, names->table, entry->text, n, entry);
    fsd_vec_push(names->arena, &names->entries, entry);
    return entry->sym;
}

struct fsd_intern *fsd_intern_new(struct fsd_arena *arena)
{
    struct fsd_intern *names = FSD_NEW(arena, struct fsd_intern, 1);

    names->arena = arena;
    names->seed = fsd_hash_seed();
    add_entry(names, "", 0);
    return names;
}

static size_t valid_len(const char *s, size_t n)
{
    size_t i = 0, len;

    while (i < n && s[i] && (len = fsd_utf8_len((const unsigned char *)s + i, n - i)))
        i += len;
    return i;
}

fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n)
{
    struct entry *entry = find(names, s, n);
    size_t good = entry ? n : valid_len(s, n), used = 0;

    if (good < n) { /* what is there is valid */
        char *fixed = FSD_NEW(names->arena, char, 4 * n + 1);

        for (size_t i = 0; i < n; good = valid_len(s + i, n - i)) {
            memcpy(fixed + used, s + i, good);
            used += good;
            i += good;
            if (i < n)
                used += (size_t)sprintf(fixed + used, "\\x%02x", (unsigned char)s[i++]);
        }
        s = fixed;
        n = used;
        entry = find(names, s, n);
    }
    return entry ? entry->sym
                 : add_entry(names, fsd_arena_strndup(names->arena, s, n), n);
}

fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n)
{
    struct entry *entry = find(names, bytes, n);

    return entry ? entry->sym : add_entry(names, bytes, n);
}

fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s)
{
    return s ? fsd_intern_add(names, s, strlen(s)) : 0;
}

fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n)
{
    struct entry *entry = find(names, s, n);

    return entry ? entry->sym : FSD_NONE;
}

const char *fsd_text(const struct fsd_intern *names, fsd_sym sym)
{
    return names->entries.at[sym]->text;
}

size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym)
{
    return names->entries.at[sym]->len;
}

uint32_t fsd_intern_count(const struct fsd_intern *names)
{
    return names->entries.n;
}
