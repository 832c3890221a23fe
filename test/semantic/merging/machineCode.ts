// Reads the memory instructions of nvcc's machine code, with their source lines, without a disassembler.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A load or store of a kernel: bytes a lane moves, its immediate offset, and its line of the source (from 0). */
export interface MachineAccess {
  readonly space: 'global' | 'shared' | 'local';
  readonly mode: 'load' | 'store';
  readonly bytes: number;
  readonly offset: number;
  readonly line: number;
}

/** Low twelve bits of the 128-bit instructions of sm_70 to sm_90: LDG, STG, LDS, STS, LDL, STL. */
const operations = new Map<number, Pick<MachineAccess, 'space' | 'mode'>>([
  [0x981, { space: 'global', mode: 'load' }],
  [0x986, { space: 'global', mode: 'store' }],
  [0x386, { space: 'global', mode: 'store' }],
  [0x984, { space: 'shared', mode: 'load' }],
  [0x988, { space: 'shared', mode: 'store' }],
  [0x388, { space: 'shared', mode: 'store' }],
  [0x983, { space: 'local', mode: 'load' }],
  [0x987, { space: 'local', mode: 'store' }],
  [0x387, { space: 'local', mode: 'store' }],
]);
/** Bits 73 to 75: the size. */
const sizes = [1, 1, 2, 2, 4, 8, 16];

const flags = ['-cubin', '-lineinfo', '-O3', '-std=c++17', '-arch=sm_90', '-w'];

/** Sections of a 64-bit little-endian ELF file by name. */
function sections(file: Buffer): Map<string, Buffer> {
  const table = Number(file.readBigUInt64LE(0x28));
  const count = file.readUInt16LE(0x3c);
  const headers = Array.from({ length: count }, (_, at) => {
    const start = table + at * 64;
    return {
      name: file.readUInt32LE(start),
      kind: file.readUInt32LE(start + 4),
      offset: Number(file.readBigUInt64LE(start + 24)),
      size: Number(file.readBigUInt64LE(start + 32)),
    };
  });
  const names = headers[file.readUInt16LE(0x3e)]!;
  return new Map(
    headers.map((header) => {
      const start = names.offset + header.name;
      const name = file.toString('latin1', start, file.indexOf(0, start));
      return [name, header.kind === 8 ? Buffer.alloc(0) : file.subarray(header.offset, header.offset + header.size)];
    }),
  );
}

/** Rows `address, line` of each sequence of the line table that belongs to the source, as readelf prints them. */
function lineSequences(text: string, source: string): { address: number; line: number | undefined }[][] {
  const found: { address: number; line: number | undefined }[][] = [];
  let rows: { address: number; line: number | undefined }[] = [];
  for (const match of text.matchAll(/^(\S+)\s+(-|\d+)\s+(0x[0-9a-f]+|0)\b/gm)) {
    if (match[2] === '-') {
      found.push(rows);
      rows = [];
    } else rows.push({ address: Number(match[3]), line: match[1] === source ? Number(match[2]) - 1 : undefined });
  }
  return found;
}

/** Compiles a source and gives its kernels' memory instructions in address order. Throws with the compiler's words. */
export function compiledAccesses(text: string): Map<string, MachineAccess[]> {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-merging-'));
  try {
    const source = join(folder, 'kernels.cu');
    const cubin = join(folder, 'kernels.cubin');
    writeFileSync(source, text);
    execFileSync('nvcc', [...flags, source, '-o', cubin], { stdio: ['ignore', 'ignore', 'pipe'] });
    const rows = lineSequences(
      execFileSync('readelf', ['--debug-dump=decodedline', cubin], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
      'kernels.cu',
    );
    const starts = text.split('\n').map((line) => /__global__ void (\w+)\(/.exec(line)?.[1]);
    const tables = new Map<string, (typeof rows)[number]>();
    for (const sequence of rows) {
      let line = sequence.find((row) => row.line !== undefined)?.line;
      while (line !== undefined && line >= 0 && starts[line] === undefined) line--;
      if (line !== undefined && line >= 0) tables.set(starts[line]!, sequence);
    }
    const kernels = new Map<string, MachineAccess[]>();
    for (const [name, code] of sections(readFileSync(cubin))) {
      if (!name.startsWith('.text.')) continue;
      const kernel = name.slice('.text.'.length);
      const table = tables.get(kernel) ?? [];
      const found: MachineAccess[] = [];
      for (let at = 0; at + 16 <= code.length; at += 16) {
        const low = code.readBigUInt64LE(at);
        const operation = operations.get(Number(low & 0xfffn));
        if (!operation) continue;
        const line = table.filter((row) => row.address <= at).at(-1)?.line;
        if (line === undefined) continue; // of an inlined header
        found.push({
          ...operation,
          bytes: sizes[Number((code.readBigUInt64LE(at + 8) >> 9n) & 7n)] ?? 0,
          offset: Number(BigInt.asIntN(24, low >> 40n)),
          line,
        });
      }
      kernels.set(kernel, found);
    }
    return kernels;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether nvcc and readelf can be started here; the compiler's version, or undefined. */
export function compilerAtHand(): string | undefined {
  try {
    execFileSync('readelf', ['--version'], { stdio: 'ignore' });
    return /release [^\n]*/.exec(
      execFileSync('nvcc', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )?.[0];
  } catch {
    return undefined;
  }
}
