// The packages of the lock file take the versions of Node that the README names, so that npm warns of none.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coerce, satisfies } from 'semver';

const root = join(__dirname, '..', '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; engines?: { node?: string }; optionalDependencies?: object }>;
};

describe('packages', () => {
  it('take the Node that the README names, and those that came after', () => {
    const [, named] = /need Node \(([\d., ]+) or newer\)/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    ok(named);
    const versions = named.split(', ').map((version) => coerce(version)!.version);
    for (const node of [...versions, '24.0.0', '26.0.0'])
      deepStrictEqual(
        Object.entries(packages)
          .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(node, engines.node))
          .map(([name, { engines }]) => `${name} wants ${engines!.node}, not ${node}`),
        [],
      );
    const stated = readFileSync(join(root, 'tools', 'packages.mjs'), 'utf8');
    ok(stated.includes(`Node ${named} or newer`), 'tools/packages.mjs says the same');
  });

  it('are all in the lock file, those of other platforms too: npm ci ends where one is missing', () => {
    const missing = Object.entries(packages).flatMap(([name, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (wanted) => !(`node_modules/${wanted}` in packages || `${name}/node_modules/${wanted}` in packages),
      ),
    );
    deepStrictEqual(missing, []);
  });
});
