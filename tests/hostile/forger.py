"""Forged files: a valid file of a format, changed, with checksums that fit the changes.

A forger is a function of a random generator that returns the bytes of a file. Writers of the
checksummed formats are written again here, because those of the package refuse what is wrong.
"""

import copy
import hashlib
import json
import math
import sqlite3
import struct
import zlib
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache

import numpy as np

from halma.arena.games import PlayedGame

#: Texts in JSON that stand for what cannot be written with json.dumps.
_DEEP, _DIGITS = "@deep@", "@digits@"
_INTEGERS = [0, 1, -1, 2, 7, 255, 256, 2**31, 2**32, 2**53, 2**60, 2**63, 2**64, -(2**63)]
_FLOATS = [0.5, -0.0, 1.5, -1e-300, 1e15, 1e308, -1e308, math.nan, math.inf, -math.inf]
_TEXTS = ["", "x", "0", "-1", "nan", "\0", "\ud800", "é" * 40, "a" * 5000, "../x", "%s"]
_TREES = [[], {}, [[]], [None], {"": 0}, {"a": {"b": []}}, [0] * 50, [1, "x"], [1.0, math.nan]]
NASTY = [None, True, False, *_INTEGERS, 10**30, 10**400, *_FLOATS, *_TEXTS, _DEEP, _DIGITS, *_TREES]


