/*
 * Reads archives of numpy.savez() and savez_compressed(): a ZIP archive has a member
 * NAME.npy for each tensor.  The directory at the end of the archive lists the members.
 * It has a 64-bit form for large counts and sizes.  Only the header of each member is
 * read here.
 *
 *     local header, member | ... | directory: one entry per member | [64 bits: record,
 *     locator] | end record
 *
 * Members of a hostile archive may overlap, so that a few kilobytes decompress to
 * terabytes.  So the sum of the members' decompressed sizes must not exceed a multiple
 * of the file's size.
 */
#include "explain/values/values.h"

#include "base/base.h"

enum {
    END_SIZE = 22,       /* bytes of the end record without its comment */
    COMMENT_MAX = 65535, /* maximum number of bytes of the comment */
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MEMBERS_MAX = 1 << 20,
    RATIO_MAX = 1032 /* the highest compression ratio of deflate */
};
#define EXPANDED_FREE (UINT64_C(1) << 26)

struct archive {
    const struct fsd_file *file;
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_array_set *set;
    struct fsd_error *err;
    uint64_t expanded; /* sum of the decompressed sizes of all members so far, in
                          bytes */
};

struct directory {
    uint64_t at, size, members;
};

static uint64_t field_at(const struct archive *z, uint64_t at, unsigned bytes)
{
    uint64_t number = 0;

    while (bytes--)
        number = number << 8 | z->file->bytes[at + bytes];
    return number;
}

/* Whether the file has n bytes from position `at` on. */
static bool has(const struct archive *z, uint64_t at, uint64_t n)
{
    return at <= z->file->size && n <= z->file->size - at;
}

static bool is_at(const struct archive *z, uint64_t at, const char *mark)
{
    return has(z, at, 4) && !memcmp(z->file->bytes + at, mark, 4);
}

static enum fsd_status damaged(const struct archive *z, uint64_t at,
                               const char *expected, const char *found)
{
    return fsd_fail(z->err, FSD_E_FORMAT, z->file->name, FSD_POS_BYTE, at,
                    "expected an npz archive with %s, found %s", expected, found);
}

bool fsd_npz_is(const struct fsd_file *file)
{
    return file->size >= 4 &&
           (!memcmp(file->bytes, "PK\3\4", 4) || !memcmp(file->bytes, "PK\5\6", 4));
}

/* ----------------------------------------------------------------------- directory */

/* Finds the end record.  Only a comment may be behind it. */
static bool find_end(const struct archive *z, uint64_t *at)
{
    size_t size = z->file->size;

    for (size_t back = END_SIZE; back <= size && back <= END_SIZE + COMMENT_MAX; back++)
        if (is_at(z, size - back, "PK\5\6") &&
            field_at(z, size - back + 20, 2) <= back - END_SIZE) {
            *at = size - back;
            return true;
        }
    return false;
}

static enum fsd_status find_directory(const struct archive *z, struct directory *out)
{
    uint64_t end, record;

    if (!find_end(z, &end))
        return damaged(z, z->file->size, "an end record",
                       "none: the file is truncated, or is another kind of archive");
    out->members = field_at(z, end + 10, 2);
    out->size = field_at(z, end + 12, 4);
    out->at = field_at(z, end + 16, 4);
    if (end >= LOCATOR_SIZE && is_at(z, end - LOCATOR_SIZE, "PK\6\7")) {
        record = field_at(z, end - LOCATOR_SIZE + 8, 8);
        if (!has(z, record, END64_SIZE) || !is_at(z, record, "PK\6\6"))
            return damaged(z, end - LOCATOR_SIZE, "a 64-bit end record",
                           "other bytes at the offset that the file states");
        out->members = field_at(z, record + 32, 8);
        out->size = field_at(z, record + 40, 8);
        out->at = field_at(z, record + 48, 8);
    }
    if (!has(z, out->at, out->size))
        return damaged(z, end, "a complete directory", "the end of the file");
    if (out->members > MEMBERS_MAX)
        return fsd_fail(z->err, FSD_E_LIMIT, z->file->name, FSD_POS_BYTE, end,
                        "expected at most %d tensors, found %llu", MEMBERS_MAX,
                        (unsigned long long)out->members);
    return FSD_OK;
}

/* ------------------------------------------------------------------------- members */

struct member {
    uint64_t stored, size, local;
    uint32_t crc;
    unsigned flags, method;
    struct fsd_slice name;
};

/* Sizes and offsets that do not fit in 32 bits are in the extra field, in the order of
 * `due`.  This function reads them from there. */
static void read_extra(const struct archive *z, uint64_t at, uint64_t n,
                       struct member *m)
{
    uint64_t *const due[] = {&m->size, &m->stored, &m->local};
    uint64_t end = at + n;

