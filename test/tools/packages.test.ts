// The packages of the lock file take the versions of Node that the README names, so that npm warns of none.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coerce, satisfies } from 'semver';

const root = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
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

  it('are built in: the one that is packed may be published and brings no others', () => {
    for (const key of ['private', 'dependencies', 'optionalDependencies', 'peerDependencies'])
      deepStrictEqual([key, manifest[key]], [key, undefined]);
  });

  it('are installed from files and git in the documents, as no registry has them', () => {
    const commands = ['README.md', 'docs/ci.md', 'docs/command-line.md', 'docs/editors.md'].flatMap((name) =>
      [
        ...readFileSync(join(root, name), 'utf8').matchAll(/\b(?:npm (?:install|i)|npx)\b[^\n`]*\bwarplens\b[^\n`]*/g),
      ].map(([command]) => `${name}: ${command}`),
    );
    ok(commands.length > 0);
    deepStrictEqual(
      commands.filter((command) => !/\.tgz|git\+https/.test(command)),
      [],
    );
  });
});
