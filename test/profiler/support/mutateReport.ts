// Damages reports in the ways that files and enemies do: flipped bits, cut ends, huge lengths, wrong offsets in the ELF and DWARF parts.

/** A reproducible stream of numbers from 0 to 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Mutation {
  readonly what: string;
  readonly bytes: Uint8Array;
}

const numbers32 = [0, 1, 0x7f, 0x80, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

/** One damaged copy of a report. The kind and place of the damage follow from `random`. */
export function mutate(original: Uint8Array, random: () => number): Mutation {
  const pick = (limit: number) => Math.floor(random() * limit);
  const cubin = findCubin(original);
  const kind = pick(9);
  if (kind === 0) {
    const length = pick(original.length);
    return { what: `cut off at byte ${length}`, bytes: original.slice(0, length) };
  }
  const bytes = original.slice();
  const view = new DataView(bytes.buffer);
  const write32 = (at: number) =>
    view.setUint32(Math.min(at, bytes.length - 4), numbers32[pick(numbers32.length)]!, true);
  const done: string[] = [];
  for (let count = 1 + pick(4); count > 0; count--) {
    switch (kind) {
      case 1: {
        const at = pick(bytes.length);
        bytes[at]! ^= 1 << pick(8);
        done.push(`bit flipped at byte ${at}`);
        break;
      }
      case 2: {
        // The beginning holds the framing, the session and the first cubin.
        const at = pick(Math.min(bytes.length, 4096));
        bytes[at] = pick(256);
        done.push(`byte changed at ${at}`);
        break;
      }
      case 3: {
        const at = pick(bytes.length);
        write32(at);
        done.push(`extreme number at byte ${at}`);
        break;
      }
      case 4: {
        // A length of many bytes where a short one stood: runs of varint continuation.
        const at = pick(bytes.length - 12);
        bytes.fill(0xff, at, at + 1 + pick(11));
        done.push(`endless number at byte ${at}`);
        break;
      }
      case 5: {
        const at = cubin.start + pick(64);
        if (random() < 0.5) write32(at);
        else bytes[at] = pick(256);
        done.push(`ELF header changed at byte ${at}`);
        break;
      }
      case 6: {
        const at = cubin.sections + pick(Math.max(1, cubin.end - cubin.sections));
        if (random() < 0.5) write32(at);
        else bytes[at] = pick(256);
        done.push(`section header changed at byte ${at}`);
        break;
      }
      case 7: {
        const at = cubin.start + pick(Math.max(1, Math.min(0x6000, cubin.end - cubin.start)));
        bytes[at] = pick(256);
        done.push(`cubin byte changed at ${at}`);
        break;
      }
      default: {
        // One part of the file over another: valid messages in the wrong place, nested where they do not belong.
        const length = 1 + pick(2048);
        const from = pick(Math.max(1, bytes.length - length));
        const to = pick(Math.max(1, bytes.length - length));
        bytes.copyWithin(to, from, from + length);
        done.push(`${length} bytes from ${from} to ${to}`);
      }
    }
  }
  return { what: done.join(', '), bytes };
}

/** The first ELF file in a report, with its section headers. */
function findCubin(bytes: Uint8Array): { start: number; sections: number; end: number } {
  for (let at = 0; at + 64 < bytes.length; at++) {
    if (bytes[at] === 0x7f && bytes[at + 1] === 0x45 && bytes[at + 2] === 0x4c && bytes[at + 3] === 0x46) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      const sections = at + view.getUint32(0x28, true);
      return { start: at, sections, end: Math.min(bytes.length, sections + 64 * view.getUint16(0x3c, true)) };
    }
  }
  return { start: 0, sections: 0, end: bytes.length };
}
