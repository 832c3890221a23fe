/** Arguments through real shells: what goes in comes out, byte for byte. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';

import { loginShellLine, quoteForShell, shellCommand, splitWords } from '../../profiler/src/transport/quoting';

const nasty = [
  'a b',
  "it's",
  "''",
  '"q"',
  '$HOME',
  '$(id)',
  '`id`',
  '\\',
  '\\\\',
  '\\n',
  '*',
  '?',
  '[a]',
  '{a,b}',
  '!x',
  '!!',
  '-n',
  '-e',
  '--',
  '',
  ' ',
  'new\nline',
  '\n',
  '\t',
  '\r',
  'ünï ✓ 日本 🙂',
  '#',
  ';&|<>()',
  '%s',
  '~',
  '=',
  'a=b',
  '\u0001\u001e\u001f\u007f',
];

function shells(): string[] {
  // A login shell may be any of these; those that this machine lacks are not tried.
  return ['sh', 'dash', 'bash', 'zsh', 'fish', 'csh', 'tcsh', 'ksh', 'busybox'].filter(
    (shell) => !spawnSync(shell, ['-c', 'true']).error,
  );
}

/** Runs a line as sshd does and returns the arguments that arrived. */
function through(shell: string, line: string): string[] {
  const result = spawnSync(shell, shell === 'busybox' ? ['sh', '-c', line] : ['-c', line], { encoding: 'utf8' });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout.split('\0').slice(0, -1);
}

describe('quoting', function () {
  this.timeout(30_000);
  for (const shell of shells()) {
    it(`a login line through ${shell}`, () => {
      assert.deepEqual(through(shell, loginShellLine(['printf', '%s\\0', ...nasty])), nasty);
    });
  }
  it('a POSIX command through sh', () => {
    assert.deepEqual(through('sh', shellCommand(['printf', '%s\\0', ...nasty])), nasty);
  });
  it('anything at all, through sh', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0')),
          { minLength: 1, maxLength: 8 },
        ),
        (words) => {
          assert.deepEqual(through('sh', loginShellLine(['printf', '%s\\0', ...words])), words);
        },
      ),
      { numRuns: 40 },
    );
  });
  it('refuses what no argument can hold', () => {
    assert.throws(() => quoteForShell('a\0b'), RangeError);
    assert.throws(() => loginShellLine(['x'.repeat(200_000)]), RangeError);
  });
  it('the line holds nothing that a login shell could read differently', () => {
    assert.match(loginShellLine(nasty), /^exec sh -c '[^'\\!\n]*' [A-Za-z0-9+/=]+$/);
  });

  it('splits a launcher into words', () => {
    assert.deepEqual(splitWords('srun --gres=gpu:1'), ['srun', '--gres=gpu:1']);
    assert.deepEqual(splitWords(`  docker exec -i "my box"  'it''s' a\\ b "" "x\\"y\\\\z\\n" $HOME `), [
      'docker',
      'exec',
      '-i',
      'my box',
      'its',
      'a b',
      '',
      'x"y\\z\\n',
      '$HOME',
    ]);
    assert.deepEqual(splitWords(''), []);
  });
  it('refuses a launcher with an open quote', () => {
    assert.throws(() => splitWords('a "b'), /is not closed/);
    assert.throws(() => splitWords('a \\'), /escapes nothing/);
  });
});
