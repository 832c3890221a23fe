// The GPUs that figures can be computed for.
import type { Gpu } from './model';
import { multiprocessorLimits } from '../../../hardware/src/occupancy';

/**
 * Multiprocessor counts are those of the shipping products, from NVIDIA's architecture white papers (Volta, Turing,
 * Ampere GA100 and GA102, Ada, Hopper, Blackwell) and product briefs. Warps of 32 lanes hold
 * for every compute capability since 5.0.
 */
const table: readonly (readonly [name: string, computeCapability: number, multiprocessors: number])[] = [
  ['V100', 7.0, 80],
  ['T4', 7.5, 40],
  ['RTX 2080 Ti', 7.5, 68],
  ['A100', 8.0, 108],
  ['A30', 8.0, 56],
  ['A10', 8.6, 72],
  ['A40', 8.6, 84],
  ['RTX A6000', 8.6, 84],
  ['RTX 3080', 8.6, 68],
  ['RTX 3090', 8.6, 82],
  ['Jetson AGX Orin', 8.7, 16],
  ['L4', 8.9, 58],
  ['L40S', 8.9, 142],
  ['RTX 4080', 8.9, 76],
  ['RTX 4090', 8.9, 128],
  ['RTX 6000 Ada', 8.9, 142],
  ['H100 PCIe', 9.0, 114],
  ['H100', 9.0, 132],
  ['H200', 9.0, 132],
  ['GH200', 9.0, 132],
  ['B200', 10.0, 148],
  ['B300', 10.3, 148],
  ['RTX 5080', 12.0, 84],
  ['RTX 5090', 12.0, 170],
  ['RTX PRO 6000', 12.0, 188],
  ['GB10', 12.1, 48],
];

export const gpus: readonly Gpu[] = table.map(([name, computeCapability, multiprocessors]) => ({
  name,
  computeCapability,
  multiprocessors,
  warpSize: 32,
  resident: residentOf(computeCapability),
}));

function residentOf(computeCapability: number): Gpu['resident'] {
  const { blocks, threads } = multiprocessorLimits(computeCapability)!;
  return { blocks, threads };
}

export const defaultGpu: Gpu = gpus.find((gpu) => gpu.name === 'H100')!;

/**
 * A GPU by name (`h100`, `NVIDIA H100`, `rtx4090`) or by compute capability (`sm_90`, `9.0`: the largest of its kind).
 * Undefined when the table has none.
 */
export function gpuByName(text: string): Gpu | undefined {
  const wanted = text.toLowerCase().replace(/nvidia|geforce|[\s_-]/g, '');
  if (wanted === '') return undefined;
  const byName = gpus.find((gpu) => gpu.name.toLowerCase().replace(/\s/g, '') === wanted);
  if (byName) return byName;
  const capability = /^(?:sm|compute)?(\d+)\.?(\d)[af]?$/.exec(wanted);
  if (!capability) return undefined;
  const value = Number(`${capability[1]}.${capability[2]}`);
  return gpus.filter((gpu) => gpu.computeCapability === value).sort((a, b) => b.multiprocessors - a.multiprocessors)[0];
}
