/*
 * Rules on which execution provider runs a kernel, if the builds state it. A kernel is
 * compared with its counterpart. A new kernel of a split fusion is compared with the
 * old kernels of the same region.
 */
#include "base/base.h"
#include "judge/findings/finder.h"

static const char *old_provider(const struct fsd_finder *f, fsd_id kernel)
{
    return fsd_text(f->c->old->names, f->c->old->kernels.at[kernel].provider);
}

static const char *new_provider(const struct fsd_finder *f, fsd_id kernel)
{
    return fsd_text(f->c->new->names, f->c->new->kernels.at[kernel].provider);
}

static bool is_cpu(const char *provider)
{
    return !strcmp(provider, "CPUExecutionProvider");
}

/* The provider of all old kernels of a region. NULL if the kernels have several
 * providers, or if the provider of a kernel is the CPU or unknown. */
static const char *device_of(const struct fsd_finder *f, fsd_id region)
{
    const struct fsd_compare *c = f->c;
    struct fsd_span groups = c->regions.at[region].old_groups;
    const char *device = NULL;

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &c->old->groups.at[c->pool.at[groups.at + i]];

        for (uint32_t k = 0; k < g->kernels.n; k++) {
            const char *provider = old_provider(f, g->kernels.at + k);

            if (!*provider || is_cpu(provider) ||
                (device && strcmp(device, provider) != 0))
                return NULL;
            device = provider;
        }
    }
    return device;
}

/* The provider from which the kernel fell back to the CPU; NULL if it did not fall
 * back. If a changed kernel ran on another provider than the CPU, and its new provider
 * is unknown, this counts as a fallback, too. For a new kernel on the CPU, the result
 * is device_of() its region. */
static const char *fallen_from(const struct fsd_finder *f,
                               const struct fsd_kernel_change *k)
{
    const char *is = k->new == FSD_NONE ? NULL : new_provider(f, k->new);

    if (k->what == FSD_KERNEL_CHANGED)
        return k->provider && !is_cpu(old_provider(f, k->old)) &&
                       (!is || !*is || is_cpu(is))
                   ? old_provider(f, k->old)
                   : NULL;
    return !is || !is_cpu(is) || k->region == FSD_NONE ? NULL : device_of(f, k->region);
}

/* Reports that only the old build states providers. If a kernel of the old build ran on
 * a provider other than the CPU, the rule on fallbacks reports this, because the kernel
 * may have fallen back to the CPU. If not, the rule on changed providers reports it.
 * @param fallback whether the rule on fallbacks is the caller */
static void report_unstated_providers(struct fsd_finder *f, bool fallback)
{
    uint32_t n = 0, others = 0;

    if (!(f->c->unstated & FSD_STATES_PROVIDERS))
        return;
    for (uint32_t i = 0; i < f->c->old->kernels.n; i++) {
        const char *provider = old_provider(f, i);

        n += *provider != '\0';
        others += *provider && !is_cpu(provider);
    }
    if (fallback != (others > 0))
        return;
    fsd_finding_open(f);
    fprintf(f->out,
            "the providers of %u kernel%s are no longer known: pass the session's log "
            "or profile",
            n, fsd_plural(n));
    f->count = n;
    f->now.of_dump = true;
    fsd_finding_close(f);
}

void fsd_find_fallbacks(struct fsd_finder *f)
{
    report_unstated_providers(f, true);
    FSD_EACH (const struct fsd_kernel_change, k, f->c->kernels) {
        const char *from = fallen_from(f, k);

        if (!from)
            continue;
        fsd_finding_open(f);
        fputs("the ", f->out);
        fsd_put_kernel(f, k, true);
        fprintf(f->out, " runs on %s; before: %s",
                *new_provider(f, k->new) ? "the CPU" : "an unknown provider", from);
        fsd_finding_close(f);
    }
}

void fsd_find_providers(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;

    report_unstated_providers(f, false);
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        const char *is;

        if (!k->provider || fallen_from(f, k))
            continue;
        is = new_provider(f, k->new);
        fsd_finding_open(f);
        fputs("the ", f->out);
        fsd_put_kernel(f, k, true);
        if (*is)
            fprintf(f->out, " runs on %s; before: %s", is, old_provider(f, k->old));
        else
            fprintf(f->out, " runs on an unknown provider; before: %s",
                    old_provider(f, k->old));
        fsd_finding_close(f);
    }
}
