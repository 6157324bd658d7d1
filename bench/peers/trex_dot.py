"""DOT of an engine's dump by trt-engine-explorer:  trex_dot.py ENGINE OUT

What it shows in notebooks is replaced by nothing, which is to its advantage: only the modules
that read a plan and draw it are imported.
"""
import importlib.machinery
import sys
import types
import warnings
from unittest.mock import MagicMock

warnings.simplefilter("ignore")
for name in ("dtale", "qgrid"):
    sys.modules[name] = MagicMock()
place = importlib.machinery.PathFinder.find_spec("trex")
package = types.ModuleType("trex")
package.__path__ = list(place.submodule_search_locations)
sys.modules["trex"] = package
from trex import engine_plan, graphing

plan = engine_plan.EnginePlan(sys.argv[1])
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write(graphing.to_dot(plan, graphing.layer_type_formatter).source)
