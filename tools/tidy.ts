// Keeps the house: who may import whom, who may do IO, how a file opens, how large a room is, and which words it has.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { lower, raisesInHistory, tooLarge } from './ceilings';
import { knots } from './knots';
import { stillAbove, stillCircular, stillLong, stillWide } from './tidyExceptions';
import { avoided, checked, notYet, written } from './wordList';

const root = join(__dirname, '..');

/** Rooms of the server from the ground up: each may import those before it. */
const serverRooms = 'syntax semantic rules cost lint comparison workspace verdict lsp start main'.split(' ');
/**
 * Rooms of the analysis from the ground up: each may import those before it, types included. `model` is `model.ts` with
 * the other files beside it and each room's own `model.ts`: plain data.
 */
const semanticRooms =
  'model language program run contents races flow fixes kernels unread acc facts verify index'.split(' ');
/** Packages that only one room may import. */
const owners: Readonly<Record<string, RegExp>> = {
  'web-tree-sitter': /^server\/src\/syntax\//,
  'vscode-languageserver': /^server\/src\/lsp\//,
  'vscode-languageserver-protocol': /^server\/src\/lsp\//,
  'vscode-languageserver-textdocument': /^server\/src\/lsp\//,
  vscode: /^client\//,
  'vscode-languageclient': /^client\//,
};
/** Modules of node that touch the world. `path`, `url` and the like only compute. */
const worldly = new Set([
  'fs',
  'fs/promises',
  'child_process',
  'net',
  'http',
  'https',
  'http2',
  'dgram',
  'tls',
  'readline',
  'worker_threads',
  'cluster',
  'dns',
]);
/**
 * Where IO is at home: the entry, the transport, the command line, the client, and the two places whose IO is injected.
 */
const mayTouchTheWorld =
  /^(server\/src\/(?:main\.ts|start\.ts|main\/)|profiler\/src\/transport\/|cli\/|client\/|test\/|tools\/|lab\/|server\/src\/workspace\/nodeFileSystem\.ts|server\/src\/syntax\/grammarFiles\.ts)/;

/** Everything that is wrong with the sources, one sentence each with its place. */
export function complaints(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    for (const match of text.matchAll(/\b(?:TODO|FIXME|XXX|HACK)\b/g))
      if (!path.startsWith('tools/tidy'))
        found.push(`${path}:${lineOf(text, match.index)}: "${match[0]}": finish it, or open an issue.`);
    for (const match of text.matchAll(/\/work\/|\.\.\/shared\b/g))
      if (!path.startsWith('tools/tidy'))
        found.push(`${path}:${lineOf(text, match.index)}: "${match[0]}" is a place on somebody's machine.`);
    if (isOurs.test(path)) found.push(...sizes(path, text));
    found.push(...words(path, text));
    if (!path.endsWith('.ts')) continue;
    found.push(...opening(path, text), ...names(path, text), ...borders(path, text));
  }
  found.push(
    ...circles(files),
    ...floors(files),
    ...knots(files, (path) => importsIn(path, files)),
    ...tooLarge(files),
  );
  return found;
}

/**
 * What is held to a size: the sources and the tools. Tests hold reports and programs, which are as wide as they are.
 */
const isOurs = /^(?:[\w-]+\/src\/.*\.ts|tools\/.*\.(?:ts|mjs))$/;
const mostLines = 500;
const mostColumns = 120;

