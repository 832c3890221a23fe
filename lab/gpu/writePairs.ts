// Writes what the quick fixes make of the samples, as pairs for run.sh: npx tsx lab/gpu/writePairs.ts FOLDER.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { memoryWorkspace } from '../../test/support/analyseText';

async function main(folder: string | undefined): Promise<void> {
  if (!folder) {
    console.error('usage: npx tsx lab/gpu/writePairs.ts FOLDER');
    process.exitCode = 2;
    return;
  }
  const root = resolve(__dirname, '../..');
  const files = new Map<string, string>();
  const read = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'build') read(inner);
      } else if (/\.cuh?$/.test(entry.name)) files.set(inner, readFileSync(inner, 'utf8'));
    }
  };
  read(join(root, 'samples'));
  read(join(root, 'server/src/rules'));
  read(join(root, 'lab/gpu/fixes'));
  const workspace = await memoryWorkspace(files);
  let version = 0;
  const findingsIn = (uri: string, text: string): readonly ResolvedFinding[] => {
    const analysed = workspace.analyse(uri, { text, version: ++version });
    return analysed ? lint(analysed.model, text, { gpu: analysed.gpu }).findings : [];
  };
  const contained = (path: string, text: string, seen = new Set<string>()): string =>
    text.replace(/^#include "([^"]+)"$/gm, (line, name: string) => {
      const header = join(dirname(path), name);
      const held = files.get(header);
      if (held === undefined) return line;
      if (seen.has(header)) return '';
      seen.add(header);
      return contained(header, held, seen).replace('#pragma once\n', '');
    });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let pairs = 0;
  for (const [path, text] of files) {
    if (!path.endsWith('.cu') || path.endsWith('.fixed.cu') || !/\bint main\b/.test(text)) continue;
    const uri = pathToFileURL(path).href;
    const write = (kind: string, after: string): void => {
      const name = join(
        folder,
        `${relative(root, path)
          .replace(/^server.src.rules.|\.cu$/g, '')
          .replaceAll(/[\\/]/g, '-')}-${kind}`,
      );
      writeFileSync(`${name}.cu`, contained(path, text));
      writeFileSync(`${name}.fixed.cu`, contained(path, after));
      pairs++;
    };
    const findings = findingsIn(uri, text);
    const safe = fixAll(text, uri, findings, (next) => findingsIn(uri, next));
    if (safe.text !== text) write('all-safe', safe.text);
    const seen = new Set<string>([text, safe.text]);
    for (const finding of findings) {
      for (const fix of finding.fixes) {
        const after = applyEdits(text, fix.edits, uri);
        if (after === undefined || seen.has(after)) continue;
        seen.add(after);
        write(`${basename(finding.rule)}-${seen.size - 2}`, after);
      }
    }
  }
  console.log(`${pairs} pairs in ${folder}`);
}

void main(process.argv[2]);
