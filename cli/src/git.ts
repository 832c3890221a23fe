// Queries git for repositories, revisions and their contents.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { BadUse, displayPath } from './source';

const mostOutput = 256 * 1024 * 1024;

/** The top folder of the repository that a folder is in. Throws BadUse; `asker` names the option that needs it. */
export function topOf(folder: string, asker: string): string {
  const { status, stdout } = git(folder, ['rev-parse', '--show-toplevel'], asker);
  if (status !== 0) throw new BadUse(`${displayPath(folder)} is not in a git repository, which ${asker} requires.`);
  return realpathSync(stdout.replace(/\r?\n$/, ''));
}

/** The hash of the commit that a revision is. Throws BadUse for one that git does not know. */
export function commitOf(top: string, revision: string): string {
  const found = git(top, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  if (found.status !== 0)
    throw new BadUse(`git knows no revision "${revision}" in ${displayPath(top)}; name a commit, a branch or a tag.`);
  return found.stdout.trim();
}

/** The output of a git command with `-z`, split. Throws BadUse if it fails. */
export function listOf(top: string, args: readonly string[]): string[] {
  const { status, stdout, stderr } = git(top, args);
  if (status !== 0) throw new BadUse(`git could not list the changes in ${displayPath(top)}: ${firstLine(stderr)}`);
  return stdout.split('\0').slice(0, -1);
}

/** The contents of the blobs of these hashes; undefined for a missing one. */
export function blobsOf(top: string, hashes: readonly string[]): readonly (Buffer | undefined)[] {
  if (hashes.length === 0) return [];
  const { status, bytes, stderr } = run(top, ['cat-file', '--batch'], 'git', `${hashes.join('\n')}\n`);
  if (status !== 0) throw new BadUse(`git could not read files of ${displayPath(top)}: ${firstLine(stderr)}`);
  let at = 0;
  return hashes.map(() => {
    const end = bytes.indexOf(0x0a, at);
    const [, kind, size] = bytes.subarray(at, end).toString('utf8').split(' ');
    at = end + 1;
    // `HASH missing` is not followed by contents.
    if (size === undefined) return undefined;
    const contents = bytes.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return kind === 'blob' ? contents : undefined;
  });
}

/** A file that differs between two states of a repository; paths with slashes, from its top. */
export interface ChangedPath {
  /** Absent for a file that is new. */
  readonly before?: { readonly path: string; readonly blob: string };
  /** Absent for a file that is gone. */
  readonly after?: { readonly path: string };
}

/**
 * What is other in `to`, the working tree where absent, than in the commit `from`. Links and submodules are left out.
 */
export function changedPaths(top: string, from: string, to?: string): readonly ChangedPath[] {
  const options = ['--raw', '-z', '--no-abbrev', '--find-renames', '--no-ext-diff', '--no-textconv'];
  const fields = listOf(top, ['diff', ...options, from, ...(to === undefined ? [] : [to]), '--']);
  const found: ChangedPath[] = [];
  for (let at = 0; at < fields.length; ) {
    const [mode, modeAfter, blob, , status] = fields[at]!.replace(/^:/, '').split(' ');
    const isRenamed = /^[RC]/.test(status!);
    const path = fields[at + 1]!;
    const pathAfter = isRenamed ? fields[at + 2]! : path;
    at += isRenamed ? 3 : 2;
    if (![mode, modeAfter].every((each) => /^(100|000)/.test(each!))) continue;
    const isCopied = status!.startsWith('C');
    found.push({
      ...(status === 'A' || isCopied ? {} : { before: { path, blob: blob! } }),
      ...(status === 'D' ? {} : { after: { path: pathAfter } }),
    });
  }
  if (to === undefined)
    for (const path of listOf(top, ['ls-files', '--others', '--exclude-standard', '-z']))
      found.push({ after: { path } });
  return found;
}

export interface GitAnswer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git in a folder. Throws BadUse if git is missing. */
export function git(folder: string, args: readonly string[], asker = '--since'): GitAnswer {
  const { status, bytes, stderr } = run(folder, args, asker);
  return { status, stdout: bytes.toString('utf8'), stderr };
}

function run(
  folder: string,
  args: readonly string[],
  asker: string,
  input?: string,
): { readonly status: number | null; readonly bytes: Buffer; readonly stderr: string } {
  // A repository's own settings must not start programs.
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '-c', 'diff.external='];
  const { error, status, stdout, stderr } = spawnSync('git', ['-C', folder, ...safe, ...args], {
    ...(input === undefined ? {} : { input }),
    maxBuffer: mostOutput,
    env: { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
  });
  if (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new BadUse(
      absent ? `${asker} requires git, which is not installed or not on the PATH.` : `git failed: ${error.message}.`,
    );
  }
  return { status, bytes: stdout, stderr: stderr.toString('utf8') };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.replace(/^fatal: /, '');
}
