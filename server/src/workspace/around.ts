// What stands around a file: the sources of its folder and project, as far as they count for who includes and
// launches what.
import { dirname } from 'node:path';
import type { FileSystem } from './fileSystem';
import { digestOf, type Observer } from './observedFiles';
import { surroundings, type SourceIndex, type SurroundingsLimit } from './sourceIndex';

export interface Surroundings {
  readonly paths: ReadonlySet<string>;
  /** Of the paths and of all that the index says of them. */
  readonly digest: string;
}

export interface SurroundingsOptions {
  readonly fileSystem: FileSystem;
  readonly index: Pick<SourceIndex, 'update' | 'digestOf' | 'lengthOf'>;
  readonly observer: Observer;
  readonly root: string | undefined;
  readonly limit: SurroundingsLimit;
}

export function createSurroundings({ fileSystem, index, observer, root, limit }: SurroundingsOptions) {
  const byFolder = new Map<string, Surroundings>();

  function of(path: string): Surroundings {
    const folder = dirname(path);
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    let files = limit.files;
    let text = limit.text;
    const seen: string[] = [];
    // What was read in looking is in the digest as far as it counts: a neighbour's new comment changes nothing here.
    observer.aside(() => {
      for (const each of surroundings((where) => fileSystem.list(where), path, root)) {
        if (files-- <= 0 || text <= 0) break;
        index.update(each);
        text -= index.lengthOf(each);
        seen.push(each);
      }
    });
    const around = {
      digest: digestOf(seen.map((each) => `${each} ${index.digestOf(each)}`).join('\n')),
      paths: new Set(seen),
    };
    byFolder.set(folder, around);
    return around;
  }

  return {
    /** Brings the index up to date around a file's folder, once until `changed`. */
    of,
    /** The answer to a question of this room that an analysis asked (`around /p/a.cuh`). */
    answer: (question: string): string | undefined =>
      question.startsWith('around ') ? of(question.slice('around '.length)).digest : undefined,
    changed: (): void => byFolder.clear(),
  };
}
