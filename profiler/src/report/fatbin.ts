// The cubins that nvcc embedded: in fatbins, and in the objects, programs and libraries of a host that carry them.
// Layout as fatbinary 11 to 13 writes it; <fatbinary_section.h> of the toolkit has the magic number alone.
import { viewOf, wide } from './elf';
import { ReportError } from './reportError';

/** 0xba55ed50, little-endian. */
const magic = Uint8Array.of(0x50, 0xed, 0x55, 0xba);
const headerBytes = 16;
const leastEntryBytes = 64;
const machineCode = 2;
const lz4 = 0x2000;
const zstd = 0x8000;
/** Bytes that one compressed cubin may unfold to. */
const mostUnpacked = 1024 * 1024 * 1024;

/**
 * The cubins of all fatbins of a file; undefined where it has no fatbin. They are found by their header wherever they
 * lie, so that no format of a host has to be known: ELF, PE and archives are read alike.
 */
export async function embeddedCubins(file: Buffer): Promise<readonly Uint8Array[] | undefined> {
  const view = viewOf(file);
  const cubins: Uint8Array[] = [];
  let fatbins = 0;
  for (let at = file.indexOf(magic); at >= 0; at = file.indexOf(magic, at + magic.length)) {
    if (at + headerBytes > file.length || view.getUint16(at + 4, true) !== 1) continue;
    if (view.getUint16(at + 6, true) !== headerBytes) continue;
    const end = at + headerBytes + wide(view, at + 8);
    if (end > file.length) throw new ReportError('The fatbin is truncated. Build the file again.', at);
    fatbins++;
    for (let entry = at + headerBytes; entry < end; ) {
      const size = entry + leastEntryBytes <= end ? view.getUint32(entry + 4, true) + wide(view, entry + 8) : 0;
      if (size < leastEntryBytes || entry + size > end) throw damaged();
      if (view.getUint16(entry, true) === machineCode) cubins.push(await unpacked(file.subarray(entry, entry + size)));
      entry += size;
    }
  }
  return fatbins > 0 ? cubins : undefined;
}

/** The bytes of an entry, header included, as a cubin. */
async function unpacked(entry: Uint8Array): Promise<Uint8Array> {
  const view = viewOf(entry);
  const start = view.getUint32(4, true);
  const flags = wide(view, 40);
  const packed = (flags & (lz4 | zstd)) !== 0;
  if (!packed) return entry.subarray(start);
  const content = entry.subarray(start, start + view.getUint32(16, true));
  const size = wide(view, 56);
  if (size > mostUnpacked) throw damaged();
  const into = new Uint8Array(size);
  if ((flags & lz4) !== 0) return unpackLz4(content, into);
  // Loaded here alone: most cubins are not compressed.
  const { decompress } = await import('fzstd');
  try {
    return decompress(content, into);
  } catch {
    throw damaged();
  }
}

/** One block of LZ4 (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md). */
function unpackLz4(block: Uint8Array, into: Uint8Array): Uint8Array {
  let from = 0;
  let to = 0;
  const length = (nibble: number): number => {
    let sum = nibble;
    for (let next = nibble === 15 ? 255 : 0; next === 255; sum += next) next = block[from++] ?? 0;
    return sum;
  };
  while (from < block.length) {
    const token = block[from++]!;
    const literals = length(token >> 4);
    if (from + literals > block.length || to + literals > into.length) throw damaged();
    into.set(block.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= block.length) break;
    const distance = block[from]! | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const end = to + length(token & 15) + 4;
    if (distance === 0 || distance > to || end > into.length) throw damaged();
    // A match may overlap what it writes.
    for (; to < end; to++) into[to] = into[to - distance]!;
  }
  return into.subarray(0, to);
}

function damaged(): ReportError {
  return new ReportError('The fatbin is damaged. Build the file again.');
}
