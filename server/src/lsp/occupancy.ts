// The occupancy of a kernel for its hover and the model: what a build, a profile or the user says that it takes,
// against the limits of GPUs.
import type { KernelResources } from '../../../protocol/src/compilerFeedback';
import type { GivenResources } from '../../../protocol/src/settings';
import {
  multiprocessorLimits,
  occupancy,
  registersFor,
  type BlockResources,
  type MultiprocessorLimits,
  type Occupancy,
} from '../../../hardware/src/occupancy';
import { gpus } from '../semantic/gpus';
import type { Gpu, KernelFact, KernelShape, LaunchFact } from '../semantic/model';
import type { Reading } from './readings';
import { count, figure } from './wording';

/** What was said of kernels, by who said it. */
export type KernelResourcesSaid = ReturnType<typeof createKernelResources>;

export function createKernelResources() {
  const said = new Map<string, readonly KernelResources[]>();
  return {
    /** Takes the place of what the same source said before. */
    take(source: string, resources: readonly KernelResources[]): void {
      said.delete(source);
      if (resources.length > 0) said.set(source, resources.filter(isWhole));
    },
    /** Of a kernel of this name and number of parameters; what was said last comes first. */
    of: (kernel: Pick<KernelFact, 'qualifiedName' | 'parameters'>): readonly KernelResources[] =>
      [...said.values()].reverse().flatMap((resources) => resources.filter((each) => isOf(each, kernel))),
  };
}

/** Clients are not all of our own making. */
function isWhole({ name, registers, sharedBytes, from }: KernelResources): boolean {
  const isAmount = (amount: unknown): boolean =>
    typeof amount === 'number' && Number.isInteger(amount) && amount >= 0 && amount < 1e7;
  return (
    typeof name === 'string' &&
    typeof from === 'string' &&
    isAmount(registers) &&
    (sharedBytes === undefined || isAmount(sharedBytes))
  );
}

function isOf(
  { name, parameters }: KernelResources,
  kernel: Pick<KernelFact, 'qualifiedName' | 'parameters'>,
): boolean {
  const said = name.split('::');
  const own = kernel.qualifiedName.split('::');
  const length = Math.min(said.length, own.length);
  return (
    said.slice(-length).join('::') === own.slice(-length).join('::') &&
    (parameters === undefined || kernel.parameters.includes('...') || parameters === kernel.parameters.length)
  );
}

const mostShapes = 3;

/** What a session knows of kernels. */
export interface Known {
  readonly resources: KernelResourcesSaid;
  readonly folders: {
    of(uri: string): { readonly settings: { readonly kernelResources: Readonly<Record<string, GivenResources>> } };
  };
}

/**
 * Lines on a kernel; empty where no shape of it is known, or the GPU's limits are not. `everywhere`: also what it
 * reaches on the other GPUs of the table.
 */
export function occupancyOf(
  { resources, folders }: Known,
  { uri, gpu, model: { facts } }: Reading,
  kernel: KernelFact,
  everywhere = false,
): string[] {
  const limits = multiprocessorLimits(gpu.computeCapability);
  if (!limits || !kernel.global) return [];
  const given: Readonly<Record<string, GivenResources>> = folders.of(uri).settings.kernelResources;
  const said = resources.of(kernel);
  const launches = facts.launch;
  const byUser = Object.hasOwn(given, kernel.qualifiedName)
    ? given[kernel.qualifiedName]
    : Object.hasOwn(given, kernel.name)
      ? given[kernel.name]
      : undefined;
  const sources: readonly Omit<KernelResources, 'name'>[] = byUser
    ? [{ ...byUser, from: 'settings' }]
    : [...new Map(said.map((each) => [`${each.registers} ${each.sharedBytes}`, each])).values()].slice(0, mostShapes);
  const shapes = [
    ...new Map(
      kernel.shapes
        .filter(({ assumed, exact }) => exact && !assumed)
        .map((shape) => [`${threadsOf(shape)} ${dynamicBytes(shape, launches)}`, shape]),
    ).values(),
  ].slice(0, mostShapes);
  return shapes.flatMap((shape) => {
    const block = { threads: threadsOf(shape), dynamicSharedBytes: dynamicBytes(shape, launches) };
    const which = shapes.length > 1 ? `, ${count(block.threads, 'thread')} a block` : '';
    return sources.length === 0
      ? unknownLines(limits, block, gpu, which)
      : sources.flatMap((taken) => knownLines(limits, block, gpu, taken, which, everywhere));
  });
}

