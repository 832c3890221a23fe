// The small kernels by which the compiler's merging is learnt: each with its text and the accesses that it stands for.
import { sharedOffsets, type PendingAccess, type SharedArray } from '../../../server/src/semantic/run/merging';

/** A kernel, the accesses under test in program order, and the line of each (from 0, within the kernel's text). */
export interface MergingCase {
  readonly name: string;
  readonly text: string;
  readonly accesses: readonly PendingAccess[];
  readonly lines: readonly number[];
}

/** An element type: its fields (or one scalar), their bytes, its size and declared alignment. */
interface ElementType {
  readonly name: string;
  readonly fields: readonly string[];
  readonly scalarBytes: number;
  readonly bytes: number;
  readonly alignment: number;
  readonly opaque?: boolean;
}
const scalar = (name: string, bytes: number, opaque = false): ElementType => ({
  name,
  fields: [''],
  scalarBytes: bytes,
  bytes,
  alignment: bytes,
  opaque,
});
const structure = (
  name: string,
  fields: string,
  scalarBytes: number,
  bytes: number,
  alignment: number,
): ElementType => ({
  name,
  fields: fields.split(' ').map((field) => `.${field}`),
  scalarBytes,
  bytes,
  alignment,
});

export const preamble = `#include <cuda_fp16.h>
struct Four { int a, b, c, d; };
struct __align__(8) Two8 { int a, b; };
struct __align__(16) Four16 { int a, b, c, d; };
struct __align__(16) Three16 { int a, b, c; };
struct __align__(8) Three8 { float a, b, c; };
struct Pair { double a, b; };
struct __align__(16) Pair16 { double a, b; };
struct Bytes { unsigned char a, b, c, d; };
struct __align__(4) Bytes4 { unsigned char a, b, c, d; };
struct __align__(16) Six { float a, b, c, d, e, f; };
struct __align__(8) Shorts { short a, b, c, d; };
`;

const scalars = [
  scalar('unsigned char', 1),
  scalar('short', 2),
  scalar('int', 4),
  scalar('float', 4),
  scalar('double', 8),
  scalar('__half', 2),
];
const structures = [
  structure('Four', 'a b c d', 4, 16, 4),
  structure('Two8', 'a b', 4, 8, 8),
  structure('Four16', 'a b c d', 4, 16, 16),
  structure('Three16', 'a b c', 4, 16, 16),
  structure('Three8', 'a b c', 4, 16, 8),
  structure('Pair', 'a b', 8, 16, 8),
  structure('Pair16', 'a b', 8, 16, 16),
  structure('Bytes', 'a b c d', 1, 4, 1),
  structure('Bytes4', 'a b c d', 1, 4, 4),
  structure('Six', 'a b c d e f', 4, 32, 16),
  structure('Shorts', 'a b c d', 2, 8, 8),
  structure('float2', 'x y', 4, 8, 8),
  structure('float3', 'x y z', 4, 12, 4),
  structure('float4', 'x y z w', 4, 16, 16),
  structure('uchar4', 'x y z w', 1, 4, 4),
  structure('short4', 'x y z w', 2, 8, 8),
  structure('double2', 'x y', 8, 16, 16),
];

type Home = 'pointer' | 'static' | 'behind' | 'aligned' | 'extern';
const homes: readonly Home[] = ['pointer', 'static', 'behind', 'aligned', 'extern'];

/** What is between the first and the second access. */
type Between = 'nothing' | 'same array' | 'same index' | 'other array' | 'other space' | 'atomic';

interface Shape {
  readonly type: ElementType;
  readonly home: Home;
  readonly mode: 'load' | 'store';
  /** Elements between neighbouring threads. */
  readonly stride: number;
  /** Places in order: elements of an array of scalars, or fields of one structure. */
  readonly picks: readonly number[];
  readonly between?: Between;
  readonly restrict?: boolean;
}

const lowest = (value: number): number => value & -value;
const elements = 1024;

/** Where the array lies: its declared alignment, and what the assembler knows of its start. */
function alignments(shape: Shape): { declared: number; placed: number | undefined } {
  const { type, home } = shape;
  if (home === 'pointer') return { declared: type.alignment, placed: undefined };
  if (home === 'static') return { declared: type.alignment, placed: 16 };
  if (home === 'aligned' || home === 'extern') return { declared: 16, placed: 16 };
  // After an array of three elements of its type.
  return { declared: type.alignment, placed: lowest(sharedOffsets([before(type), before(type)])[1]! | 16) };
}

function before(type: ElementType): SharedArray {
  return { bytes: 3 * type.bytes, alignment: type.alignment };
}

