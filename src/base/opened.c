/*
 * The list of files that a run has opened.  Its purpose is that no output replaces one
 * of them.  A file is identified by device and inode, because `./model.onnx`, a hard
 * link and a symbolic link can be names of the same file.  A file that is opened a
 * thousand times has one entry of 16 bytes in a hash table.
 *
 * The caller owns the list and sets it for a thread, like fsd_use_memory().  The list
 * is no parameter, because the functions that open or write files receive only paths.
 * The list is not global, so that two runs in one process have two lists.  Several
 * threads may work for one run, so the list has a lock.
 */
#include "base/base.h"
#include "base/open.h"
#include "host/files.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

/* A slot of the hash table.  Zeros mark a free slot, because no file has the inode
 * 0. */
struct entry {
    uint64_t device, inode;
};

struct fsd_opened {
    fsd_lock lock;
    struct entry *at;
    size_t n, room; /* the numbers of used slots and of all slots; `room` is a power of
                       two, and at most three quarters of the slots are in use */
};

static _Thread_local struct fsd_opened *recording;

struct fsd_opened *fsd_opened_new(void)
{
    struct fsd_opened *opened = calloc(1, sizeof *opened);

    if (opened)
        fsd_lock_init(&opened->lock);
    return opened;
}

void fsd_opened_free(struct fsd_opened *opened)
{
    if (!opened)
        return;
    fsd_lock_free(&opened->lock);
    free(opened->at);
    free(opened);
}

struct fsd_opened *fsd_opened_record(struct fsd_opened *opened)
{
    struct fsd_opened *before = recording;

    recording = opened;
    return before;
}

/* Returns the slot that holds this entry, or the free slot where it would be.  The
 * table always has a free slot. */
static struct entry *find(const struct fsd_opened *opened, struct entry entry)
{
    size_t i = fsd_hash_mix(entry.device, entry.inode) & (opened->room - 1);

    while (opened->at[i].inode &&
           (opened->at[i].inode != entry.inode || opened->at[i].device != entry.device))
        i = (i + 1) & (opened->room - 1);
    return &opened->at[i];
}

static bool make_room(struct fsd_opened *opened)
{
    struct fsd_opened larger = {.room = opened->room ? 2 * opened->room : FIRST_ROOM};

    if (4 * (opened->n + 1) <= 3 * opened->room)
        return true;
    larger.at = calloc(larger.room, sizeof *larger.at);
    if (!larger.at)
        return false;
    for (size_t i = 0; i < opened->room; i++)
        if (opened->at[i].inode)
            *find(&larger, opened->at[i]) = opened->at[i];
    free(opened->at);
    opened->at = larger.at;
    opened->room = larger.room;
    return true;
}

static struct entry entry_of(const struct stat *st)
{
    return (struct entry){(uint64_t)st->st_dev, (uint64_t)st->st_ino};
}

/* Adds a file to the list.  Ignores devices and pipes, because writing to them
 * overwrites nothing. */
static bool add(struct fsd_opened *opened, const struct stat *st)
{
    struct entry *place;
    bool room;

    if (!S_ISREG(st->st_mode))
        return true;
    fsd_lock_take(&opened->lock);
    room = make_room(opened);
    if (room) {
        place = find(opened, entry_of(st));
        opened->n += !place->inode;
        *place = entry_of(st);
    }
    fsd_lock_give(&opened->lock);
    return room;
}

bool fsd_opened_note(int fd)
{
    struct stat st;

    return !recording || fstat(fd, &st) || add(recording, &st);
}

bool fsd_opened_note_path(const char *path)
{
    return !recording || fsd_opened_add(recording, path);
}

bool fsd_opened_add(struct fsd_opened *opened, const char *path)
{
    struct stat st;
    int failed = strcmp(path, "-") != 0 ? stat(path, &st) : fstat(STDIN_FILENO, &st);

    return failed || add(opened, &st);
}

bool fsd_opened_has(struct fsd_opened *opened, const char *path)
{
    struct stat st;
    bool has;

    if (strcmp(path, "-") != 0 ? stat(path, &st) : fstat(STDOUT_FILENO, &st))
        return false;
    fsd_lock_take(&opened->lock);
    has = opened->n && find(opened, entry_of(&st))->inode;
    fsd_lock_give(&opened->lock);
    return has;
}
