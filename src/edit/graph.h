/*
 * Defines a graph. run.h leaves this out, because only some files look into a graph.
 * These files include this header.
 */
#pragma once

#include "edit/run.h"

#include "model/graph/graph.h"
