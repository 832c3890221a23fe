// The facts of launches: what each asks for, and what its kernel makes of the shape.
import { kernelsNamed, startedBy, type Program, type TypeTable } from '../language';
import type { LaunchConfiguration, LaunchRecord, Locator } from '../run';
import type { LaunchFact } from '../model';
import type { LaunchShapeFacts } from '../fixes';
import { bodyOf, headOf } from './bodies';
import { bindingsOf, type FoundLaunch } from './launches';
import { codeOf } from '../program';

/** Calls of the runtime, the driver or HIP, and what stands for their attribute. */
const raisesSharedMemory = new RegExp(
  '\\b(?:(?:cuda|cu|hip)FuncSetAttribute|cudaFuncAttributeMaxDynamicSharedMemorySize|' +
    'CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)\\b',
);

/** What a kernel makes of the shape that a launch gives it, and other shapes that it can have. */
export interface LaunchFixes {
  ofLaunch(record: LaunchRecord, threads: number | undefined): LaunchShapeFacts | undefined;
}

/** Of the launches that are in file `uri`; each place once, with the first of its configurations. */
export function launchFacts(
  program: Program,
  types: TypeTable,
  locate: Locator,
  launches: readonly FoundLaunch[],
  uri: string,
  fixes: LaunchFixes,
): LaunchFact[] {
  const facts = new Map<string, LaunchFact>();
  const mayRaise = program.unit.files.some(
    ({ text }) => raisesSharedMemory.test(text) && raisesSharedMemory.test(codeOf(text)),
  );
  for (const { record, configuration } of launches) {
    if (record.fn.uri !== uri) continue;
    const at = locate.span(record.fn, record.node);
    const config = record.node.kind === 'launch' ? record.node.config : record.node.args.slice(1);
    if (!config[0] || !config[1]) continue;
    const kernels = startedBy(configuration, kernelsNamed(program, record.kernelName));
    const [kernel] = kernels;
    const body = kernel && bodyOf(configuration, kernel, program);
    const key = `${at.start}:${at.end}`;
    const known = facts.get(key);
    if (known) {
      if (!known.blockVaries && !isSameBlock(known, configuration)) facts.set(key, { ...known, blockVaries: true });
      continue;
    }
    const bound = kernels.length === 1 ? kernel!.launchBounds?.[0] : undefined;
    const mostThreads = bound && types.constant(bound, bindingsOf(kernel!, configuration, types));
    facts.set(key, {
      kind: 'launch',
      at,
      ...(record.through ? { through: locate.span(record.through.fn, record.through.node) } : {}),
      kernelName: record.kernelName,
      ...(kernel
        ? {
            kernelAt: {
              uri: kernel.uri,
              start: kernel.base + kernel.nameStart,
              end: kernel.base + kernel.nameStart + kernel.name.length,
            },
          }
        : {}),
      ...(body ? { bodyAt: headOf(body, locate) } : {}),
      block: configuration.block,
      grid: configuration.grid,
      blockExact: configuration.blockExact,
      gridExact: configuration.gridExact,
      gridSample: configuration.gridSample,
      blockAt: locate.span(record.fn, config[1]),
      gridAt: locate.span(record.fn, config[0]),
      blockText: locate.text(record.fn, config[1]),
      gridText: locate.text(record.fn, config[0]),
      ...(fixes.ofLaunch(record, threadsOf(configuration)) ?? {
        gridIsCeilDivision: false,
        kernelGuardsIndex: false,
        kernelCountsThreads: false,
        kernelNeedsShape: true,
        kernelIsSetup: false,
      }),
      ...(configuration.sharedBytes === undefined || !config[2] ? {} : { sharedBytes: configuration.sharedBytes }),
      ...(config[2] ? { sharedAt: locate.span(record.fn, config[2]) } : {}),
      ...(kernel && !mayRaise ? {} : { sharedMayBeRaised: true }),
      ...(mostThreads === undefined ? {} : { mostThreads }),
      ...(record.unsure ? { unsure: true } : {}),
      ...(config[3] ? { stream: locate.text(record.fn, config[3]) } : {}),
    });
  }
  return [...facts.values()];
}

/** A loop over sizes, or callers with one each, try blocks: the first is one of them. */
function isSameBlock({ block, blockExact }: LaunchFact, other: LaunchConfiguration): boolean {
  return (
    blockExact === other.blockExact &&
    block.x === other.block.x &&
    block.y === other.block.y &&
    block.z === other.block.z
  );
}

function threadsOf(configuration: LaunchConfiguration): number | undefined {
  const { x, y, z } = configuration.block;
  return x === undefined || y === undefined || z === undefined || !configuration.blockExact ? undefined : x * y * z;
}
