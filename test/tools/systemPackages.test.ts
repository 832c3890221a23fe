// What a machine lacks is installed in one go where that takes no password, and otherwise said in one sentence, before anything else is done.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { aptGet, provideSystemTools, SYSTEM_TOOLS, type SystemTool } from '../../tools/systemPackages';

const tools: readonly SystemTool[] = [
  { name: 'ps', commands: ['ps'], packages: ['procps'], neededBy: ['unit', 'editor'] },
  { name: 'rsync', commands: ['rsync'], packages: ['rsync'], neededBy: ['unit'] },
  { name: 'clang-19', commands: ['clang-19', 'clang-20'], packages: ['clang-19'], neededBy: ['unit'] },
  { name: 'nvcc', commands: ['nvcc'], packages: [], neededBy: ['unit'], remark: 'no package has it' },
  { name: 'Chromium', commands: ['chromium'], packages: ['chromium', 'fonts'], neededBy: ['editor'] },
];

/** A machine with these commands, whose apt-get knows and installs these packages. */
function machine(there: string[], packages: readonly string[] = ['procps', 'rsync', 'clang-19', 'chromium', 'fonts']) {
  const log: string[] = [];
  const brought: Record<string, string> = {
    procps: 'ps',
    rsync: 'rsync',
    'clang-19': 'clang-19',
    chromium: 'chromium',
  };
  return {
    log,
    say: (sentence: string) => void log.push(`says ${sentence}`),
    isThere: (command: string) => there.includes(command),
    execute: (command: string, [...words]: readonly string[]) => {
      if (command === 'apt-cache') return words[1] !== 'unknown' && packages.includes(words[1]!) ? 0 : 100;
      log.push([command, ...words].join(' '));
      if (!words.includes('install')) return 0;
      const names = words.slice(words.indexOf('install') + 1).filter((word) => !word.startsWith('-'));
      if (names.some((name) => name === 'rsync' && packages.includes('broken'))) return 100;
      there.push(...names.map((name) => brought[name] ?? name));
      return 0;
    },
  };
}

describe('packages of the system', () => {
  it('nothing is said or done where nothing is missing, or nothing is needed', () => {
    const full = machine(['ps', 'rsync', 'clang-20', 'nvcc', 'chromium']);
    deepStrictEqual(provideSystemTools(['unit', 'editor'], full.say, { tools, ...full, apt: ['env'] }), []);
    const bare = machine([]);
    deepStrictEqual(provideSystemTools([], bare.say, { tools, ...bare, apt: ['env'] }), []);
    deepStrictEqual([...full.log, ...bare.log], []);
  });

  it('one sentence, then one installation of what is missing; what no package brings is named', () => {
    const { log, ...bare } = machine(['clang-20']);
    const missing = provideSystemTools(['unit', 'editor'], bare.say, { tools, ...bare, apt: ['sudo', '-n', 'env'] });
    deepStrictEqual(
      missing.map(({ name }) => name),
      ['nvcc'],
    );
    deepStrictEqual(log.slice(0, 3), [
      'says Installing with apt-get what the tests need and this machine lacks: procps, rsync, chromium, fonts.',
      'sudo -n env apt-get update -qq',
      'sudo -n env apt-get install -y -qq --no-install-recommends procps rsync chromium fonts',
    ]);
    match(log.at(-1)!, /^says Tests that need what this machine lacks are skipped: nvcc \(no package has it\)\.$/);
  });

  it('only what the steps need', () => {
    const { log, ...bare } = machine([]);
    provideSystemTools(['editor'], bare.say, { tools, ...bare, apt: ['env'] });
    ok(log.includes('env apt-get install -y -qq --no-install-recommends procps chromium fonts'), log.join('\n'));
  });

  it('a package that cannot be had does not take the others with it', () => {
    for (const packages of [
      ['procps', 'clang-19'],
      ['procps', 'clang-19', 'rsync', 'broken'],
    ]) {
      const { log, ...bare } = machine([], packages);
      const missing = provideSystemTools(['unit'], bare.say, { tools, ...bare, apt: ['env'] });
      deepStrictEqual(
        missing.map(({ name }) => name),
        ['rsync', 'nvcc'],
        log.join('\n'),
      );
      match(log.at(-1)!, /skipped: rsync, nvcc \(no package has it\); "sudo apt-get install rsync" brings them/);
    }
  });

  it('without apt-get or the right to it, one sentence names all and what brings it', () => {
    const { log, ...bare } = machine(['nvcc']);
    provideSystemTools(['unit', 'editor'], bare.say, { tools, ...bare, apt: null });
    deepStrictEqual(log, [
      'says Tests that need what this machine lacks are skipped: ps, rsync, clang-19, Chromium; ' +
        '"sudo apt-get install procps rsync clang-19 chromium fonts" brings them on Debian.',
    ]);
  });

  it('apt-get is used by root, and by others where sudo asks for nothing', () => {
    const answers = (wanted: Record<string, number>) => (command: string) => wanted[command];
    strictEqual(aptGet('darwin', 0, answers({ 'apt-get': 0 })), null);
    strictEqual(aptGet('linux', 0, answers({})), null);
    strictEqual(aptGet('linux', 0, answers({ 'apt-get': 0 }))?.[0], 'env');
    strictEqual(aptGet('linux', 1000, answers({ 'apt-get': 0, sudo: 1 })), null);
    deepStrictEqual(aptGet('linux', 1000, answers({ 'apt-get': 0, sudo: 0 }))?.slice(0, 2), ['sudo', '-n']);
  });

  it('the project’s own list: whatever has no package says why', () => {
    for (const { name, packages, remark } of SYSTEM_TOOLS) ok(packages.length > 0 || remark, name);
  });
});
