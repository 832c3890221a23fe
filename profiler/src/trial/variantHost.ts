/**
 * A host as one form of the program sees it: a separate folder in the scratch folder, and sources with that form's
 * texts.
 */

import { isAbsolute, relative, sep } from 'node:path';
import { posix } from 'node:path';

import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import type { Stage } from '../transport/problem';

/** The whole new text of a file, by its absolute path here. */
export interface FileText {
  readonly path: string;
  readonly text: string;
}

/** Copies a folder of this machine into one of the host. */
export type FolderCopier = (from: string, path: string, stage: Stage, signal?: AbortSignal) => Promise<void>;

/** Sends each folder once, for all the forms; what a form gets is a copy on the host, which its build may change. */
export function copyFoldersOnce(host: Host): FolderCopier {
  const sent = new Map<string, Promise<string>>();
  return async (from, path, stage, signal) => {
    let once = sent.get(from);
    if (!once) {
      const pristine = posix.join(host.scratch, `sent-${sent.size}`);
      once = host.sendFolder(from, pristine, stage, signal).then(() => pristine);
      sent.set(from, once);
    }
    const pristine = await once;
    const copied = await host.run(['sh', '-c', 'mkdir -p "$2" && cp -Rp "$1/." "$2"', 'copy', pristine, path], {
      stage,
      signal,
      launched: false,
    });
    if (copied.status !== 0)
      throw new ProfileProblem(
        stage,
        'host-disk-full',
        `${from} could not be copied on ${host.name}.`,
        'Free some space there, or use another folder with --scratch.',
        lastLines(copied.errors, 3),
      );
  };
}

/**
 * Everything that is sent goes below `folder` of the host, with `files` in place of what is on the disk here. It says
 * that it is not this machine even where it is, so that a build copies its sources and leaves the user's folder alone.
 */
export function variantHost(
  host: Host,
  folder: string,
  files: readonly FileText[],
  copyFolder: FolderCopier,
): {
  readonly host: Host;
  /** Those of the files that nothing asked for so far: they are no part of what is built. */
  unused(): readonly string[];
} {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const unused = new Set(texts.keys());
  const own: Host = {
    ...host,
    isLocal: false,
    scratch: folder,
    run: (words, options) => host.run(words, { ...options, directory: options.directory ?? folder }),
    send(content, path, stage, signal) {
      const text = 'file' in content ? texts.get(content.file) : undefined;
      if ('file' in content) unused.delete(content.file);
      return host.send(text === undefined ? content : { text }, path, stage, signal);
    },
    async sendFolder(from, path, stage, signal) {
      await copyFolder(from, path, stage, signal);
      for (const [file, text] of texts) {
        const below = relative(from, file);
        if (below.startsWith('..') || isAbsolute(below)) continue;
        unused.delete(file);
        await host.send({ text }, posix.join(path, below.split(sep).join('/')), stage, signal);
      }
    },
    // The folder goes with the host that it is on.
    close: () => Promise.resolve('removed'),
  };
  return { host: own, unused: () => [...unused] };
}