    while (end - at >= 4) {
        uint64_t id = field_at(z, at, 2), len = field_at(z, at + 2, 2);

        at += 4;
        if (len > end - at)
            return;
        for (size_t i = 0, k = 0; id == 1 && i < FSD_COUNT_OF(due); i++)
            if (*due[i] == UINT32_MAX && k + 8 <= len) {
                *due[i] = field_at(z, at + k, 8);
                k += 8;
            }
        at += len;
    }
}

/* Reads an entry of the directory; false if it is damaged.
 * @param at position of the entry; set to the position behind it */
static bool read_entry(const struct archive *z, uint64_t *at, uint64_t end,
                       struct member *m)
{
    uint64_t name, extra, comment, size;

    if (end - *at < ENTRY_SIZE || !is_at(z, *at, "PK\1\2"))
        return false;
    name = field_at(z, *at + 28, 2);
    extra = field_at(z, *at + 30, 2);
    comment = field_at(z, *at + 32, 2);
    size = ENTRY_SIZE + name + extra + comment;
    if (end - *at < size)
        return false;
    *m = (struct member){
        .flags = (unsigned)field_at(z, *at + 8, 2),
        .method = (unsigned)field_at(z, *at + 10, 2),
        .crc = (uint32_t)field_at(z, *at + 16, 4),
        .stored = field_at(z, *at + 20, 4),
        .size = field_at(z, *at + 24, 4),
        .local = field_at(z, *at + 42, 4),
        .name = {(const char *)z->file->bytes + *at + ENTRY_SIZE, (size_t)name}};
    read_extra(z, *at + ENTRY_SIZE + name, extra, m);
    *at += size;
    return true;
}

/* Finds the position of the member's first byte, behind its local header.  Uses the
 * lengths in the local header, because the lengths in the directory may differ.  False
 * if the file has fewer bytes than the member. */
static bool find_bytes(const struct archive *z, const struct member *m, uint64_t *at)
{
    if (!has(z, m->local, LOCAL_SIZE) || !is_at(z, m->local, "PK\3\4"))
        return false;
    *at = m->local + LOCAL_SIZE + field_at(z, m->local + 26, 2) +
          field_at(z, m->local + 28, 2);
    return has(z, *at, m->stored);
}

static enum fsd_status add_member(struct archive *z, const struct member *m,
                                  uint64_t entry)
{
    struct fsd_array array = {0};
    struct fsd_slice name = m->name;
    uint64_t at;

    if (!fsd_slice_drop(&name, ".npy"))
        return FSD_OK; /* a file that is no tensor */
    if (!find_bytes(z, m, &at))
        return damaged(z, entry,
                       "a complete member at the offset that the directory states",
                       "the end of the file");
    z->expanded += m->size;
    if (m->size > UINT64_MAX / 2 ||
        z->expanded > EXPANDED_FREE + RATIO_MAX * (uint64_t)z->file->size)
        return fsd_fail(z->err, FSD_E_LIMIT, z->file->name, FSD_POS_BYTE, entry,
                        "expected members that together expand to at most %d times "
                        "the file's size, found a larger total",
                        RATIO_MAX);
    array.name = fsd_intern_slice(z->names, name);
    array.stored = (struct fsd_stored){.file = z->file,
                                       .at = (size_t)at,
                                       .n = (size_t)m->stored,
                                       .packing = m->method ? FSD_DEFLATED : FSD_STORED,
                                       .size = m->size,
                                       .has_crc = true,
                                       .crc = m->crc};
    if (m->flags & 1)
        array.odd = "it is encrypted";
    else if (m->method && m->method != 8)
        array.odd = "it is compressed by a method other than deflate";
    else
        array.odd = fsd_npy_read(&array);
    fsd_vec_push(z->arena, &z->set->at, array);
    return FSD_OK;
}

enum fsd_status fsd_npz_read(struct fsd_arena *arena, struct fsd_intern *names,
                             const struct fsd_file *file, fsd_array_set_vec *out,
                             struct fsd_error *err)
{
    struct fsd_array_set set = {.path = file->name};
    struct archive z = {file, arena, names, &set, err, 0};
    struct directory directory = {0};
    struct member member;
    enum fsd_status status = find_directory(&z, &directory);
    uint64_t at, end;

    if (status != FSD_OK)
        return status;
    at = directory.at;
    end = at + directory.size;
    for (uint64_t i = 0; i < directory.members && status == FSD_OK; i++) {
        uint64_t entry = at;

        status = read_entry(&z, &at, end, &member)
                     ? add_member(&z, &member, entry)
                     : damaged(&z, entry, "an entry for each member", "other bytes");
    }
    if (status == FSD_OK)
        fsd_vec_push(arena, out, set);
    return status;
}
