/*
 * Splits one line of an engine's list into layer, tactic and tensors.  Names come from
 * the model and may contain commas, arrows and brackets, so the line has no grammar.
 * The program looks for texts that a name is unlikely to contain.  The name of the
 * layer ends at the last ", Tactic: " with a number.  The name of a tensor ends before
 * a type with dimensions.  A separator or the end of the line must follow the
 * dimensions.  A line that does not fit is FSD_LOG_BROKEN, and a remark states this.
 */
#include "read/log/log.h"

/* --------------------------------------------------------------------- the line */

/* Removes a tactic from the front: "0x00000000000003e8", "6488063" or "-3".  TensorRT
 * prints it as a hexadecimal number since 8.4.1, and as a signed decimal number
 * before. */
static bool take_tactic(struct fsd_slice *t)
{
    size_t i, first;
    bool hex = fsd_slice_begins(*t, "0x");

    first = i = hex ? 2 : fsd_slice_begins(*t, "-");
    while (i < t->n &&
           (fsd_is_digit(t->s[i]) || (hex && t->s[i] >= 'a' && t->s[i] <= 'f')))
        i++;
    *t = fsd_slice_from(*t, i);
    return i > first;
}

/* Whether the word is in upper case: "MATRIX_MULTIPLY", "PLUGIN_V2". */
static bool is_upper(struct fsd_slice word)
{
    for (size_t i = 0; i < word.n; i++)
        if (word.s[i] >= 'a' && word.s[i] <= 'z')
            return false;
    return word.n > 0;
}

bool fsd_log_layer_split(struct fsd_slice line, struct fsd_log_layer *out)
{
    struct fsd_slice before, behind;

    if (!fsd_slice_take(&line, "Layer("))
        return false;
    out->type = fsd_slice_take_word(&line);
    if (!fsd_slice_take(&line, "): "))
        return false;
    before = line;
    while (fsd_slice_split_last(&before, ", Tactic: ", &behind)) {
        const char *number = line.s + before.n + strlen(", Tactic: ");

        behind = (struct fsd_slice){number, (size_t)(line.s + line.n - number)};
        if (take_tactic(&behind) && (!behind.n || fsd_slice_begins(behind, ","))) {
            out->name = before;
            out->tactic = (struct fsd_slice){number, (size_t)(behind.s - number)};
            if (fsd_slice_take(&behind, ","))
                fsd_slice_take(&behind, " ");
            out->tensors = behind;
            return true;
        }
    }
    return false;
}

bool fsd_log_text_layer(struct fsd_slice line, struct fsd_log_layer *out)
{
    *out = (struct fsd_log_layer){.name = line};
    if (!fsd_slice_take(&out->name, "Name: ") ||
        !fsd_slice_split_at(&out->name, ", LayerType: ", &out->type))
        return false;
    fsd_slice_split_at(&out->type, ", ", &out->tensors);
    return true;
}

bool fsd_log_kind_layer(struct fsd_slice line, struct fsd_log_layer *out, bool *dla)
{
    struct fsd_slice name;

    *dla = fsd_slice_take(&line, "[DlaLayer] ");
    if (!*dla && !fsd_slice_take(&line, "[GpuLayer] "))
        return false;
    *out = (struct fsd_log_layer){.name = fsd_slice_trim(line)};
    fsd_slice_drop(&out->name, ","); /* the lists of TensorRT 8.0 have a comma here */
    name = out->name;
    out->type = fsd_slice_take_word(&name);
    if (fsd_slice_take(&name, ": ") && is_upper(out->type))
        out->name = name;
    else
        out->type.n = 0;
    return out->name.n > 0;
}

bool fsd_log_is_dla_title(struct fsd_slice text)
{
    if (!fsd_slice_take(&text, "----------"))
        return false;
    fsd_slice_take(&text, "-----");
    return fsd_slice_begins(text, " Layers Running on DLA") ||
           fsd_slice_begins(text, " Layers running on DLA");
}

/* -------------------------------------------------------------------- tensors */

