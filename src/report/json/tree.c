#include "report/json/tree.h"

#include "base/print.h"
#include "base/text.h"
#include "ops/amount.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

/* cJSON makes nothing of what it finds no memory for, and goes on: a report would lack
 * it without a word. */
static struct cJSON *kept(struct cJSON *item)
{
    if (!item)
        fsd_out_of_memory();
    return item;
}

struct cJSON *fsd_json_new_list(void)
{
    return kept(cJSON_CreateArray());
}

struct cJSON *fsd_json_new(void)
{
    return kept(cJSON_CreateObject());
}

struct cJSON *fsd_json_object(struct cJSON *object, const char *key)
{
    return kept(cJSON_AddObjectToObject(object, key));
}

struct cJSON *fsd_json_list(struct cJSON *object, const char *key)
{
    return kept(cJSON_AddArrayToObject(object, key));
}

void fsd_json_text(struct cJSON *object, const char *key, const char *text)
{
    kept(cJSON_AddStringToObject(object, key, text));
}

void fsd_json_sym(struct cJSON *object, const char *key, const struct fsd_intern *names,
                  fsd_sym sym)
{
    fsd_json_text(object, key, fsd_text(names, sym));
}

void fsd_json_id(struct cJSON *object, const char *key, fsd_id id)
{
    if (id != FSD_NONE)
        fsd_json_number(object, key, id);
}

void fsd_json_hash(struct cJSON *object, const char *key, const uint64_t hash[2])
{
    char text[48];

    snprintf(text, sizeof text, "xxh128:%016" PRIx64 "%016" PRIx64, hash[1], hash[0]);
    fsd_json_text(object, key, text);
}

void fsd_json_phrase(const struct fsd_diff *d, struct cJSON *object, const char *key,
                     fsd_id id, fsd_put_fn *put)
{
    struct fsd_print phrase;

    put(d, id, fsd_print_open(&phrase));
    fsd_print_close(&phrase);
    if (phrase.size)
        fsd_json_text(object, key, phrase.text);
    free(phrase.text);
}

void fsd_json_number(struct cJSON *object, const char *key, double number)
{
    kept(cJSON_AddNumberToObject(object, key, number));
}

void fsd_json_bool(struct cJSON *object, const char *key, bool is)
{
    kept(cJSON_AddBoolToObject(object, key, is));
}

void fsd_json_count(struct cJSON *object, const char *key, uint64_t count)
{
    char text[24];

    if (count <= UINT64_C(1) << 53) {
        kept(cJSON_AddNumberToObject(object, key, (double)count));
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, count);
    kept(cJSON_AddStringToObject(object, key, text));
}

struct cJSON *fsd_json_item(struct cJSON *list)
{
    struct cJSON *item = kept(cJSON_CreateObject());

    cJSON_AddItemToArray(list, item);
    return item;
}

void fsd_json_add_number(struct cJSON *list, double number)
{
    cJSON_AddItemToArray(list, kept(cJSON_CreateNumber(number)));
}

void fsd_json_add_text(struct cJSON *list, const char *text)
{
    cJSON_AddItemToArray(list, kept(cJSON_CreateString(text)));
}

void fsd_json_ms(struct cJSON *object, const char *key, double ms)
{
    if (ms >= 0)
        kept(cJSON_AddNumberToObject(object, key, ms));
}

void fsd_json_number_or_term(struct cJSON *object, const char *key, int64_t number,
                             const char *term)
{
    char symbolic[32];

    if (number >= 0)
        fsd_json_count(object, key, (uint64_t)number);
    if (!term)
        return;
    snprintf(symbolic, sizeof symbolic, "%s_symbolic", key);
    fsd_json_text(object, symbolic, term);
}

void fsd_json_amount(const struct fsd_diff *d, struct cJSON *object, const char *key,
                     int64_t amount)
{
    fsd_json_number_or_term(object, key, amount,
                            fsd_amount_text(d->cost->amounts, amount));
}

void fsd_json_print(struct cJSON *root, FILE *out)
{
    char *text = cJSON_Print(root);

    if (!text)
        fsd_out_of_memory();
    fsd_put_json(out, text);
    putc('\n', out);
    cJSON_free(text);
    cJSON_Delete(root);
}
