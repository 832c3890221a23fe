// The facts about gangs, workers and vector lanes: lengths against trip counts, single warps, missing levels, strides,
// small outer loops; with the edits that fix them.
import { isOfOneCompiler } from '../../../syntax/directives/table';
import type { ProcedureFile } from '../../../syntax/procedures';
import type { AccFactKinds, AccLoopFact } from '../model';
import type { CompilerRemark } from '../feedback/remark';
import type { Gpu, Span } from '../../model';
import { type Mapping, mappingOf, sizeOf, vectorLengthOf } from '../analysis/mapping';
import { type ComputeRegion, levelNames, loopsOf, outerLoops, regionsOf, withInner } from '../analysis/regions';
import type { Sources } from '../analysis/scope';
import { tripsOf } from '../analysis/trips';
import { assumedLength, type Context, factTrips, type Kernel, span, warp } from './kernelMapping';
import { lengthFacts } from './vectorLengths';
import { workFact } from './kernelWork';
import { blockFacts, workersFacts } from './workers';
import { collapseFacts } from './collapse';
import { flatFacts } from './flatGangs';
import { idleFacts } from './idleGangs';
import { levelFacts } from './levels';
import { strideFacts } from './laneStrides';

const kinds = [
  'acc-loop',
  'acc-work',
  'acc-vector-length',
  'acc-block',
  'acc-workers',
  'acc-mapping',
  'acc-stride',
  'acc-collapse',
] as const;
const emptyFacts = () =>
  Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as {
    [K in (typeof kinds)[number]]: AccFactKinds[K][];
  };
export const noMappingFacts = emptyFacts();

export function mappingFacts(
  file: ProcedureFile,
  sources: Sources,
  {
    gpu,
    feedback = [],
    accCompiler,
  }: {
    readonly gpu: Gpu;
    readonly feedback?: readonly CompilerRemark[];
    readonly accCompiler?: 'gcc' | 'nvhpc' | undefined;
  },
): typeof noMappingFacts {
  const usualLength = accCompiler === 'gcc' ? warp : assumedLength;
  const severalDevices = file.directives
    .flatMap(({ clauses }) => clauses)
    .some(({ name, argument }) => name === 'device_type' && argument?.items.some(({ text }) => text.trim() !== '*'));
  const takesDevices = severalDevices || accCompiler === 'nvhpc';
  const context: Context = { file, gpu, feedback, severalDevices, takesDevices };
  const facts = emptyFacts();
  for (const scope of sources.scopes) {
    if (scope.file !== file) continue;
    for (const region of regionsOf(scope)) {
      if (isOfOneCompiler(region.directive.clauses.map(({ written }) => written))) continue;
      const mapping = mappingOf(region, context.feedback);
      const kernels: Kernel[] =
        region.construct === 'parallel'
          ? [{ region, loops: loopsOf(region), mapping, usualLength }]
          : region.construct === 'kernels'
            ? region.roots.map((root) => ({ region, loops: withInner(root), mapping, usualLength }))
            : [];
      for (const kernel of kernels) {
        facts['acc-work'].push(workFact(kernel, context));
        facts['acc-vector-length'].push(...lengthFacts(kernel, context));
        facts['acc-workers'].push(...workersFacts(kernel, context));
      }
      facts['acc-loop'].push(...loopFacts(region, mapping, usualLength, context));
      facts['acc-block'].push(...blockFacts(region, context));
      const idle = idleFacts(region, mapping, context);
      if (region.construct === 'serial') {
        facts['acc-mapping'].push(...idle);
        facts['acc-work'].push(workFact({ region, loops: loopsOf(region), mapping, usualLength }, context));
        continue;
      }
      const collapses = region.construct === 'routine' ? [] : collapseFacts(region, mapping, context);
      facts['acc-collapse'].push(...collapses);
      const levels = [...levelFacts(region, mapping, context), ...flatFacts(region, mapping, context)];
      // Loops that had better be joined give their lanes to the joined loop: no directive may be between them then.
      facts['acc-mapping'].push(
        ...[...levels, ...idle.filter(({ form, at }) => form !== 'few-gangs' || !hasHead(levels, at))].filter(
          ({ at }) => !hasHead(collapses, at),
        ),
      );
      facts['acc-stride'].push(...strideFacts(region, mapping, context));
    }
  }
  return facts;
}

function hasHead(facts: readonly { readonly at: Span }[], { start }: Span): boolean {
  return facts.some(({ at }) => at.start === start);
}

function loopFacts(region: ComputeRegion, mapping: Mapping, usualLength: number, context: Context): AccLoopFact[] {
  return loopsOf(region).map((loop): AccLoopFact => {
    const levels = mapping.get(loop) ?? {};
    const vectorLength = levels.vector && !levels.tiled ? vectorLengthOf(loop, levels, usualLength).value : undefined;
    const workers = levels.worker ? (levels.workers ?? sizeOf(region, [loop], 'worker')?.number) : undefined;
    const trips = factTrips(tripsOf(region.scope, loop.step));
    return {
      kind: 'acc-loop',
      at: span(context, loop.step.header),
      variable: loop.step.variable ?? '',
      construct: region.construct,
      regionAt: span(context, region.directive),
      procedure: region.scope.procedure.name,
      depth: outerLoops(loop).length,
      levels: Object.fromEntries(levelNames.flatMap((level) => (levels[level] ? [[level, levels[level]]] : []))),
      joined: loop.joinedInto !== undefined,
      ...(vectorLength === undefined ? {} : { vectorLength }),
      ...(workers === undefined ? {} : { workers }),
      ...(trips ? { trips } : {}),
    };
  });
}
