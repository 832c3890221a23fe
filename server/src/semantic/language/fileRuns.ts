// Cuts the files of a unit into runs that units of one library share, so that what is known of a run is computed once.
import type { SourceFile } from '../../syntax/ast';
import { hashText } from '../../syntax/macros';

/** Files in a run, on the average: a unit asks each run, and joins again those that only it includes files in. */
const filesInRun = 64;
/** Runs that begin with one file and are remembered. */
const mostVariants = 4;

const runsFrom = new WeakMap<SourceFile, readonly (readonly SourceFile[])[]>();

/**
 * The files in their order; equal runs are one array. A file's name alone decides whether a run begins with it: a file
 * that only one of two units includes changes the run that it is in and no other.
 */
export function runsOf(files: readonly SourceFile[]): readonly (readonly SourceFile[])[] {
  const runs: SourceFile[][] = [];
  for (const file of files) {
    if (runs.length === 0 || hashText(file.uri) % filesInRun === 0) runs.push([]);
    runs.at(-1)!.push(file);
  }
  return runs.map((run) => {
    const known = runsFrom.get(run[0]!) ?? [];
    const same = known.find((each) => each.length === run.length && each.every((file, at) => file === run[at]));
    if (!same) runsFrom.set(run[0]!, [run, ...known].slice(0, mostVariants));
    return same ?? run;
  });
}