function sizes(path: string, text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const found: string[] = [];
  if (lines.length > mostLines && /\/src\//.test(path) && !stillLong.has(path))
    found.push(`${path}: ${lines.length} lines, where ${mostLines} are the most: cut it into its parts.`);
  if (!stillWide.has(path))
    lines.forEach((line, number) => {
      const columns = [...line].length;
      if (columns > mostColumns)
        found.push(`${path}:${number + 1}: ${columns} columns, where ${mostColumns} are the most.`);
    });
  return found;
}

/** Words of the list in wordList.ts. */
function words(path: string, text: string): string[] {
  if (
    !checked.test(path) ||
    /^(?:tools\/(?:wordList|tidy)|test\/tools\/tidy)/.test(path) ||
    notYet.some((room) => room.test(path))
  )
    return [];
  const pieces = /\.(?:ts|mjs)$/.test(path) ? written(text) : [{ at: 0, text }];
  return pieces.flatMap((piece) =>
    avoided.flatMap(({ pattern, instead }) =>
      [...piece.text.matchAll(pattern)].map(
        (match) => `${path}:${lineOf(text, piece.at + match.index)}: "${match[0].trim()}": write ${instead}.`,
      ),
    ),
  );
}

const importing = /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"](\.[^'"]*)['"]|\bimport\(\s*['"](\.[^'"]*)['"]\s*\)/gm;

/** Files that each file imports, types included. */
function importsIn(path: string, files: ReadonlyMap<string, string>): string[] {
  return [...files.get(path)!.matchAll(importing)].flatMap((match) => {
    const target = posix.normalize(posix.join(posix.dirname(path), match[1] ?? match[2]!));
    return [`${target}.ts`, `${target}/index.ts`].find((each) => files.has(each)) ?? [];
  });
}

/** The order of the rooms of the analysis, and their doors: a room with an `index.ts` is entered through it. */
function floors(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const excused = new Set<string>();
  for (const path of files.keys()) {
    if (!/^[\w-]+\/src\/.*\.ts$/.test(path)) continue;
    const from = semanticRoomOf(path);
    for (const target of importsIn(path, files)) {
      const to = semanticRoomOf(target);
      if (to === undefined || to === from || to === 'model') continue;
      const door = `server/src/semantic/${to}/index.ts`;
      if (to !== 'index' && files.has(door) && target !== door)
        found.push(`${path}: imports ${target}: ${to} is entered through its index.ts.`);
      if (from === undefined || semanticRooms.indexOf(to) < semanticRooms.indexOf(from)) continue;
      const arrow = `${path} > ${target}`;
      if (stillAbove.has(arrow)) excused.add(arrow);
      else found.push(`${path}: imports ${target}: ${from} comes before ${to}.`);
    }
  }
  for (const arrow of stillAbove)
    if (files.has(arrow.split(' > ')[0]!) && !excused.has(arrow))
      found.push(`tools/tidyExceptions.ts: "${arrow}" is not needed any more: remove it.`);
  return found;
}

function semanticRoomOf(path: string): string | undefined {
  const [, inner] = /^server\/src\/semantic\/(.*)\.ts$/.exec(path) ?? [];
  if (inner === undefined) return undefined;
  const [room, ...rest] = inner.split('/');
  if (rest.length === 0) return inner === 'index' || inner === 'marks' ? 'index' : 'model';
  return rest[0] === 'model' ? 'model' : room;
}

/**
 * Files that import one another in a circle, types included: neither can be read, moved or tested without the other.
 */
function circles(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) {
      const circle = way.slice(at);
      if (!circle.some((each) => stillCircular.has(each)))
        found.push(`${path}: imports itself in a circle: ${[...circle, path].join(' > ')}.`);
      return;
    }
    if (done.has(path)) return;
    for (const next of importsIn(path, files)) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of files.keys()) if (path.endsWith('.ts') && isOurs.test(path)) visit(path, []);
  return found;
}

function opening(path: string, text: string): string[] {
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const first = lines[0]!;
  const said =
    first.trim() === '/**'
      ? (lines[1]?.replace(/^ \* ?/, '').trim() ?? '')
      : first.startsWith('//')
        ? first.slice(2).trim()
        : (/^\/\*\*? ?(.*?)(\*\/)?$/.exec(first)?.[1]?.trim() ?? '');
  return said.split(/\s+/).length >= 3 ? [] : [`${path}:1: a file opens with one sentence that says what it is for.`];
}

function names(path: string, text: string): string[] {
  const found: string[] = [];
  if (path === 'test/tools/tidy.test.ts') return found; // it has to show what is not allowed
  if (/(^|\/)(utils?|helpers?|managers?|misc|common)(\.ts|\/)/i.test(path))
    found.push(`${path}: no utils, Helper or Manager: name it after what it does.`);
  for (const match of text.matchAll(/\b(?:class|interface|function|const|type)\s+(\w*(?:Manager|Helper|Utils?))\b/g))
    found.push(`${path}:${lineOf(text, match.index)}: "${match[1]}": name it after what it does.`);
  return found;
}