function describe(shape: Shape): string {
  const { type, home, mode, stride, picks, between, restrict } = shape;
  const extra = [between && between !== 'nothing' ? between : '', restrict ? 'restrict' : ''].filter(Boolean);
  return [`${mode} ${type.name} ${home} ${stride}t+${picks.join('')}`, ...extra].join(', ');
}

function kernelOf(shape: Shape, number: number): MergingCase {
  const { type, home, mode, stride, picks, between = 'nothing', restrict } = shape;
  const fields = type.fields.length > 1;
  const lines: string[] = [];
  const accesses: PendingAccess[] = [];
  const places: number[] = [];
  const { declared, placed } = alignments(shape);
  const step = stride * type.bytes;
  const known = (alignment: number): number => Math.min(16, lowest(step | alignment));
  const add = (line: string, access?: Partial<PendingAccess>): void => {
    if (access) {
      places.push(lines.length);
      accesses.push({
        base: 0,
        space: home === 'pointer' ? 'global' : 'shared',
        mode,
        bytes: type.scalarBytes,
        scalarBytes: type.scalarBytes,
        form: 0,
        offset: 0,
        alignment: known(declared),
        ...(placed === undefined ? {} : { placed: known(placed) }),
        mask: 0,
        ...(restrict ? { restrict: true } : {}),
        ...(type.opaque ? { opaque: true } : {}),
        ...access,
      });
    }
    lines.push(line);
  };
  const written = mode === 'store' || between === 'same array' || between === 'same index';
  const pointer = `${written ? '' : 'const '}${type.name} *${restrict ? ' __restrict__' : ''} p`;
  add(
    `extern "C" __global__ void k${number}(${pointer}, const float *__restrict__ q, float *o, int *n, ` +
      `${type.name} *g) {`,
  );
  add('  const int t = threadIdx.x;');
  const array = home === 'pointer' ? 'p' : home === 'extern' ? `s${number}` : 's';
  if (home === 'behind') add(`  __shared__ ${type.name} before[3];`);
  if (home === 'static' || home === 'behind') add(`  __shared__ ${type.name} s[${elements}];`);
  if (home === 'aligned') add(`  __shared__ __align__(16) ${type.name} s[${elements}];`);
  if (home === 'extern') add(`  extern __shared__ ${type.name} s${number}[];`);
  add(`  __shared__ float other[256];`);
  add(`  __shared__ int counter[4];`);
  if (home === 'behind') add('  if (t < 3) before[t] = g[t + 7];');
  if (mode === 'load' && home !== 'pointer') add(`  ${array}[t] = g[t];`);
  add('  if (t < 4) counter[t] = t;');
  add('  __syncthreads();');
  const element = (pick: number): string =>
    fields ? `${array}[${stride} * t]${type.fields[pick]}` : `${array}[${stride} * t${pick ? ` + ${pick}` : ''}]`;
  const offsetOf = (pick: number): number => pick * type.scalarBytes;
  const value = fields ? (type.scalarBytes === 8 ? 'double' : type.scalarBytes === 4 ? 'float' : 'int') : type.name;
  if (mode === 'store')
    for (const [at, pick] of picks.entries()) add(`  ${value} v${at} = q[t + ${1000 * (pick + 1)}];`);
  if (between !== 'nothing' && between !== 'atomic' && mode === 'load') add('  const float w = q[t + 9000];');
  for (const [at, pick] of picks.entries()) {
    const shared = { offset: offsetOf(pick), ...(fields ? { object: 1 } : {}) };
    add(mode === 'load' ? `  ${value} v${at} = ${element(pick)};` : `  ${element(pick)} = v${at};`, shared);
    if (at > 0 || between === 'nothing') continue;
    const write = mode === 'load';
    if (between === 'other array')
      add(write ? '  other[t] = w;' : '  const float x = other[t ^ 1];', {
        base: 1,
        space: 'shared',
        mode: write ? 'store' : 'load',
        bytes: 4,
        scalarBytes: 4,
        form: 1,
        alignment: 4,
        placed: 4,
        opaque: false,
        restrict: false,
      });
    if (between === 'other space')
      add(
        write
          ? `  ${home === 'pointer' ? 'other[t]' : 'o[t]'} = w;`
          : `  const float x = ${home === 'pointer' ? 'other[t ^ 1]' : 'o[t ^ 1]'};`,
        {
          base: 2,
          space: home === 'pointer' ? 'shared' : 'global',
          mode: write ? 'store' : 'load',
          bytes: 4,
          scalarBytes: 4,
          form: 2,
          alignment: 4,
          opaque: false,
          restrict: false,
        },
      );
    if (between === 'same array')
      add(write ? `  ${array}[t * t + 77] = ${type.name}(w);` : `  const float x = ${array}[t * t + 77];`, {
        mode: write ? 'store' : 'load',
        form: 3,
        alignment: known(type.alignment) & -known(type.alignment) ? type.alignment : 1,
        placed: type.alignment,
      });
    if (between === 'same index')
      add(
        write ? `  ${array}[${stride} * t + 64] = ${type.name}(w);` : `  const float x = ${array}[${stride} * t + 64];`,
        {
          mode: write ? 'store' : 'load',
          offset: offsetOf(64),
        },
      );
    if (between === 'atomic')
      add(home === 'pointer' ? '  atomicAdd(n, 3);' : '  atomicAdd(&counter[t & 3], 3);', {
        base: 4,
        mode: 'atomic',
        space: home === 'pointer' ? 'global' : 'shared',
        bytes: 4,
        scalarBytes: 4,
        form: 4,
        opaque: false,
        restrict: false,
      });
  }
  if (mode === 'load') {
    const sum = picks.map((_, at) => `float(v${at}) * ${at + 2}.5f`).join(' + ');
    add('  __syncthreads();');
    const more = home === 'pointer' ? '' : ` + float(${array}[t ^ 5]${fields ? type.fields[0] : ''})`;
    add(`  o[t] = ${sum} + other[t ^ 3] + counter[t & 3]${more};`);
  } else {
    add('  __syncthreads();');
    add(`  o[t] = ${between === 'nothing' || between === 'atomic' ? '0.f' : 'x'} + other[t ^ 3] + counter[t & 3];`);
    if (home !== 'pointer') add(`  g[t] = ${array}[(t * 7) & 1023];`);
  }
  if (home === 'behind') add('  g[t + 4096] = before[t % 3];');
  add('}');
  return { name: describe(shape), text: lines.join('\n'), accesses, lines: places };
}

