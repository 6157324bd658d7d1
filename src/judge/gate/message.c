/* The gate's own documentation: how the user can accept a rule's findings, and the
 * default policy as a file. */
#include "base/base.h"
#include "judge/gate/gate.h"

const char *fsd_rule_budgets(struct fsd_arena *arena, const struct fsd_rule *r)
{
    const struct {
        unsigned bit;
        const char *name;
        double most, factor;
        const char *unit;
    } keys[] = {{FSD_BUDGET_COUNT, "count", r->budget.count, 1, ""},
                {FSD_BUDGET_MS, "ms", r->budget.ms, 1, ""},
                {FSD_BUDGET_SHARE, "share", r->budget.share, 100, "%"}};
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    const char *text;
    unsigned n = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(keys); i++) {
        if (!(r->settable & keys[i].bit))
            continue;
        fprintf(out, "%s%s", n++ ? ", " : "", keys[i].name);
        if (keys[i].most >= 0)
            fprintf(out, " %g%s", keys[i].factor * keys[i].most, keys[i].unit);
    }
    text = fsd_print_take(&print, arena);
    return n ? text : NULL;
}

const char *fsd_rule_accept(struct fsd_arena *arena, const struct fsd_rule *r)
{
    bool judged = r->needs & (FSD_NEEDS_CHANGE | FSD_NEEDS_CASE | FSD_NEEDS_LINT);
    unsigned budgets = FSD_BUDGET_COUNT | FSD_BUDGET_MS | FSD_BUDGET_SHARE;

    if (!judged)
        return "not needed: this rule affects the exit status only with --fail-on";
    if (!strcmp(r->id, "policy"))
        return "set [policy] level = off in the policy";
    return fsd_printed(
        arena,
        "%schange the level%s in section [%s] of the policy, or add a section [ignore "
        "LABEL] with rule = %s and with the keys node, reason, owner and expires",
        r->needs & FSD_NEEDS_CHANGE ? "run check --update, or " : "",
        r->settable & budgets ? " or budget" : "", r->id, r->id);
}

/* ------------------------------------------------------------- the default policy */

enum { WIDTH = 88 };

static void put_comment(const char *text, FILE *out)
{
    int at = fprintf(out, "\n;");

    for (size_t n; *text; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        if (at + 1 + (int)n > WIDTH)
            at = fprintf(out, "\n;") - 1;
        at += fprintf(out, " %.*s", (int)n, text);
    }
    putc('\n', out);
}

/* Prints the default policy. Some rules do more if the policy has a section for them;
 * these sections are printed as comments. */
enum fsd_status fsd_policy_print(FILE *out, struct fsd_error *err)
{
    struct fsd_policy *p;

    FSD_GUARD(err);
    p = fsd_policy_new();
    fputs("; The default policy. The levels are error, warning, info and off. A "
          "finding of level error fails the check.\n",
          out);
    for (unsigned i = 0; fsd_rule_at(i); i++) {
        const struct fsd_rule *r = fsd_rule_at(i);
        bool asks = r->level == FSD_OFF || (r->settable & FSD_SETS_NOISE);
        const char *mark = asks ? ";" : "";

        if (!(r->needs & (FSD_NEEDS_CHANGE | FSD_NEEDS_CASE)))
            continue;
        put_comment(r->doc, out);
        fprintf(out, "%s[%s%s]\n%slevel = %s\n", mark, r->id,
                r->settable & FSD_SETS_BLOCKS ? " attention" : "", mark,
                fsd_level_name(r->level == FSD_OFF ? FSD_ERROR : r->level));
        if ((r->settable & FSD_BUDGET_COUNT) && r->budget.count >= 0)
            fprintf(out, "%scount = %.0f\n", mark, r->budget.count);
        if ((r->settable & FSD_BUDGET_MS) && r->budget.ms >= 0)
            fprintf(out, "%sms = %g\n", mark, r->budget.ms);
        if ((r->settable & FSD_BUDGET_SHARE) && r->budget.share >= 0)
            fprintf(out, "%sshare = %g%%\n", mark, 100 * r->budget.share);
        if (r->settable & FSD_SETS_NOISE)
            fprintf(out, "%snoise = %g%%\n%snoise-cap = %g%%\n", mark, 100 * p->noise,
                    mark, 100 * p->noise_cap);
        if (r->settable & FSD_SETS_WORDS)
            fprintf(out, "%soperators = Conv ConvTranspose Gemm MatMul\n%sexcept =\n",
                    mark, mark);
        if (r->settable & FSD_SETS_BLOCKS)
            fputs(";fused = whole\n;type = fp16\n;scope = *\n;min = 1\n", out);
        if (r->settable & FSD_SETS_BYTES)
            fputs(";activations = 512 MiB\n;weights = 512 MiB\n", out);
        if (r->settable & FSD_SETS_TYPES)
            fputs(";type = fp16\n;share = 100%\n;by = macs\n;scope = *\n", out);
    }
    fsd_policy_free(p);
    return fsd_flush(out, err);
}
