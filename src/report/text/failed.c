/* Prints a failed build as text: the conclusion, the nodes at which the build failed,
 * lint's findings on these nodes, then possible remedies with commands. */
#include "judge/failed/failed.h"
#include "report/record/records.h"
#include "report/subject/subject.h"
#include "report/text/text.h"

static const char place_text[] =
    "{!}{conclusion}{/}\n\n<{*}model    {/}{model}\n><         {no_model}\n>"
    "{*}log      {/}{log}, line {line}\n<{*}error    {/}{message}\n>"
    "<{*}because  {/}{because}\n><{*}layer    {/}{named}\n>"
    "<{*}{node_word:-9}{/}{shown!}\n<         and {more!} more; --all lists each\n>>"
    "<{*}others   {/}{shown_others!}\n"
    "<         and {more_others!} more; --all lists each\n>>"
    "<{*}tensors  {/}{tensors!}\n><{*}values   {/}{values!}\n>";

static const char tries_text[] = "<\n{*}try      {/}in this order:\n{tries!}>";

static void put_target_findings(const struct fsd_report *r, FILE *out)
{
    const struct fsd_failed *f = r->failed;

    if (!f->found.n)
        return;
    putc('\n', out);
    fsd_ink_title(r->style, "lint", out);
    fsd_printf_safe(out, "for %s, at these nodes:\n", f->target);
    for (uint32_t i = 0; i < f->found.n; i++)
        fsd_text_finding(f->findings, &f->findings->list.at[f->found.at[i]], r->style,
                         out);
}

void fsd_failed_write_text(const struct fsd_report *r, FILE *out)
{
    struct fsd_sheet sheet = {.arena = fsd_arena_new(), .style = r->style};
    const void *root;

    fsd_document_of_failed(&sheet, r->failed);
    root = sheet.root->at.at[0];
    fsd_record_put_text(sheet.root->of, root, place_text, r->style, out);
    put_target_findings(r, out);
    fsd_record_put_text(sheet.root->of, root, tries_text, r->style, out);
    fsd_arena_free(sheet.arena);
}
