// Leaves the machine code of libraries out of a report: what their makers wrote is not ours to hand on, and that of
// cuBLAS alone has 14 MB.
//
//   npx tsx lab/gpu/leaveOutCode.ts IN.ncu-rep OUT.ncu-rep
//
// A cubin without a line table goes, with its PTX; times, counters and samples of its kernels stay.
import { readFileSync, writeFileSync } from 'node:fs';
import { bytesSource } from '../../profiler/src/report/byteSource';
import { readElf } from '../../profiler/src/report/elf';
import { WireReader } from '../../profiler/src/report/wire';

/** A field of a message with the bytes that hold it, tag included. */
interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** What the field holds. */
  readonly value: number | Uint8Array;
}

function fieldsOf(message: Uint8Array): Field[] {
  const reader = new WireReader(message);
  const fields: Field[] = [];
  for (let start = 0; reader.next(); start = reader.position) {
    const { field, wire } = reader;
    let value: number | Uint8Array = 0;
    if (wire === 0) value = reader.varint();
    else if (wire === 2) {
      const span = reader.span();
      value = message.subarray(span.start, span.end);
    } else reader.skip();
    fields.push({ number: field, bytes: message.subarray(start, reader.position), value });
  }
  return fields;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A message behind its size, a little-endian u32. */
function sized(message: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(message.length);
  return Buffer.concat([size, message]);
}

async function hasLines(binary: Uint8Array): Promise<boolean> {
  return (await readElf(bytesSource(binary), 0, binary.length)).section('.debug_line') !== undefined;
}

/** SourceData without Intermediate (3) and Binary (4), where the binary has no lines. */
async function withoutLibraryCode(sourceData: Uint8Array): Promise<Uint8Array> {
  const fields = fieldsOf(sourceData);
  const binary = fields.find(({ number }) => number === 4)?.value;
  if (!(binary instanceof Uint8Array) || (await hasLines(binary))) return sourceData;
  return Buffer.concat(fields.filter(({ number }) => number !== 3 && number !== 4).map(({ bytes }) => bytes));
}

async function rewritten(report: Buffer): Promise<Uint8Array> {
  let at = 4;
  const piece = (): Uint8Array => {
    const start = at + 4;
    at = start + report.readUInt32LE(at);
    return report.subarray(start, at);
  };
  const parts: Uint8Array[] = [report.subarray(0, 4), sized(piece())];
  while (at < report.length) {
    const header = fieldsOf(piece());
    const numberIn = (field: number): number => Number(header.find(({ number }) => number === field)?.value ?? 0);
    const end = at + numberIn(5);
    const payload: Uint8Array[] = [];
    for (let left = numberIn(1); left > 0; left--) payload.push(sized(await withoutLibraryCode(piece())));
    payload.push(report.subarray(at, end));
    at = end;
    const bytes = Buffer.concat(payload);
    // PayloadSize (5) is the one field of the header that changes.
    const others = header.filter(({ number }) => number !== 5).map((field) => field.bytes);
    parts.push(sized(Buffer.concat([...others, Buffer.from([5 * 8, ...varint(bytes.length)])])), bytes);
  }
  return Buffer.concat(parts);
}

const [from, to] = process.argv.slice(2);
if (!from || !to) {
  console.error('Usage: npx tsx lab/gpu/leaveOutCode.ts IN.ncu-rep OUT.ncu-rep');
  process.exit(2);
}
void rewritten(readFileSync(from)).then((bytes) => writeFileSync(to, bytes));