def mutate_json(rng, tree):
    """Return a JSON value with one to three changes at random places."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        tree = _mutate_once(rng, tree)
    return tree


def _mutate_once(rng, tree):
    holder, key = None, None
    value = tree
    # The further down, the fewer places there are; a random walk reaches them all.
    while isinstance(value, dict | list) and value and rng.random() < 0.8:
        holder = value
        key = rng.choice([*value]) if isinstance(value, dict) else rng.randrange(len(value))
        value = value[key]
    new = copy.deepcopy(rng.choice(NASTY))
    kind = rng.randrange(10)
    if holder is None:
        return new if kind == 0 else tree
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[rng.choice(["x", "", "é", f"{key} "])] = holder.pop(key)
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif kind == 3 and isinstance(value, int | float) and abs(value) < 1e300:
        holder[key] = rng.choice(
            [value + 1, value - 1, -value, float(value), str(value), value * 2]
        )
    elif kind == 4:
        holder[key] = rng.choice([[value], {"x": value}])
    else:
        holder[key] = new
    return tree


def dump(tree):
    """Return JSON, also of what JSON does not know."""
    text = json.dumps(tree)
    text = text.replace(f'"{_DEEP}"', "[" * 3000 + "]" * 3000)
    return text.replace(f'"{_DIGITS}"', "9" * 5000).encode()


def damage(rng, data):
    """Return bytes with flips, a cut, or something put in: their checksum is wrong then."""
    kind, where = rng.randrange(4), rng.randrange(max(1, len(data)))
    if kind == 0:
        return data[:where]
    if kind == 1:
        junk = rng.choice([b"\0" * 9, b"\xff", b"[", b'"', b"\n", rng.randbytes(5), data[:100]])
        return data[:where] + junk + data[where:]
    changed = bytearray(data)
    for _ in range(kind * kind):
        place = rng.randrange(max(1, len(data)))
        changed[place : place + 1] = bytes([rng.randrange(256)])
    return bytes(changed)


# Arrays.

_TYPES = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")


def mutate_arrays(rng, arrays):
    """Return named arrays with a wrong type, shape, name or value."""
    arrays = dict(arrays)
    name = rng.choice([*arrays])
    array = arrays[name]
    kind = rng.randrange(12)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[rng.choice(["x", "", "0", f"{name}x", "é", "a" * 300])] = arrays.pop(name)
    elif kind == 2:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice(_TYPES))
    elif kind == 3:
        arrays[name] = array[: rng.randrange(len(array) + 1)] if array.ndim else array.reshape(1)
    elif kind == 4:
        arrays[name] = np.concatenate([array, array[:1]]) if array.ndim else array.reshape(1, 1)
    elif kind == 5:
        arrays[name] = array.reshape(rng.choice([(-1,), (1, *array.shape), (*array.shape, 1)]))
    elif kind == 6:
        arrays[name] = np.zeros(rng.choice([(0,), (0, 3), (2**40, 0), ()]), array.dtype)
    elif kind == 7 and len(arrays) > 1:
        other = rng.choice([*arrays])
        arrays[name], arrays[other] = arrays[other], arrays[name]
    elif array.size:
        arrays[name] = _other_values(rng, array)
    return {key: np.ascontiguousarray(value).reshape(value.shape) for key, value in arrays.items()}


def _other_values(rng, array):
    changed = array.copy()
    flat = changed.reshape(-1)
    if changed.dtype.kind == "f":
        values = [math.nan, math.inf, -math.inf, -1.0, 1e30, -1e30, 2.0, 1e-40, 0.0]
    elif changed.dtype.kind == "b":
        values = [True, False]
    else:
        limits = np.iinfo(changed.dtype)
        values = [limits.min, limits.max, limits.max // 2, 0, 1, 3, 100]
    if rng.random() < 0.1:
        flat[:] = rng.choice(values)
    elif rng.random() < 0.2:
        np.random.default_rng(rng.randrange(2**32)).shuffle(flat)
    elif rng.random() < 0.2:  # any bytes
        size = changed.nbytes
        changed = np.frombuffer(rng.randbytes(size), changed.dtype).reshape(changed.shape).copy()
    else:
        for _ in range(rng.choice((1, 1, 2, 20))):
            place = rng.randrange(flat.size)
            near = (
                flat[place]
                if changed.dtype.kind in "fb"
                else flat[place] ^ np.ones(1, changed.dtype)[0]
            )
            flat[place] = rng.choice([*values, near])
    return changed


# Tensor files.


def tensor_parts(data):
    """Return the description and the arrays of a tensor file."""
    from safetensors.numpy import load

    (length,) = struct.unpack("<Q", data[:8])
    description = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["halma"])
    description.pop("checksum")
    return description, dict(sorted(load(data).items()))


def tensor_bytes(description, arrays, change=lambda header: header):
    """Return a tensor file; `change` may change its header, which the checksum then fits."""
    names = {"b": "BOOL"}
    header, offset = {}, 0
    in_order = sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))
    for name, array in in_order:
        kind = names.get(array.dtype.kind) or f"{array.dtype.kind.upper()}{8 * array.itemsize}"
        place = (offset, offset + array.nbytes)
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": place}
        offset += array.nbytes
    header = change(header)
    checksum = hashlib.blake2b(json.dumps(description, sort_keys=True).encode(), digest_size=16)
    for name, array in sorted(arrays.items()):
        shape = array.shape
        if isinstance(header, dict) and isinstance(header.get(name), dict):
            shape = header[name].get("shape", shape)
        checksum.update(json.dumps([name, str(array.dtype), shape]).encode())
        checksum.update(array.tobytes())
    if isinstance(description, dict):
        description = {**description, "checksum": checksum.hexdigest()}
    if isinstance(header, dict):
        header = {"__metadata__": {"halma": dump(description).decode()}, **header}
    text = dump(header)
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(a.tobytes() for _, a in in_order)


_tensor_parts = lru_cache(tensor_parts)


def forge_tensors(rng, data):
    """Return a forged tensor file."""
    description, arrays = _tensor_parts(data)
    kind = rng.randrange(10)
    if kind < 4:
        return tensor_bytes(mutate_json(rng, description), arrays)
    if kind < 9:
        return tensor_bytes(description, mutate_arrays(rng, arrays))
    return tensor_bytes(description, arrays, lambda header: mutate_json(rng, header))


# Tables.

_PREAMBLE = struct.Struct("<8sI16s")


def table_parts(data):
    """Return the header and the arrays of a table."""
    _, length, _ = _PREAMBLE.unpack(data[: _PREAMBLE.size])
    header = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + length])
    start = (_PREAMBLE.size + length + 63) // 64 * 64
    arrays = {
        entry["name"]: np.frombuffer(
            data, entry["dtype"], entry["length"], start + entry["offset"]
        ).copy()
        for entry in header["arrays"]
    }
    return header, arrays


def table_bytes(header, arrays, change=lambda header: header):
    """Return a table; `change` may change its header, whose checksum then fits."""
    entries, body = [], b""
    for name, array in arrays.items():
        body += b"\0" * (-len(body) % 64)
        octets = array.tobytes()
        checksum = hashlib.blake2b(octets, digest_size=16).hexdigest()
        place = {"dtype": array.dtype.str, "length": array.size, "offset": len(body)}
        entries.append({"name": name, **place, "checksum": checksum})
        body += octets
    text = dump(change({**header, "arrays": entries, "bytes": len(body)}))
    digest = hashlib.blake2b(text, digest_size=16).digest()
    start = _PREAMBLE.pack(b"halmatbl", len(text), digest) + text
    return start + b"\0" * (-len(start) % 64) + body


_table_parts = lru_cache(table_parts)


def forge_table(rng, data):
    """Return a forged table, or a checkpoint of a solver."""
    header, arrays = _table_parts(data)
    if rng.random() < 0.5:
        return table_bytes(header, arrays, lambda header: mutate_json(rng, header))
    return table_bytes(header, mutate_arrays(rng, arrays))


# Texts.


def forge_json(rng, data):
    """Return a forged JSON file."""
    return dump(mutate_json(rng, json.loads(data)))


def forge_json_lines(rng, data):
    """Return forged JSON lines: one of them changed, left out, doubled or moved."""
    lines = data.splitlines()
    place = rng.randrange(len(lines))
    kind = rng.randrange(8)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines)), lines[place])
    else:
        lines[place] = dump(mutate_json(rng, json.loads(lines[place])))
    return b"\n".join(lines) + b"\n" * rng.choice((0, 1, 1, 1, 2))


_TOML = ["true", "0", "-1", "2", "9223372036854775807", "18446744073709551616", "9" * 5000]
_TOML += ["0.5", "-1.0", "nan", "inf", "1e308", "1e-320", '""', '"x"', '"tabular"', "1979-05-27"]
_TOML += ["[]", "[1]", "{}", '["x"]', "{a=1}", '"ewn-3x3-2"']
_TOML += ["9" * 400, "[" * 2000 + "]" * 2000, "{a=" * 90 + "1" + "}" * 90]


def forge_toml(rng, data):
    """Return a forged recipe: a value changed, or a line left out, doubled or moved."""
    lines = data.decode().splitlines()
    places = [i for i, line in enumerate(lines) if line and not line.startswith("#")]
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.choice(places)
        key = lines[place].partition("=")[0]
        kind = rng.randrange(8)
        if kind == 0:
            lines[place] = ""
        elif kind == 1:
            lines.insert(0, lines[place])
        elif kind == 2:
            lines[place] = rng.choice(
                [f"x.{lines[place]}", "a." * 2000 + "b = 1", f"[{key}]", "[[a]]"]
            )
        else:
            lines[place] = f"{key}= {rng.choice(_TOML)}"
    return "\n".join(lines).encode()


# Databases.

_JSON_COLUMNS = ("plan", "agents", "moves", "result")
#: Those that a checksum covers, in its order.
_COLUMNS = [column.name for column in fields(PlayedGame)]
_MASTER = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
_SCHEMA = [
    "ALTER TABLE game RENAME TO games",
    "ALTER TABLE game RENAME COLUMN moves TO move",
    "ALTER TABLE game ADD COLUMN more TEXT",
    "ALTER TABLE match ADD COLUMN more AS (id + 1)",
    "DROP TABLE match",
    "CREATE TABLE more (id INTEGER)",
    "CREATE INDEX more ON game (moves)",
    "CREATE TRIGGER more AFTER INSERT ON game BEGIN DELETE FROM game; END",
    "CREATE VIEW more AS SELECT * FROM game",
    "ALTER TABLE game RENAME TO old; CREATE VIEW game AS WITH RECURSIVE c(id) AS (SELECT 1 "
    "UNION ALL SELECT id + 1 FROM c) SELECT id, 1 AS match, old.* FROM c, old",
    "PRAGMA user_version = 3",
    "PRAGMA application_id = 0",
    f"{_MASTER} sql = 'CREATE TABLE game (x)' WHERE name = 'game'",
    f"{_MASTER} rootpage = 2 WHERE name = 'game'",
    f"{_MASTER} rootpage = 0 WHERE name = 'match'",
    f"{_MASTER} name = CAST(x'ff41' AS TEXT) WHERE name = 'game'",
    f"{_MASTER} sql = CAST(x'ff41' AS TEXT) WHERE name = 'game'",
]


def forge_store(rng, data, scratch):
    """Return a forged file of games; `scratch` is a file to make it in."""
    scratch.write_bytes(data)
    with suppress(sqlite3.Error), sqlite3.connect(scratch, isolation_level=None) as db:
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute("PRAGMA synchronous = OFF")
        kind = rng.randrange(10)
        if kind == 0:
            db.executescript(rng.choice(_SCHEMA))
        elif kind == 1:
            table = rng.choice(("game", "match"))
            columns = (
                ("id", "match", "checksum") if table == "game" else ("id", "begun", "checksum")
            )
            value = _column(rng)
            db.execute(
                f"UPDATE OR IGNORE {table} SET {rng.choice(columns)} = ? WHERE id = 1", (value,)
            )
        elif kind == 2:
            _forge_row(rng, db, "match", ("plan",))
        else:
            _forge_row(rng, db, "game", _COLUMNS)
    db.close()
    return scratch.read_bytes()


def _forge_row(rng, db, table, columns):
    """Change a column of a row, and its checksum with it."""
    identifier = rng.choice([row[0] for row in db.execute(f"SELECT id FROM {table}")])
    names = ", ".join(columns)
    values = list(db.execute(f"SELECT {names} FROM {table} WHERE id = ?", (identifier,)).fetchone())
    place = rng.randrange(len(columns))
    if columns[place] in _JSON_COLUMNS and rng.random() < 0.8:
        values[place] = dump(mutate_json(rng, json.loads(values[place]))).decode(errors="ignore")
    else:
        values[place] = _column(rng)
    try:
        checksum = zlib.crc32(json.dumps(values).encode())
    except TypeError:
        checksum = 0
    places = ", ".join(f"{name} = ?" for name in columns)
    db.execute(
        f"UPDATE OR IGNORE {table} SET {places}, checksum = ? WHERE id = ?",
        (*values, checksum, identifier),
    )
    if rng.random() < 0.1:  # text that is not UTF-8
        name = columns[place]
        db.execute(
            f"UPDATE {table} SET {name} = CAST(x'ff4100' AS TEXT) WHERE id = ?", (identifier,)
        )


def _column(rng):
    plain = [v for v in NASTY if isinstance(v, int | float | str) and v != "\ud800"]
    value = rng.choice([*plain, b"\xff\0", b"[]", "[[]]", "[1, 2]", "{}", "[NaN]", "null"])
    return value if not isinstance(value, int) or abs(value) < 2**63 else str(value)