function subsets(count: number): number[][] {
  const found: number[][] = [];
  for (let bits = 1; bits < 1 << count; bits++) {
    const picks = Array.from({ length: count }, (_, at) => at).filter((at) => bits & (1 << at));
    if (picks.length > 1) found.push(picks);
  }
  return found;
}

/** Kernels over types x homes x distances x orders x what is between. Part 0 of the five parts is recorded. */
export function mergingCases(part = 0): MergingCase[] {
  const shapes: Shape[] = [];
  for (const mode of ['load', 'store'] as const)
    for (const home of homes) {
      for (const type of scalars) {
        for (const picks of subsets(4)) shapes.push({ type, home, mode, stride: 8, picks });
        for (const picks of [
          [1, 0],
          [3, 2, 1, 0],
          [2, 0, 3, 1],
          [1, 2, 3, 4],
          [0, 1, 2, 3, 4, 5, 6, 7],
          [0, 1, 2, 3, 4, 5],
        ])
          shapes.push({ type, home, mode, stride: 8, picks });
        for (const stride of [1, 2, 3, 4, 6])
          shapes.push({ type, home, mode, stride, picks: [0, 1, 2, 3].slice(0, Math.max(2, stride)) });
      }
      for (const type of structures) {
        for (const picks of subsets(Math.min(4, type.fields.length)))
          shapes.push({ type, home, mode, stride: 1, picks });
        if (type.fields.length === 4) shapes.push({ type, home, mode, stride: 1, picks: [3, 1, 2, 0] });
        if (type.fields.length === 6) shapes.push({ type, home, mode, stride: 1, picks: [0, 1, 2, 3, 4, 5] });
      }
      const float = scalars.find((type) => type.name === 'float')!;
      const float2 = structures.find((type) => type.name === 'float2')!;
      for (const between of ['same array', 'same index', 'other array', 'other space', 'atomic'] as const) {
        if (home !== 'pointer')
          for (const picks of [
            [0, 1],
            [0, 1, 2, 3],
            [1, 2, 3],
          ])
            shapes.push({ type: float, home, mode, stride: 8, picks, between });
        if (between === 'other array' || between === 'other space' || between === 'atomic')
          for (const restrict of [false, true])
            shapes.push({ type: float2, home, mode, stride: 1, picks: [0, 1], between, restrict });
      }
    }
  // Every fifth of the plain ones: five is prime to the lengths of the lists, so that all of their members come.
  return shapes.filter((shape, at) => shape.between !== undefined || at % 5 === part).map(kernelOf);
}
