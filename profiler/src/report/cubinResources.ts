// What each kernel of a cubin takes of a multiprocessor, as its sections state it.
import type { ByteSource } from './byteSource';
import { readElf, viewOf } from './elf';

export interface CubinResources {
  /** Of a thread. */
  readonly registers: number;
  /** Bytes of a thread's stack frame in local memory: arrays and spills. */
  readonly local: number;
  /** Bytes of a block, what the driver reserves included. */
  readonly shared: number;
}

const bytesFormat = 4;
const frameSize = 0x11;
const registerCount = 0x2f;
/** Of a symbol that a host can launch (`STO_CUDA_ENTRY`). */
const entry = 0x10;

/**
 * By mangled name; of relocatable device code nothing, since its linker decides on registers and shared memory.
 * Throws ReportError where this is not a cubin.
 */
export async function readCubinResources(source: ByteSource): Promise<ReadonlyMap<string, CubinResources>> {
  const elf = await readElf(source, 0, source.size);
  const section = elf.section('.nv.info');
  const found = new Map<string, CubinResources>();
  if (!section || elf.relocatable) return found;
  const info = viewOf(await elf.bytes(section));
  const values = new Map<number, Map<number, number>>([frameSize, registerCount].map((key) => [key, new Map()]));
  for (let at = 0; at + 4 <= info.byteLength; ) {
    const size = info.getUint8(at) === bytesFormat ? info.getUint16(at + 2, true) : 0;
    // A symbol and its number.
    if (size === 8 && at + 12 <= info.byteLength)
      values.get(info.getUint8(at + 1))?.set(info.getUint32(at + 4, true), info.getUint32(at + 8, true));
    at += 4 + size;
  }
  for (const [index, registers] of values.get(registerCount)!) {
    const symbol = elf.symbol(index);
    const name = symbol?.name() ?? '';
    // Functions that kernels call have registers, too.
    if (!symbol || (symbol.other & entry) === 0) continue;
    found.set(name, {
      registers,
      local: values.get(frameSize)!.get(index) ?? 0,
      shared: elf.section(`.nv.shared.${name}`)?.size ?? 0,
    });
  }
  return found;
}
