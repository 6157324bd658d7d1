/*
 * Splits a text into pages for a language model, which can read a limited number of
 * tokens.
 *
 * Empty lines separate the blocks of a text. The first block is the conclusion. It may
 * fill the page. Each other block may use half of the remaining room, or more if the
 * later blocks still fit. If a block is cut, the next page continues it. The first page
 * therefore has a part of most blocks, and each line is on one page. A line stays
 * together with the deeper indented lines below it.
 *
 * Each model has its own tokenizer, so tokens are estimated. The estimate counts the
 * pieces into which every tokenizer splits a text, and adds 5 %, so that it is rarely
 * too low.
 */
#include "base/base.h"

#include <fusiondiff/fusiondiff.h>

#include <ctype.h>

enum {
    HANG = 4,
    FRAME = 60, /* tokens reserved for the lines that state how much is left
                         out */
    TITLE = 24  /* maximum number of tokens of a title that is repeated */
};

struct block {
    const char *next, *end; /* the rest of the block, which is on no page yet */
    const char *head;       /* the title of the block; NULL: none */
    unsigned cost;          /* tokens of the rest */
    unsigned lines;         /* lines of the rest */
};

struct blocks {
    struct block *at;
    size_t n;
    unsigned cost, lines; /* sums of all blocks */
};

/* ------------------------------------------------------------------------- tokens */

static size_t run_of(const char *s, size_t n, int (*is)(int))
{
    size_t i = 0;

    while (i < n && (unsigned char)s[i] < 0x80 && is((unsigned char)s[i]))
        i++;
    return i;
}

/* The length of the word at the front of `s`: several capitals ("GEMM"), or lower-case
 * letters after at most one capital ("Conv"). */
static size_t word_of(const char *s, size_t n)
{
    size_t capitals = run_of(s, n, isupper);

    return capitals > 1 ? capitals
                        : capitals + run_of(s + capitals, n - capitals, islower);
}

static unsigned cost_of_word(size_t n)
{
    return (unsigned)(n <= 10 ? (n + 4) / 5 : (n + 3) / 4);
}

/* The number of tokens of the first piece of a text.
 * @param[in,out] n the length of the text; becomes the length of the piece */
static unsigned take_piece(const char *s, size_t *n)
{
    size_t left = *n;

    *n = word_of(s, left);
    if (*n)
        return cost_of_word(*n);
    *n = run_of(s, left < 3 ? left : 3, isdigit);
    if (*n)
        return 1;
    *n = run_of(s, left, isspace);
    if (*n) /* a single blank is a part of the next word's token */
        return *n > 1 || *s == '\n';
    *n = left > 1 && s[1] == *s && (unsigned char)*s < 0x80 ? 2 : 1;
    return 1;
}

static unsigned cost_of(const char *s, const char *end)
{
    unsigned cost = 0;
    size_t n;

    for (; s < end; s += n) {
        n = (size_t)(end - s);
        cost += take_piece(s, &n);
    }
    return cost + (cost + 19) / 20;
}

/* ------------------------------------------------------------------------- blocks */

static const char *line_end(const char *s, const char *end)
{
    const char *newline = memchr(s, '\n', (size_t)(end - s));

    return newline ? newline + 1 : end;
}

static size_t indent_of(const char *s)
{
    return strspn(s, " ");
}

static unsigned lines_of(const char *s, const char *end)
{
    unsigned n = 0;

    for (; s < end; s = line_end(s, end))
        n++;
    return n;
}

/* The title of a block: its first line, if the second line is indented; NULL: the block
 * has no title. */
static const char *title_of(const char *s, const char *end)
{
    const char *second = line_end(s, end);
    bool is_title = !indent_of(s) && second < end && indent_of(second);

    return is_title && cost_of(s, second) <= TITLE ? s : NULL;
}

static void add_block(struct blocks *blocks, const char *from, const char *end)
{
    struct block *block = &blocks->at[blocks->n++];

    *block = (struct block){.next = from,
                            .end = end,
                            .head = title_of(from, end),
                            .cost = cost_of(from, end),
                            .lines = lines_of(from, end)};
    blocks->cost += block->cost;
    blocks->lines += block->lines;
}

