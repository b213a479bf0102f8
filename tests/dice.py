"""Chance from a seed, the same on every machine and Python, and the words in which cases are written."""

from reference_values import draw, mulhi


class Dice:
    """SplitMix64's outputs in order, each cut to a range."""

    def __init__(self, seed):
        self.seed, self.thrown = seed, 0

    def u64(self):
        self.thrown += 1
        return draw(self.seed, self.thrown)

    def below(self, n):
        return mulhi(self.u64(), n)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]

    def sample(self, items, n):
        items = list(items)
        return [items.pop(self.below(len(items))) for _ in range(n)]

    def bytes(self, n):
        return b"".join(self.u64().to_bytes(8, "little") for _ in range((n + 7) // 8))[:n]


def text_key(text):
    return {"text": text}


def bytes_key(data):
    return {"hex": data.hex()}


def int_key(n):
    return {"int": str(n)}


def seq_key(*items):
    return {"seq": list(items)}


def node(id, weight=None, location=None, tokens=None, **carried):
    out = {"id": id}
    if weight is not None:
        out["weight"] = str(weight)
    if location is not None:
        out["location"] = list(location)
    if tokens is not None:
        out["tokens"] = [str(token) for token in tokens]
    return out | carried


def nodes(*ids):
    return [node(id) for id in ids]


def cluster(nodes, **parameters):
    """Integers become text; texts, lists and hex stay."""
    return {name: str(value) if isinstance(value, int) else value for name, value in parameters.items()} | {"nodes": nodes}


def query(op, **fields):
    return {"op": op} | {name: str(value) if isinstance(value, int) and not isinstance(value, bool) else value for name, value in fields.items()}


def group(cluster, *queries, only=None):
    out = {"cluster": cluster}
    if only is not None:
        out["only"] = only
    if queries:
        out["queries"] = list(queries)
    return out


def functions(*queries):
    return {"queries": list(queries)}


def rewrite(value, *queries):
    """The query `rewrite` to this cluster; what reads it back needs the secret again."""
    return query("rewrite", **({"secret": value["secret"]} if "secret" in value else {}), queries=list(queries))
