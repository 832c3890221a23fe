// Why a kernel has no numbers per line, in the words that every client uses.
import type { KernelMeasurement } from '../../../protocol/src/lineMetrics';

/** Words that follow "No lines: ", without a full stop; they name the next step where there is one. */
export function reasonForNoLines({ withoutLines }: Pick<KernelMeasurement, 'withoutLines'>): string {
  switch (withoutLines) {
    case 'no line table':
      return 'its code has no line table; it is from a library, or was compiled without nvcc -lineinfo';
    case 'no per-instruction metrics':
      return (
        'per-instruction counters were not collected; profile with --set detailed, --set full or --section ' +
        'SourceCounters'
      );
    case 'no source record':
      return 'the report does not contain its machine code';
    case undefined:
      return 'none of its instructions belongs to a line';
  }
}
