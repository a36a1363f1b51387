"""protocols.py: what parties tell each other who run a model together, each by its own rows: docs/protocols.md ("What is sent", two and more
parties). Needs numpy, nothing else.

    shared = protocols.Shared(inside.Model(path, "p8e5"), x, owner)      owner: of every row of the input
    shared.queries(0, 1), shared.maxima(0, 1, 2), shared.sums(0, 1, 2)   what party 1 says in the first block: of its rows; to party 2"""
import math
import numpy as np

class Shared:
    """A run. `value` is what the model says; `blocks` has the groups of heads of every block. A hidden row belongs to the owner of the row beside it.
    asked: the position that is read; in the last block its query is the only one. 0: all are read."""
    def __init__(self, model, x, owner, asked=0):
        if len(owner) != len(x):
            raise ValueError("every row has an owner")
        self.num, (self.value, self.blocks), self.parties = model.num, model.heads(x), max(owner) + 1
        self.owner = np.pad(owner, (model.before, model.after), mode="edge")
        self.last = np.arange(len(self.owner)) == model.before + asked - 1 if asked else np.full(len(self.owner), True)

    def splits(self):
        """Are all weightings such that sums over keys tell everything?"""
        return all(g.kind in ("softmax", "average-hard", "linear") for groups in self.blocks for g in groups)

    def asks(self, block, who):
        """A party's queries, as their heads see them."""
        rows = np.flatnonzero((self.owner == who) & (self.last | (block < len(self.blocks) - 1)))
        return [(t, g) for t in rows for g in self.blocks[block]]

    def queries(self, block, sender):
        return [v for t, g in self.asks(block, sender) for v in g.q[:, t].ravel()]

    def maxima(self, block, sender, hearer):
        """Two lists, of the sender's queries and of the hearer's: of every head the largest score of the sender's keys, and that of all, where its
        keys are seen. Of more than two parties it tells its own queries' maxima to whoever has keys that they see."""
        own, lists = self.owner == sender, []
        for who in (sender, hearer):
            of = self.owner == (sender if who == hearer or self.parties <= 2 else hearer)
            heads = [(t, g) for t, g in self.asks(block, who) if g.kind != "linear" and g.sees(t, of)]
            lists.append([two for t, g in heads for two in zip(g.top(t, own), g.top(t))])
        return lists

    def sums(self, block, sender, hearer):
        """Of the hearer's queries, exactly, what the sender's keys weigh, and the sums of their values, weighted, where some of them are seen."""
        own = self.owner == sender
        return [c for t, g in self.asks(block, hearer) if g.sees(t, own) for head in g.sums(t, own) for c in head]

    def sum_bits(self, block):
        """How many an exact sum takes: of products with weights to 1, or of linear attention's."""
        p, half, linear = self.num.p, 2 ** (self.num.e - 1), any(g.kind == "linear" for g in self.blocks[block])
        return 2 * p + math.ceil(math.log2(len(self.owner))) + 3 * half - 5 + half * linear

    def read(self, message, A):
        """The queries, maxima and sums that stand in a message: `bits` in hexadecimal, and how many of them each sort has; A for a sum."""
        number = self.num.p + self.num.e, self.num.decoded
        coded = ("query", *number), ("peak", *number), ("sum", A, lambda code: self.num.sum_decoded(code, A))
        bits, start, out = int.from_bytes(bytes.fromhex(message["bits"]), "little"), 0, []
        for sort, width, decoded in coded:
            places = range(start, start + message[sort] - width + 1, width)
            out.append([decoded(bits >> at & (1 << width) - 1) for at in places])
            start += message[sort]
        return out
