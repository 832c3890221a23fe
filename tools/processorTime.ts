// Processor time of this process and of the processes that it started and saw end.
import { readFileSync } from 'node:fs';

/** Ticks in a second, as Linux counts for programs. */
const TICKS = 100;

/** In seconds; without children where there is no /proc. */
export function processorSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