static struct blocks split(struct fsd_arena *arena, const char *text)
{
    const char *end = text + strlen(text);

    /* Each block has at least one line, so there are no more blocks than lines. */
    struct blocks blocks = {.at =
                                FSD_NEW(arena, struct block, lines_of(text, end) + 1)};

    for (const char *from = text; from < end;) {
        const char *at = from;

        while (at < end && *at != '\n')
            at = line_end(at, end);
        if (at > from)
            add_block(&blocks, from, at);
        from = at < end ? at + 1 : at;
    }
    return blocks;
}

/* ------------------------------------------------------------------------- a page */

/* Divides the room equally among the blocks from `first` on. A block that needs less
 * leaves the rest to the others. Returns the maximum number of tokens of a block. */
static unsigned level_of(const struct blocks *blocks, size_t first, unsigned room)
{
    unsigned low = 0, high = room;

    while (low < high) {
        unsigned middle = high - (high - low) / 2;
        unsigned long long sum = 0;

        for (size_t i = first; i < blocks->n; i++)
            sum += blocks->at[i].cost < middle ? blocks->at[i].cost : middle;
        if (sum <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The maximum number of tokens of block `i`. The first block may use all the room. Any
 * other block may use its equal share or half of the room, whichever is more. */
static unsigned share_of(const struct blocks *blocks, size_t i, unsigned room)
{
    unsigned level = i ? level_of(blocks, i, room) : room;

    return level > room / 2 ? level : room / 2;
}

/* The end of an item: a line, and the lines below it that are indented by at least HANG
 * more blanks. */
static const char *item_end(const char *s, const char *end)
{
    size_t hang = indent_of(s) + HANG;

    do
        s = line_end(s, end);
    while (s < end && indent_of(s) >= hang);
    return s;
}

/* Returns the end of the longest part at the front of a line that fits into the room.
 * The part has at least one character. No character is split. */
static const char *piece_end(const char *s, const char *end, unsigned room)
{
    const char *at = s + 1;

    for (size_t step = (size_t)(end - s); step; step /= 2)
        while (step <= (size_t)(end - at) && cost_of(s, at + step) <= room)
            at += step;
    while (at > s + 1 && at < end && ((unsigned char)*at & 0xc0) == 0x80)
        at--;
    return at;
}

/* Takes pieces from the front of a block as long as they fit into the room together.
 * Returns the end of the last piece. `end_of` returns the end of one piece. */
static const char *whole_pieces(const struct block *block, unsigned room,
                                const char *(*end_of)(const char *, const char *))
{
    const char *at = block->next, *next;

    for (; at < block->end &&
           cost_of(block->next, next = end_of(at, block->end)) <= room;)
        at = next;
    return at;
}

static void print(FILE *out, const char *from, const char *end)
{
    if (out && end > from) {
        fwrite(from, 1, (size_t)(end - from), out);
        if (end[-1] != '\n')
            putc('\n', out);
    }
}

/* Returns the end of the part of a block to print: the whole items that fit into
 * `share`. If not even the first item fits, the part is empty.
 *
 * But if nothing else is on the page (`alone`), the part must not be empty. It is then
 * the first of these that fits into `room`: the first item, as many of its lines as
 * possible, or the front of its first line. */
static const char *part_end(const struct block *block, unsigned share, unsigned room,
                            bool alone)
{
    const char *at = whole_pieces(block, share, item_end);

    if (at > block->next || !alone)
        return at;
    at = item_end(block->next, block->end);
    if (cost_of(block->next, at) <= room)
        return at;
    at = whole_pieces(block, room, line_end);
    return at > block->next
               ? at
               : piece_end(block->next, line_end(block->next, block->end), room);
}

static unsigned less(unsigned room, unsigned used)
{
    return room > used ? room - used : 0;
}

/* Prints the part of a block that fits.
 * @return the number of printed tokens */
static unsigned put_block(FILE *out, struct blocks *blocks, struct block *block,
                          unsigned share, unsigned room, bool alone)
{
    const char *title = block->head && block->next > block->head ? block->head : NULL;
    const char *title_end = title ? line_end(title, block->end) : NULL;
    unsigned used = title ? cost_of(title, title_end) : 0, lines;
    const char *at = part_end(block, less(share, used), less(room, used), alone);

    if (at == block->next)
        return 0;
    if (out && !alone)
        putc('\n', out);
    print(out, title, title_end);
    print(out, block->next, at);
    used += cost_of(block->next, at) + 1;
    lines = lines_of(at, block->end);
    blocks->lines -= block->lines - lines;
    block->lines = lines;
    block->next = at;
    blocks->cost -= block->cost;
    block->cost = cost_of(at, block->end);
    blocks->cost += block->cost;
    if (out && lines)
        fprintf(out, "    (%u more line%s)\n", lines, lines > 1 ? "s" : "");
    return used + (lines ? 8 : 0);
}

/* Removes the contents of one page from the blocks, and prints them.
 * @param out NULL: prints nothing */
static void take_page(FILE *out, struct blocks *blocks, unsigned room)
{
    bool alone = true;
    unsigned used;

    for (size_t i = 0; i < blocks->n && room; i++) {
        struct block *block = &blocks->at[i];

        if (!block->lines)
            continue;
        used = put_block(out, blocks, block, share_of(blocks, i, room), room, alone);
        alone &= !used;
        room = less(room, used);
    }
}

static void put_left(FILE *out, const struct blocks *blocks, unsigned lines,
                     unsigned tokens, unsigned next, unsigned pages)
{
    unsigned more = pages - next + 1;

    fprintf(out,
            "\n"
            "left out: %u of %u lines (about %u tokens, %u more page%s); for the "
            "next page pass --budget %u,%u\n",
            blocks->lines, lines, blocks->cost, more, fsd_plural(more), tokens, next);
}

static enum fsd_status fail_page(unsigned pages, unsigned tokens, unsigned page,
                                 struct fsd_error *err)
{
    return fsd_fail(
        err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
        "expected a page of the text (it has %u page%s of %u tokens), found page %u",
        pages, fsd_plural(pages), tokens, page);
}

static enum fsd_status put_page(struct fsd_arena *arena, const char *text,
                                unsigned tokens, unsigned page, FILE *out,
                                struct fsd_error *err)
{
    struct blocks blocks = split(arena, text), counted = split(arena, text);
    unsigned room = tokens - FRAME, pages = 0, lines = blocks.lines;

    do
        take_page(NULL, &counted, room);
    while (++pages, counted.lines);
    if (page > pages)
        return fail_page(pages, tokens, page, err);
    for (unsigned i = 1; i < page; i++)
        take_page(NULL, &blocks, room);
    if (page > 1)
        fprintf(out, "page %u of %u\n", page, pages);
    take_page(out, &blocks, room);
    if (page < pages)
        put_left(out, &blocks, lines, tokens, page + 1, pages);
    return FSD_OK;
}

enum fsd_status fsd_text_page(const char *text, unsigned tokens, unsigned page,
                              FILE *out, struct fsd_error *err)
{
    struct fsd_arena *arena;
    enum fsd_status status = FSD_OK;

    if (tokens < FSD_LEAST_TOKENS || !page)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a page number of at least 1 and at least %d tokens "
                        "per page, found a smaller number",
                        FSD_LEAST_TOKENS);
    FSD_GUARD(err);
    if (cost_of(text, text + strlen(text)) <= tokens) {
        if (page > 1)
            return fail_page(1, tokens, page, err);
        fputs(text, out);
        return fsd_flush(out, err);
    }
    arena = fsd_arena_new();
    status = put_page(arena, text, tokens, page, out, err);
    fsd_arena_free(arena);
    return status == FSD_OK ? fsd_flush(out, err) : status;
}
