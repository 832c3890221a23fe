// Reads Protocol Buffers fields from bytes in memory; every length is checked against what is there.
import { damagedReport } from './reportError';

const text = new TextDecoder('utf-8');

/**
 * How a field is encoded (https://protobuf.dev/programming-guides/encoding/): 0 varint, 1 eight bytes, 2 length and
 * bytes, 5 four bytes.
 */
export type WireType = 0 | 1 | 2 | 5;

/**
 * A position in a message. `next()` reads a tag and stops before the value; then exactly one of the value functions
 * (or `skip`) is called. Nothing is copied but strings.
 */
export class WireReader {
  field = 0;
  wire: WireType = 0;
  position: number;
  private lazyView: DataView | undefined;

  /** @param base byte of the file at which `bytes` begins, for messages */
  constructor(
    private readonly bytes: Uint8Array,
    start = 0,
    readonly end = bytes.length,
    private readonly base = 0,
  ) {
    this.position = start;
  }

  /** Steps to the next field; false at the end of the message. */
  next(): boolean {
    if (this.position >= this.end) return false;
    const tag = this.varint();
    const wire = tag % 8;
    this.field = (tag - wire) / 8;
    if (wire !== 0 && wire !== 1 && wire !== 2 && wire !== 5) throw this.damaged(`a field of unknown encoding ${wire}`);
    if (this.field === 0) throw this.damaged('a field without a number');
    this.wire = wire;
    return true;
  }

  /** An unsigned integer; above 2^53 the nearest number. */
  varint(): number {
    const { bytes, end } = this;
    let at = this.position;
    if (at >= end) throw this.damaged('a number that does not end');
    let byte = bytes[at++]!;
    if (byte < 128) {
      this.position = at;
      return byte;
    }
    let value = byte & 127;
    let scale = 128;
    for (let count = 1; count < 10; count++) {
      if (at >= end) throw this.damaged('a number that does not end');
      byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) {
        this.position = at;
        return value;
      }
      scale *= 128;
    }
    throw this.damaged('a number that does not end');
  }

  /** An unsigned integer of up to 64 bits, exact: a bigint where a number would round. */
  exactVarint(): number | bigint {
    const start = this.position;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    let exact = 0n;
    let shift = 0n;
    for (let at = start; at < this.position; at++, shift += 7n) exact |= BigInt(this.bytes[at]! & 127) << shift;
    return BigInt.asUintN(64, exact);
  }

  float(): number {
    this.need(4);
    const value = this.view.getFloat32(this.position, true);
    this.position += 4;
    return value;
  }

  double(): number {
    this.need(8);
    const value = this.view.getFloat64(this.position, true);
    this.position += 8;
    return value;
  }

  /** A message inside this one; this reader goes on behind it. */
  message(): WireReader {
    const { start, end } = this.span();
    return new WireReader(this.bytes, start, end, this.base);
  }

  string(): string {
    const { start, end } = this.span();
    return text.decode(this.bytes.subarray(start, end));
  }

  /** Everything from here to the end as text: the body of a string field. */
  rest(): string {
    const value = text.decode(this.bytes.subarray(this.position, this.end));
    this.position = this.end;
    return value;
  }

  /** Where the bytes of a length-delimited value lie; this reader goes on behind them. */
  span(): { start: number; end: number } {
    if (this.wire !== 2) throw this.damaged('a value of unexpected encoding');
    const length = this.varint();
    if (length > this.end - this.position) throw this.damaged('a length that extends past its message');
    const start = this.position;
    this.position += length;
    return { start, end: this.position };
  }

  /** An unsigned integer field; a value of another encoding counts as damage. */
  unsigned(): number {
    if (this.wire !== 0) throw this.damaged('a value of unexpected encoding');
    return this.varint();
  }

  skip(): void {
    switch (this.wire) {
      case 0:
        this.varint();
        break;
      case 1:
        this.need(8);
        this.position += 8;
        break;
      case 2:
        this.span();
        break;
      case 5:
        this.need(4);
        this.position += 4;
        break;
    }
  }

  damaged(what: string): Error {
    return damagedReport(what, this.base + this.position);
  }

  private get view(): DataView {
    return (this.lazyView ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength));
  }

  private need(count: number): void {
    if (this.end - this.position < count) throw this.damaged('a value that extends past its message');
  }
}
