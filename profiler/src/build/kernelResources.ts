// SM resources of kernels as a build or a report states them, in the form that the server takes.
import type { KernelResources } from '../../../protocol/src/compilerFeedback';
import { measuredParameters } from '../evidence/kernelIdentity';
import type { ProfiledKernel } from '../overlay/kernels';
import { nameOfSymbol } from '../report/functionNames';
import { readPtxasReport } from './ptxasReport';

/** Of a build's output with the words of `ptxas -v`; of several architectures, each. */
export function resourcesOfBuild(log: string): KernelResources[] {
  if (!log.includes('Compiling entry function')) return [];
  return readPtxasReport(log).flatMap(({ symbol, architecture, registers, sharedBytes }) =>
    registers === undefined
      ? []
      : [
          {
            name: nameOfSymbol(symbol),
            registers,
            ...(sharedBytes === undefined ? {} : { sharedBytes }),
            from: `ptxas for ${architecture}`,
          },
        ],
  );
}

/** Of the kernels of a report; one that does not say how many registers a thread had is left out. */
export function resourcesOfReport(
  report: string,
  kernels: readonly Pick<ProfiledKernel, 'name' | 'shortName' | 'mangledName' | 'longest'>[],
): KernelResources[] {
  return kernels.flatMap(({ name, shortName, mangledName, longest: { kind, values } }) => {
    const registers = values['launch__registers_per_thread'];
    if (kind !== 'kernel' || registers === undefined || !Number.isInteger(registers)) return [];
    // Static shared memory in the report includes the driver's part.
    const sharedBytes = values['launch__shared_mem_per_block_static'];
    const parameters = measuredParameters(name)?.length;
    return [
      {
        name: mangledName === undefined ? shortName : nameOfSymbol(mangledName),
        registers,
        ...(sharedBytes !== undefined && Number.isInteger(sharedBytes) ? { sharedBytes } : {}),
        ...(parameters === undefined ? {} : { parameters }),
        from: report,
      },
    ];
  });
}