function knownLines(
  limits: MultiprocessorLimits,
  block: { readonly threads: number; readonly dynamicSharedBytes: number },
  gpu: Gpu,
  { registers, sharedBytes = 0, from }: Omit<KernelResources, 'name'>,
  which: string,
  everywhere: boolean,
): string[] {
  const asked: BlockResources = { ...block, registers, staticSharedBytes: sharedBytes };
  const shared = sharedBytes + block.dynamicSharedBytes;
  const ofBlock = shared > 0 ? `, ${count(shared, 'byte')} of shared memory a block` : '';
  const takes = `${count(registers, 'register')} a thread${ofBlock} (${from})`;
  const here = occupancy(limits, asked);
  const others = everywhere ? elsewhere(asked, gpu) : [];
  if (here.blocks === 0) return [`occupancy: no block fits on one SM of ${gpu.name}${which}; ${takes}`, ...others];
  const limiters = here.limiters.length > 0 ? `, limited by ${listed(here.limiters)}` : '';
  return [
    `occupancy ${percent(here)} on ${gpu.name}${which}: ${figure(here.warps)} of ${figure(here.mostWarps)} warps in ` +
      `${count(here.blocks, 'block')}${limiters}; ${takes}`,
    ...nextStep(limits, asked, here),
    ...others,
  ];
}

/** From how many registers on another block fits, where registers are what is short. */
function nextStep(limits: MultiprocessorLimits, asked: BlockResources, here: Occupancy): string[] {
  if (!here.limiters.includes('registers')) return [];
  const registers = registersFor(limits, asked, here.blocks + 1);
  if (registers === undefined) return [];
  const then = occupancy(limits, { ...asked, registers });
  const bounds = `__launch_bounds__(${asked.threads}, ${then.blocks})`;
  return [`${percent(here)} → ${percent(then)} from ${count(registers, 'register')} down: \`${bounds}\` asks for that`];
}

function unknownLines(
  limits: MultiprocessorLimits,
  block: { readonly threads: number; readonly dynamicSharedBytes: number },
  gpu: Gpu,
  which: string,
): string[] {
  const best = occupancy(limits, { ...block, registers: 1 });
  if (best.blocks === 0) return [];
  const registers = registersFor(limits, { ...block, registers: 1 }, best.blocks);
  if (registers === undefined) return [];
  const limiters = best.limiters.length > 0 ? `, limited by ${listed(best.limiters)}` : '';
  return [
    `occupancy on ${gpu.name}${which}: at most ${percent(best)}${limiters}, up to ` +
      `${count(registers, 'register')} a thread; ` +
      'resources unknown: build with -Xptxas -v, open a profile or set `kernelResources`',
  ];
}

/** The other GPUs of the table by what they reach, one for each architecture and share. */
function elsewhere(asked: BlockResources, gpu: Gpu): string[] {
  const shares = new Map<string, string[]>();
  const seen = new Set<number>([gpu.computeCapability]);
  for (const other of gpus) {
    if (seen.has(other.computeCapability)) continue;
    seen.add(other.computeCapability);
    const limits = multiprocessorLimits(other.computeCapability);
    if (!limits) continue;
    const there = occupancy(limits, asked);
    const share = there.blocks === 0 ? 'none' : percent(there);
    const alike = gpus.filter(({ computeCapability }) => computeCapability === other.computeCapability);
    shares.set(share, [...(shares.get(share) ?? []), ...alike.map(({ name }) => name)]);
  }
  const parts = [...shares]
    .sort(([a], [b]) => (Number.parseFloat(b) || 0) - (Number.parseFloat(a) || 0))
    .map(([share, names]) => `${share} on ${names.join(', ')}`);
  return parts.length === 0 ? [] : [`elsewhere: ${parts.join('; ')}`];
}

function threadsOf({ block }: KernelShape): number {
  return block[0] * block[1] * block[2];
}

/** What the launch that gave the shape asks for. */
function dynamicBytes({ launchAt }: KernelShape, launches: readonly LaunchFact[]): number {
  return (
    (launchAt && launches.find(({ at }) => at.uri === launchAt.uri && at.start === launchAt.start)?.sharedBytes) || 0
  );
}

function percent({ warps, mostWarps }: Occupancy): string {
  return `${Math.round((100 * warps) / mostWarps)} %`;
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;
}
