"""What the tests of the tools for agents share."""
import importlib.util
import os
import sys


def answers_module():
    """The tools, without the package around them, whose library need not be there."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python/fusiondiff/_answers.py")
    spec = importlib.util.spec_from_file_location("fusiondiff_answers", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def counter():
    """The tokens of a text, by o200k_base; None: there is no tokenizer."""
    try:
        from rs_bpe.bpe import openai
    except ImportError:
        return None
    return openai.o200k_base().count