/* Removes a size from the front.  Up to TensorRT 8.4, each dynamic dimension has a
 * different negative number. */
static bool take_size(struct fsd_slice *t, int64_t *out)
{
    struct fsd_slice rest = *t;
    bool open = fsd_slice_take(&rest, "-");
    uint64_t value;

    if (!fsd_slice_take_number(&rest, INT64_MAX / 10, &value))
        return false;
    *out = open || value >= INT64_MAX / 10 ? -1 : (int64_t)value;
    *t = rest;
    return true;
}

/* Reads a dimension: "8", "-1", "32:8", "batch". */
static void read_dim(struct fsd_slice text, struct fsd_log_dim *out)
{
    struct fsd_slice rest = text;

    *out = (struct fsd_log_dim){.vector = 0};
    if (take_size(&rest, &out->size) &&
        (!rest.n ||
         (fsd_slice_take(&rest, ":") && take_size(&rest, &out->vector) && !rest.n)))
        return;
    *out = (struct fsd_log_dim){.size = -1, .word = text};
}

/* Reads dimensions up to the closing bracket.  Returns the position of that bracket; 0
 * if there is none. */
static size_t read_dims(struct fsd_slice t, size_t at, struct fsd_log_tensor *out)
{
    size_t from = at;

    out->rank = 0;
    for (; at < t.n; at++) {
        bool end = t.s[at] && strchr("()[]{}", t.s[at]);

        if (!end && t.s[at] != ',')
            continue;
        if (end && at == from && !out->rank)
            return at; /* a scalar */
        if (at == from || out->rank == FSD_LOG_RANK_MAX)
            return 0;
        read_dim((struct fsd_slice){t.s + from, at - from}, &out->dims[out->rank++]);
        if (end)
            return at;
        from = at + 1;
    }
    return 0;
}

/* Reads a form at `at`, "[Float(-2,1,28,28)]" or " (Float[-1,1,28,28])", and returns
 * its length; 0 if there is no form. */
static size_t read_form(struct fsd_slice t, size_t at, struct fsd_log_tensor *out)
{
    struct fsd_slice rest = fsd_slice_from(t, at);
    size_t i;

    out->old = fsd_slice_take(&rest, "[");
    if (!out->old && !fsd_slice_take(&rest, " ("))
        return 0;
    out->type = fsd_slice_take_word(&rest);
    if (!out->type.n || !fsd_slice_take(&rest, out->old ? "(" : "["))
        return 0;
    i = read_dims(t, t.n - rest.n, out);
    rest = fsd_slice_from(t, i);
    if (!i || !fsd_slice_take(&rest, out->old ? ")]" : "])"))
        return 0;
    /* A line without outputs ends with " -> ", or with " ->" if a tool removed the last
     * blank. */
    return !rest.n || fsd_slice_begins(rest, ", ") || fsd_slice_begins(rest, " -> ") ||
                   fsd_slice_is(rest, " ->")
               ? i + 2 - at
               : 0;
}

enum fsd_log_step fsd_log_tensor_next(struct fsd_slice *rest,
                                      struct fsd_log_tensor *out)
{
    struct fsd_slice t;

    /* The arrow follows a tensor or, if there are no inputs, a comma. */
    if (!out->output)
        out->output = fsd_slice_take(rest, " -> ") || fsd_slice_take(rest, "-> ") ||
                      (fsd_slice_is(*rest, " ->") && fsd_slice_take(rest, " ->"));
    if (!rest->n)
        return FSD_LOG_END;
    t = *rest;
    for (size_t i = 0; i < t.n; i++) {
        size_t n = t.s[i] == '[' || t.s[i] == ' ' ? read_form(t, i, out) : 0;

        if (!n)
            continue;
        out->name = (struct fsd_slice){t.s, i};
        *rest = fsd_slice_from(t, i + n);
        fsd_slice_take(rest, ", ");
        return FSD_LOG_TENSOR;
    }
    return FSD_LOG_BROKEN;
}
