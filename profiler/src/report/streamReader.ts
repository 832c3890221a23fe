// Reads a message that may be larger than memory straight from its file, through a window of fixed size.
import type { ByteSource } from './byteSource';
import { damagedReport, ReportError, truncatedReport } from './reportError';
import { WireReader, type WireType } from './wire';

/** Messages above this are not taken into memory: a metric of ncu has some hundred kilobytes. */
const largestMessage = 64 * 1024 * 1024;
const windowBytes = 256 * 1024;
/** A tag of at most 10 bytes and a length of at most 10. */
const largestFieldStart = 20;

/**
 * Goes forward through a file field by field. `nextField` reads the tag (and the length) of a field; its value is then
 * read with one of the value functions, or left alone: what is not asked for is skipped, unread where it is large.
 */
export class StreamReader {
  field = 0;
  wire: WireType = 0;
  /** Where the value of the current field begins and ends in the file. */
  bodyStart = 0;
  bodyEnd = 0;
  private value = 0;
  private readonly window = new Uint8Array(windowBytes);
  private windowStart = 0;
  private windowLength = 0;
  private at = 0;

  constructor(private readonly source: ByteSource) {}

  get position(): number {
    return this.windowStart + this.at;
  }

  seek(position: number): void {
    const inWindow = position - this.windowStart;
    if (inWindow >= 0 && inWindow <= this.windowLength) {
      this.at = inWindow;
      return;
    }
    this.windowStart = position;
    this.windowLength = 0;
    this.at = 0;
  }

  /** True where the next field can be read without waiting. */
  readyForField(messageEnd: number): boolean {
    return this.windowLength - this.at >= Math.min(largestFieldStart, messageEnd - this.position);
  }

  /** True where `count` bytes from here are at hand. */
  has(count: number): boolean {
    return this.windowLength - this.at >= count;
  }

  /** Brings at least `count` bytes (at most the window's size) within reach; throws where the file ends before. */
  async load(count: number): Promise<void> {
    if (this.has(count)) return;
    this.window.copyWithin(0, this.at, this.windowLength);
    this.windowStart += this.at;
    this.windowLength -= this.at;
    this.at = 0;
    const room = Math.min(windowBytes - this.windowLength, this.source.size - this.windowStart - this.windowLength);
    if (room > 0) {
      const read = await this.source.read(
        this.windowStart + this.windowLength,
        this.window.subarray(this.windowLength, this.windowLength + room),
      );
      this.windowLength += read;
    }
    if (!this.has(count)) throw truncatedReport(this.windowStart, this.source.size);
  }

  async loadField(messageEnd: number): Promise<void> {
    await this.load(Math.min(largestFieldStart, messageEnd - this.position));
  }

  /**
   * Steps to the next field of the message that ends at `messageEnd`; the window must hold it (`readyForField`). False
   * at the end.
   */
  nextField(messageEnd: number): boolean {
    if (this.position >= messageEnd) {
      if (this.position > messageEnd) throw damagedReport('a field that extends past its message', messageEnd);
      return false;
    }
    const start = this.position;
    const reader = this.reader(Math.min(largestFieldStart, messageEnd - start));
    reader.next();
    this.field = reader.field;
    this.wire = reader.wire;
    this.value = 0;
    let length = 0;
    if (reader.wire === 0) this.value = reader.varint();
    else if (reader.wire === 1) length = 8;
    else if (reader.wire === 5) length = 4;
    else length = reader.varint();
    this.at = reader.position;
    this.bodyStart = this.position;
    if (length > messageEnd - this.bodyStart) throw damagedReport('a length that extends past its message', start);
    this.bodyEnd = this.bodyStart + length;
    return true;
  }

  /** Goes behind the current field. */
  skipField(): void {
    this.seek(this.bodyEnd);
  }

  /** The value of a varint field. */
  unsigned(): number {
    if (this.wire !== 0) throw damagedReport('a value of unexpected encoding', this.bodyStart);
    return this.value;
  }

  /**
   * A small number at the start of the current field's message, if it is field `number` of it; the reader stays where
   * it is.
   */
  peekLeadingNumber(number: number): number | undefined {
    const reader = this.reader(Math.min(largestFieldStart, this.bodyEnd - this.bodyStart));
    if (!reader.next() || reader.field !== number || reader.wire !== 0) return undefined;
    return reader.varint();
  }

  /** True where `peekLeadingNumber` can look without waiting. */
  readyToPeek(): boolean {
    return this.has(Math.min(largestFieldStart, this.bodyEnd - this.bodyStart));
  }

  async loadToPeek(): Promise<void> {
    await this.load(Math.min(largestFieldStart, this.bodyEnd - this.bodyStart));
  }

  /** True where `body` can answer without waiting. */
  bodyReady(): boolean {
    return this.has(this.bodyEnd - this.bodyStart);
  }

  /** The current field's message, which must be ready; the reader goes behind it. Valid until the next `load`. */
  body(): WireReader {
    if (this.wire !== 2) throw damagedReport('a value of unexpected encoding', this.bodyStart);
    const length = this.bodyEnd - this.bodyStart;
    const reader = this.reader(length);
    this.at += length;
    return reader;
  }

  /** The current field's message, loaded first; the reader goes behind it. Valid until the next `load`. */
  async loadBody(): Promise<WireReader> {
    const length = this.bodyEnd - this.bodyStart;
    if (length <= windowBytes) {
      await this.load(length);
      return this.body();
    }
    const bytes = await readRange(this.source, this.bodyStart, length);
    const start = this.bodyStart;
    this.skipField();
    if (this.wire !== 2) throw damagedReport('a value of unexpected encoding', start);
    return new WireReader(bytes, 0, bytes.length, start);
  }

  /** A little-endian u32 here; it must be loaded. */
  u32(): number {
    const { window, at } = this;
    this.at += 4;
    return (window[at]! | (window[at + 1]! << 8) | (window[at + 2]! << 16) | (window[at + 3]! << 24)) >>> 0;
  }

  private reader(length: number): WireReader {
    return new WireReader(this.window, this.at, this.at + length, this.windowStart);
  }
}

/**
 * Bytes of the file in a separate buffer; throws if the file ends before or if they are unreasonably many.
 */
export async function readRange(source: ByteSource, offset: number, length: number): Promise<Uint8Array> {
  if (offset + length > source.size) throw truncatedReport(offset, source.size);
  if (length > largestMessage) {
    throw new ReportError(
      `The report has a part of ${length} bytes at byte ${offset}, more than the ${largestMessage} ` +
        'that Warplens can load. Profile fewer kernels or sections at a time.',
      offset,
    );
  }
  const bytes = new Uint8Array(length);
  if ((await source.read(offset, bytes)) < length) throw truncatedReport(offset, source.size);
  return bytes;
}
