// Makes what a release consists of: the tarball for npm, the extension, and notes from the changelog.
//
//   npm run release [folder]     out/release when no folder is named
//
// Publishing and the tag are up to the maintainer.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { version } from '../package.json';
import { makeTarball } from './tarball';
import { checkPackage, makePackage } from './vsix';

const root = join(__dirname, '..');

/** The version and the text of the newest section of a changelog; undefined without a section. */
export function newestSection(changelog: string): { readonly version: string; readonly text: string } | undefined {
  const match = /^##[ \t]+\[?v?(\d+\.\d+\.\d+[^\s\]]*)\]?[^\n]*\n([\s\S]*?)(?=^##[ \t]|(?![\s\S]))/m.exec(changelog);
  return match ? { version: match[1]!, text: match[2]!.trim() } : undefined;
}

/** The notes of the version to release, or the sentence that says why there are none. */
export function notesOf(changelog: string, released: string): string | { readonly problem: string } {
  const newest = newestSection(changelog);
  if (!newest) return { problem: 'CHANGELOG.md has no section "## VERSION". Add one.' };
  if (newest.version !== released)
    return {
      problem:
        `The newest section of CHANGELOG.md is ${newest.version}, but package.json has ${released}. ` +
        'Make them the same.',
    };
  if (newest.text === '') return { problem: `The section ${released} of CHANGELOG.md is empty. Fill it in.` };
  return `# Warplens ${released}\n\n${newest.text}\n`;
}

/** Builds and writes the files of a release. Returns what is wrong, a sentence each. */
export function makeRelease(folder: string): readonly string[] {
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (typeof notes !== 'string') return [notes.problem];
  mkdirSync(folder, { recursive: true });
  const vsix = join(folder, `warplens-${version}.vsix`);
  makePackage(vsix);
  const complaints = checkPackage(vsix);
  const { path } = makeTarball(folder);
  writeFileSync(join(folder, 'notes.md'), notes);
  console.log(`${folder}: ${basename(vsix)}, ${basename(path)}, notes.md`);
  return complaints;
}

if (process.argv[1] === __filename) {
  const folder = process.argv[2] === undefined ? join(root, 'out', 'release') : resolve(process.argv[2]);
  const complaints = makeRelease(folder);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length === 0)
    console.log(
      `Next: git tag v${version} && git push origin v${version}, and attach the files to the release with its notes.`,
    );
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
