"""Takes segment files apart by docs/format.md alone (offsets come from its tables) and prints, per event record,
"TID CALL KIND ID PARENT", so that a test can hold it against what the C++ reader says."""

import re
import subprocess
import sys

MASK = (1 << 64) - 1


def table(document, title):
    section = document.split(title, 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\w+) \|", section, re.M)
    return {name: (int(offset), int(size)) for offset, size, name in rows}


def field(layout, data, name):
    offset, size = layout[name]
    return int.from_bytes(data[offset:offset + size], "little")


def shapes(header):
    """Word types by tag, from the table in record_shape.h."""
    kinds = re.findall(r"^\s+([A-Z]\w+)(?: = 0)?,$", open(header + "/event.h").read().split("enum class Kind", 1)[1].split("};", 1)[0], re.M)
    text = open(header + "/record_shape.h").read()
    by_tag = {}
    for kind, types in re.findall(r"start\(Kind::(\w+), shape\(\{([^}]*)\}", text):
        by_tag[kinds.index(kind)] = [t.strip() for t in types.split(",")]
    argument = {9, 11, 18, 21, 22, 31}
    for kind in range(16):
        by_tag[16 + kind] = ["I"]
    for state in range(32):
        by_tag[32 + state] = ["I", "P"] if state in argument else ["I"]
    for tag, name in ((64, "kCommInitTag"), (65, "kCommFinalizeTag"), (66, "kCommInfoTag")):
        types = re.search(r"t\[%s\] = shape\(\{([^}]*)\}" % name, text).group(1)
        by_tag[tag] = [t.strip() for t in types.split(",")]
    return kinds, by_tag


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & MASK

    def zigzag(self):
        coded = self.varint()
        return (coded >> 1) ^ (-(coded & 1) & MASK)

    def take(self, size):
        self.at += size
        assert self.at <= len(self.data), "the chunk ends early"
        return self.data[self.at - size:self.at]


def dense(data, count):
    source, value, values = Bytes(data), 0, []
    for _ in range(count):
        value = (value + source.zigzag()) & MASK
        values.append(value)
    assert source.at == len(data)
    return values


def sparse(data, count):
    source, value, values, change = Bytes(data), 0, [], None
    if data:
        change = source.varint()
    for record in range(count):
        if record == change:
            value = (value + source.zigzag()) & MASK
            change = record + source.varint() if source.at < len(data) else None
        values.append(value)
    assert source.at == len(data)
    return values


def words_of_tag(source, types, count):
    columns = lambda form: form(source.take(source.varint()), count)
    words = []
    for kind in types:
        if kind == "I":
            high, low = columns(dense), columns(sparse)
            words.append([h << 22 & MASK | l for h, l in zip(high, low)])
        elif kind == "P":
            words.append(columns(dense))
        elif kind == "S":
            words.append(columns(sparse))
        else:
            low, high = columns(sparse), columns(dense)
            words.append([l | h << 32 & MASK for l, h in zip(low, high)])
    return [list(record) for record in zip(*words)]


def records(content, by_tag):
    source = Bytes(content)
    for _ in range(source.varint() * 4):
        source.zigzag()
    source.varint()  # complete ticks
    for _ in range(source.varint()):
        source.varint()
        source.take(source.varint())
    pieces = []
    for _ in range(source.varint()):
        tid = source.varint()
        source.take(16)
        numbers = [source.varint() for _ in range(9)]
        for _ in range(numbers[8]):
            source.varint(), source.varint()
        pieces.append((tid, numbers[6], numbers[7]))
    kept = sum([(source.varint(), source.varint())[1] for _ in range(source.varint())])
    count = source.varint()
    tags, high, low = source.take(count), source.take(count), source.take(count)
    escapes = Bytes(source.take(source.varint()))
    by_words = {tag: iter(words_of_tag(source, by_tag[tag], tags.count(tag))) for tag in sorted(set(tags))}
    assert source.at == len(content), "bytes left over"
    assert kept == sum(1 for tag in tags if tag < 64), "the kept counts are not those of the records"
    at = 0
    for tid, size, ticks in pieces:
        for _ in range(size):
            above = high[at] if high[at] < 255 else 255 + escapes.varint()
            ticks = (ticks + (above << 8 | low[at])) & ((1 << 56) - 1)
            yield ticks, tags[at], tid, next(by_words[tags[at]])
            at += 1
    assert at == count


def main(document, headers, files):
    document = open(document).read()
    segment, chunk = table(document, "## Segment header"), table(document, "## Chunk header")
    kinds, by_tag = shapes(headers)
    for path in files:
        data = open(path, "rb").read()
        assert data[:8] == b"LKSTEP1\n" and field(segment, data, "version") == 1
        at, sequence = 64, 0
        while at < len(data):
            header = data[at:at + 48]
            assert header[:4] == b"LKCK" and field(chunk, header, "sequence") == sequence
            sequence += 1
            at += 48 + field(chunk, header, "stored_bytes")
            if field(chunk, header, "type") != 2:
                continue
            content = subprocess.run(["zstd", "-dcq"], input=data[at - field(chunk, header, "stored_bytes"):at],
                                     stdout=subprocess.PIPE, check=True).stdout
            assert len(content) == field(chunk, header, "raw_bytes")
            for _, tag, tid, words in records(content, by_tag):
                if tag < 64:
                    print(tid, "start" if tag < 16 else "stop" if tag < 32 else "state", kinds[words[0] & 15], words[0],
                          words[1] if tag < 16 else "")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
