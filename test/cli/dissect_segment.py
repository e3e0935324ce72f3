"""Takes segment files apart by docs/format.md alone (offsets, columns and fields come from its tables) and prints each
record as a line of JSON with every field by its name; with `cat` as first argument, reads what `lockstep cat` prints and
writes it in the same form, so that a test can hold one against the other."""

import json
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


def rows(document, columns):
    """The cells of the table whose head has these columns, in the list of fields."""
    section = document.split("<!-- fields -->", 1)[1].split("<!-- end of fields -->", 1)[0]
    head = "| " + " | ".join(columns) + " |\n"
    table = section.split(head, 1)[1].split("\n\n", 1)[0].split("\n")[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table if line]


class Layout:
    """What the list of fields says: names of kinds and states; per tag the words' types and the fields."""

    def __init__(self, document):
        kinds = re.search(r"Kinds, from 0: ([^.]*)\.", document.split("<!-- fields -->", 1)[1]).group(1)
        self.kinds = kinds.split(", ")
        states = rows(document, ["tag", "state", "argument"])
        self.states = {int(tag): name for tag, name, _ in states}
        with_argument = {int(tag) for tag, _, argument in states if argument == "yes"}
        self.types, self.fields, self.records = {}, {}, {}
        for tags, record, word, kind, bits, name, holds, _ in rows(
                document, ["tag", "record", "word", "type", "bits", "field", "holds", "note"]):
            first, last = (tags.split("-") * 2)[:2]
            low, high = (bits.split("-") * 2)[:2]
            for tag in range(int(first), int(last) + 1):
                if record == "state with an argument" and tag not in with_argument:
                    continue
                self.types.setdefault(tag, {})[int(word)] = kind
                self.records[tag] = record
                self.fields.setdefault(tag, []).append((name, int(word), int(low), int(high), holds))
        for tag, types in self.types.items():
            assert sorted(types) == list(range(1, len(types) + 1)), "tag %d lacks a word" % tag


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
        if kind == "Id":
            high, low = columns(dense), columns(sparse)
            words.append([h << 22 & MASK | l for h, l in zip(high, low)])
        elif kind == "Plain":
            words.append(columns(dense))
        elif kind == "Strings":
            words.append(columns(sparse))
        else:
            low, high = columns(sparse), columns(dense)
            words.append([l | h << 32 & MASK for l, h in zip(low, high)])
    return [list(record) for record in zip(*words)]


def records(content, layout):
    source = Bytes(content)
    for _ in range(source.varint() * 4):
        source.zigzag()
    source.varint()  # complete ticks
    texts = {0: None}
    for _ in range(source.varint()):
        number = source.varint()
        texts[number] = source.take(source.varint()).decode()
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
    by_words = {}
    for tag in sorted(set(tags)):
        types = [layout.types[tag][word] for word in sorted(layout.types[tag])]
        by_words[tag] = iter(words_of_tag(source, types, tags.count(tag)))
    assert source.at == len(content), "bytes left over"
    assert kept == sum(1 for tag in tags if tag < 64 or tag > 66), "the kept counts are not those of the records"
    at = 0
    for tid, size, ticks in pieces:
        for _ in range(size):
            above = high[at] if high[at] < 255 else 255 + escapes.varint()
            ticks = (ticks + (above << 8 | low[at])) & ((1 << 56) - 1)
            yield tags[at], tid, next(by_words[tags[at]]), texts
            at += 1
    assert at == count


def value_of(words, texts, word, low, high, holds):
    value = words[word - 1] >> low & (1 << high - low + 1) - 1
    if holds == "text":
        return texts[value]
    if holds == "flag":
        return value == 1
    if holds == "address":
        return hex(value)
    if holds == "signed number":
        return value - (value >> 31 << 32)
    if holds == "number or none" and value == MASK:
        return None
    assert holds in ("number", "bytes", "event id", "GPU time, ns", "number or none"), holds
    return value


def show(line, where):
    print(json.dumps({"tid": where, "fields": line}, sort_keys=True))


def dissect(document, files):
    document = open(document).read()
    segment, chunk = table(document, "## Segment header"), table(document, "## Chunk header")
    layout = Layout(document)
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
            for tag, tid, words, texts in records(content, layout):
                line = {name: value_of(words, texts, *where) for name, *where in layout.fields[tag]}
                if tag < 64:
                    line["call"] = "start" if tag < 16 else "stop" if tag < 32 else "state"
                    line["kind"] = layout.kinds[line["id"] & 15]
                    line["comm"] = line["id"] >> 4 & (1 << 17) - 1
                else:
                    line["call"] = layout.records[tag]
                if tag > 66:  # a mark is of no communicator
                    line["comm"] = 0
                if 32 <= tag < 64:
                    line["state"] = layout.states[tag]
                show(line, tid)


def printed():
    """Of a line of `lockstep cat`: the fields behind "call"; before it stand time and place."""
    for text in sys.stdin:
        pairs = json.loads(text, object_pairs_hook=lambda found: found)
        names = [name for name, _ in pairs]
        place, line = dict(pairs[:names.index("call")]), dict(pairs[names.index("call"):])
        line["comm"] = place["comm"]
        if line["call"] == "comm_init":
            line["rank"] = place["rank"]
        show(line, place["tid"])


if __name__ == "__main__":
    if sys.argv[1] == "cat":
        printed()
    else:
        dissect(sys.argv[1], sys.argv[2:])
