// Lays a recorded report down as another version of ncu would: fields dropped, renamed or added, message by message.

export interface Field {
  readonly field: number;
  readonly wire: number;
  /** The value: of a varint its bytes, of a message or string its body. */
  readonly body: Uint8Array;
}

export interface Rewriting {
  readonly fileVersion?: number;
  readonly header?: (fields: readonly Field[]) => readonly Field[];
  readonly source?: (fields: readonly Field[]) => readonly Field[];
  readonly result?: (fields: readonly Field[]) => readonly Field[];
  /** Pieces behind those of each block that has results. */
  readonly behind?: readonly Uint8Array[];
}

/** The bytes of a `.ncu-rep` with its messages rewritten; sizes before them follow. */
export function rewriteReport(report: Uint8Array, change: Rewriting): Uint8Array {
  const view = new DataView(report.buffer, report.byteOffset, report.byteLength);
  const out: Uint8Array[] = [report.subarray(0, 4)];
  let at = 4;
  const piece = (): Uint8Array => {
    const size = view.getUint32(at, true);
    const body = report.subarray(at + 4, at + 4 + size);
    at += 4 + size;
    return body;
  };
  const head = fieldsOf(piece());
  out.push(
    sized(
      messageOf(
        change.fileVersion === undefined
          ? head
          : head.map((field) => (field.field === 1 ? number(1, change.fileVersion!) : field)),
      ),
    ),
  );
  while (at < report.length) {
    const header = fieldsOf(piece());
    const count = (field: number): number =>
      header.filter((one) => one.field === field).reduce((sum, one) => sum + varintOf(one), 0);
    const payload: Uint8Array[] = [];
    for (let left = count(1); left > 0; left--)
      payload.push(sized(messageOf((change.source ?? same)(fieldsOf(piece())))));
    for (let left = count(2); left > 0; left--)
      payload.push(sized(messageOf((change.result ?? same)(fieldsOf(piece())))));
    for (let left = count(7) + count(8) + count(9); left > 0; left--) payload.push(sized(piece()));
    const adds = count(2) > 0 ? (change.behind ?? []) : [];
    for (const one of adds) payload.push(sized(one));
    const size = payload.reduce((sum, part) => sum + part.length, 0);
    const kept = header.filter(({ field }) => field !== 5);
    const counts = adds.length > 0 ? [number(10, adds.length)] : [];
    out.push(sized(messageOf([...(change.header ?? same)(kept), number(5, size), ...counts])), ...payload);
  }
  return joined(out);
}

const same = (fields: readonly Field[]): readonly Field[] => fields;

export function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const [tag, afterTag] = varintAt(message, at);
    const wire = tag & 7;
    let [from, to] = [afterTag, afterTag];
    if (wire === 0) to = varintAt(message, from)[1];
    else if (wire === 1) to = from + 8;
    else if (wire === 5) to = from + 4;
    else {
      const [length, begin] = varintAt(message, from);
      from = begin;
      to = begin + length;
    }
    fields.push({ field: Math.floor(tag / 8), wire, body: message.subarray(from, to) });
    at = to;
  }
  return fields;
}

export function messageOf(fields: readonly Field[]): Uint8Array {
  return joined(
    fields.flatMap(({ field, wire, body }) => [
      varint(field * 8 + wire),
      ...(wire === 2 ? [varint(body.length)] : []),
      body,
    ]),
  );
}

export function number(field: number, value: number): Field {
  return { field, wire: 0, body: varint(value) };
}
export function bytes(field: number, body: Uint8Array): Field {
  return { field, wire: 2, body };
}
export function varintOf({ body }: Field): number {
  return varintAt(body, 0)[0];
}

/** A zstd frame around bytes as they are: blocks that are not compressed. */
export function zstdFrame(content: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  const head = new DataView(new ArrayBuffer(9));
  head.setUint32(0, 0xfd2fb528, true);
  // A single segment with its size in four bytes.
  head.setUint8(4, 0xa0);
  head.setUint32(5, content.length, true);
  parts.push(new Uint8Array(head.buffer));
  const most = 100_000;
  for (let at = 0; at < content.length; at += most) {
    const part = content.subarray(at, at + most);
    const block = part.length * 8 + (at + most >= content.length ? 1 : 0);
    parts.push(Uint8Array.of(block & 0xff, (block >> 8) & 0xff, (block >> 16) & 0xff), part);
  }
  return joined(parts);
}

function sized(body: Uint8Array): Uint8Array {
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, body.length, true);
  return joined([new Uint8Array(size.buffer), body]);
}

function varintAt(from: Uint8Array, at: number): [number, number] {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = from[at++]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, at];
    scale *= 128;
  }
}

function varint(value: number): Uint8Array {
  const out: number[] = [];
  let left = value;
  do {
    const low = left % 128;
    left = Math.floor(left / 128);
    out.push(left > 0 ? low + 128 : low);
  } while (left > 0);
  return Uint8Array.from(out);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
