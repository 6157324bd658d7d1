/*
 * What run.h leaves out: the definition of a graph, which only the files that look into
 * one include.
 */
#pragma once

#include "edit/run.h"

#include "model/graph/graph.h"
