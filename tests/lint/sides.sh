#!/usr/bin/env bash
# Checks that the compiler refuses to mix origins and destinations: sides.sh COMPILER
# Each line below uses an origin (a node or an input) or a destination (a node or an output) of a
# state. Lines that mix them must not compile; all other lines must compile.
set -uo pipefail
compiler=$1
cd "$(dirname "$0")/../.." || exit 2
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only -x c -Isrc -Iinclude -)
bad=0

# compiles EXPRESSION: whether it compiles, with state s, origin o, destination d, lists os and
# ds, span n
compiles() {
    "$compiler" "${flags[@]}" 2>/dev/null <<END
#include "change/compare/align.h"
void use(const struct fsd_state *s, struct fsd_origin o, struct fsd_destination d, struct fsd_origins os,
         struct fsd_destinations ds, struct fsd_span n, const struct fsd_align *a);
void use(const struct fsd_state *s, struct fsd_origin o, struct fsd_destination d, struct fsd_origins os,
         struct fsd_destinations ds, struct fsd_span n, const struct fsd_align *a)
{
    (void)s, (void)o, (void)d, (void)os, (void)ds, (void)n, (void)a;
    (void)($1);
}
END
}

for right in 'fsd_origin_text(s, o)' 'fsd_destination_text(s, d)' 'fsd_origin_at(s->refs.at, os, 0)' \
    'fsd_ends_of_destinations(s, ds)' 'fsd_ends_of_nodes(s, n)' 's->nodes.at[fsd_origin_node(o)]' \
    'fsd_align_old_origin(a, o)'; do
    compiles "$right" || { echo "does not compile: $right"; bad=1; }
done
for wrong in 'fsd_origin_text(s, d)' 'fsd_destination_text(s, o)' 'fsd_origin_at(s->refs.at, ds, 0)' \
    'fsd_destination_at(s->refs.at, os, 0)' 'fsd_ends_of_destinations(s, os)' 'fsd_ends_of_origins(s, ds)' \
    'fsd_ends_of_nodes(s, ds)' 'fsd_ends_of_origins(s, n)' 's->nodes.at[o]' 's->outputs.at[d]' 'o == d' \
    'fsd_align_old_origin(a, d)' 'fsd_destination_output(o)'; do
    ! compiles "$wrong" || { echo "compiles, though it mixes the sides: $wrong"; bad=1; }
done
exit $bad
