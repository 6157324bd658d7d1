/* Graphs of cgraph's that live in an arena.  Only dot.c and dot_layout.c include this.
 */
#ifndef FSD_REPORT_DOT_HOME_H
#define FSD_REPORT_DOT_HOME_H

struct Agraph_s;
struct fsd_arena;

/** An empty directed graph; NULL when cgraph cannot. */
struct Agraph_s *fsd_dot_open(struct fsd_arena *arena, char *name);

/** Gives back what of it is not the arena's. */
void fsd_dot_close(struct Agraph_s *g);

#endif
