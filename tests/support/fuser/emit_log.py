"""The verbose build log: the builder's steps, then the engine's layers."""


def log(w, forms, layers):
    p = "[03/25/2023-07:13:22] [V] [TRT] "
    total = sum(f.fate != "folded" for f in w.fates)
    lines = [p + "Original: %d layers" % total]
    lines += [p + e for e in w.events]
    lines.append(p + "After reformat layers: %d layers" % len(layers))
    lines.append(p + "Engine Layer Information:")
    done = set()
    for x in layers:
        if x.known_as is None:
            lines.append(_layer(w, forms, x))
        elif x.region not in done:
            done.add(x.region)
            lines.append(_region(w, forms, [k for k in layers if k.region == x.region]))
    return "\n".join(lines) + "\n"


def _region(w, forms, kernels):
    """Returns the log line of a region. The log has one line for a region even if the dump lists
    its kernels."""
    made = {t for k in kernels for t in k.outs}
    used = {t for k in kernels for t in k.ins}
    inner = {t for t in made & used if all(u in kernels for u in w.users(t))}
    ins = {t: forms.at(k, t) for k in kernels for t in k.ins if t not in made}
    outs = {t: forms.of(t) for k in kernels for t in k.outs
            if t in w.bound or t not in inner}
    return "Layer(Myelin): %s, Tactic: 0x%016x, %s -> %s" % (
        kernels[0].known_as, 0, ", ".join(t + forms.log(f) for t, f in ins.items()),
        ", ".join(t + forms.log(f) for t, f in outs.items()))


def _layer(w, forms, x):
    ins = ", ".join(t + forms.log(forms.at(x, t)) for t in x.ins)
    outs = ", ".join(t + forms.log(forms.of(t)) for t in x.outs)
    return "Layer(%s): %s, Tactic: 0x%016x, %s -> %s" % (x.type, x.name, 0, ins, outs)
