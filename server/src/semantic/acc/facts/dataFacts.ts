// The facts of data and calls: what regions move, what they accumulate, what they call and what the host waits for.
import type { ProcedureFile } from '../../../syntax/procedures';
import type { AccFactKinds } from '../model';
import { missingRoutinesOf } from './calledRoutines';
import { wideDataClausesOf } from './dataClauses';
import { overlapsOf } from './overlaps';
import { loopRacesOf } from './loopRaces';
import type { noMappingFacts } from './mappingFacts';
import { missingReductionsOf } from './reductions';
import { repeatedTransfersOf } from './repeatedTransfers';
import { needlessUpdatesOf } from './repeatedUpdates';
import type { Scope, Sources } from '../analysis/scope';
import { unwaitedOf } from './unwaited';
import { waitsOf } from './waits';

type DataFacts = {
  readonly [K in Exclude<
    keyof AccFactKinds,
    'acc-directive' | keyof typeof noMappingFacts
  >]: readonly AccFactKinds[K][];
};

export const noDataFacts: DataFacts = {
  'acc-repeated-transfer': [],
  'acc-data-clause': [],
  'acc-update': [],
  'acc-reduction': [],
  'acc-race': [],
  'acc-alias': [],
  'acc-routine': [],
  'acc-wait': [],
  'acc-unwaited': [],
};

/**
 * Those of one file's procedures, seen with all that `sources` holds. In managed memory nothing is said of transfers,
 * which are not the directives' then.
 */
export function dataFacts(
  file: ProcedureFile,
  sources: Sources,
  managedMemory: boolean,
  accCompiler?: 'gcc' | 'nvhpc',
): DataFacts {
  const scopes = sources.scopes.filter((scope) => scope.file === file);
  const each = <T>(of: (scope: Scope) => readonly T[]): T[] => scopes.flatMap(of);
  return {
    ...(managedMemory
      ? noDataFacts
      : {
          'acc-repeated-transfer': each(repeatedTransfersOf),
          'acc-data-clause': each(wideDataClausesOf),
          'acc-update': each(needlessUpdatesOf),
        }),
    'acc-reduction': each(missingReductionsOf).map((fact) => ({
      ...fact,
      ...(accCompiler && { compiler: accCompiler }),
    })),
    'acc-race': each(loopRacesOf),
    'acc-alias': each(overlapsOf),
    'acc-routine': each(missingRoutinesOf),
    'acc-wait': each(waitsOf),
    'acc-unwaited': managedMemory ? [] : each(unwaitedOf),
  };
}