function borders(path: string, text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|\brequire\(\s*['"]([^'"]+)['"]\s*\)|^import\s+['"]([^'"]+)['"]/gm,
  )) {
    const specifier = match[1] ?? match[2] ?? match[3] ?? match[4]!;
    const complain = (sentence: string): void => {
      found.push(`${path}:${lineOf(text, match.index)}: ${sentence}`);
    };
    if (specifier.startsWith('.')) {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      const why = forbiddenImport(path, target);
      if (why) complain(`imports ${target}: ${why}`);
      continue;
    }
    const name = specifier.replace(/^node:/, '');
    if (builtinModules.includes(name)) {
      if (worldly.has(name) && !mayTouchTheWorld.test(path) && !/^import type/.test(match[0].trim()))
        complain(`imports ${specifier}: IO belongs to main.ts, profiler/transport and cli.`);
      continue;
    }
    const owner =
      owners[
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/')
      ];
    if (owner && !owner.test(path) && !/^(test|tools|lab)\//.test(path))
      complain(`imports ${specifier}, which belongs to ${owner.source.replace(/[\\^]/g, '')}.`);
  }
  return found;
}

/** Why a file may not import another, or undefined where it may. Both as paths below the root. */
function forbiddenImport(from: string, to: string): string | undefined {
  if (to.startsWith('lab/') && !from.startsWith('lab/')) return 'nothing outside of the lab uses it.';
  if (/^(test|tools|lab)\//.test(from) || to === 'package.json' || to === 'grammars/lock.json') return undefined;
  const fromRoom = roomOf(from);
  const toRoom = roomOf(to);
  if (toRoom === 'protocol' || fromRoom === toRoom) return undefined;
  if (fromRoom === 'protocol') return 'the protocol stands on nothing.';
  if (fromRoom === 'hardware') return 'the hardware stands on nothing.';
  if (toRoom === 'hardware' && (fromRoom !== 'rules' || to === 'hardware/src/constants')) return undefined;
  if (fromRoom === 'rules')
    return /^server\/src\/semantic\/(?:excerpt|figures|model)$/.test(to) || to.startsWith('docs/measurements/')
      ? undefined
      : 'rules know the model and nothing else.';
  const fromRank = serverRooms.indexOf(fromRoom);
  const toRank = serverRooms.indexOf(toRoom);
  if (fromRank >= 0 && toRank >= 0) return toRank < fromRank ? undefined : `${fromRoom} stands below ${toRoom}.`;
  if (fromRank >= 0) return `the server stands on the protocol and itself, not on ${toRoom}.`;
  if (fromRoom === 'profiler') return `the profiler stands on the protocol, not on ${toRoom}.`;
  if (fromRoom === 'client')
    return toRoom === 'profiler'
      ? undefined
      : `the client stands on the protocol and the profiler; it talks to the server instead of importing ${toRoom}.`;
  if (fromRoom === 'cli')
    return toRoom === 'lsp' || toRoom === 'main' || toRoom === 'client'
      ? `the command line does not stand on ${toRoom}.`
      : undefined;
  return undefined;
}

function roomOf(path: string): string {
  const server = /^server\/src\/([\w-]+)/.exec(path);
  return server ? server[1]! : path.split('/')[0]!;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length + (text[index] === '\n' ? 1 : 0);
}

/** The texts that are ours: what git tracks or would, of the kinds that people write. */
export function sources(): Map<string, string> {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n');
  const wanted = listed.filter(
    (path) => /\.(ts|mjs|cu|cuh|md|json)$/.test(path) && path !== 'package-lock.json' && existsSync(join(root, path)),
  );
  return new Map(wanted.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

if (require.main === module) {
  process.chdir(dirname(__dirname));
  const files = sources();
  if (process.argv.includes('--lower')) lower(files);
  const found = [...complaints(files), ...raisesInHistory(files)];
  for (const complaint of found) console.error(complaint);
  if (found.length > 0) process.exitCode = 1;
}
