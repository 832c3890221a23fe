// Starts a family of fixes: makes its file, its generator of variations and its fixture, and adds it to their lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

/** Returns the paths of the new files. `rule` is the one that offers the fix. */
export function makeFamily(rule: string, family: string): string[] {
  const name = family.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const made: readonly (readonly [string, string])[] = [
    [`server/src/semantic/fixes/${name}.ts`, fromTemplate('family', { family, name })],
    [`test/fixes/${name}.ts`, fromTemplate('variations', { family, name })],
    [
      `server/src/rules/${rule}/bad-${family}.cu`,
      '// The smallest kernel that gets the fix, with its launch; bad-*.fixed.cu is what becomes of it.\n',
    ],
  ];
  for (const [path, text] of made) writeFileSync(join(root, path), text);
  const list = 'server/src/semantic/facts/families.ts';
  insert('server/src/semantic/fixes/index.ts', /$/, `export { ${name} } from './${name}';\n`);
  insert(list, /(?=} from '..\/fixes';)/, `  ${name},\n`);
  insert(list, /(?=\] as const;)/, `  ${name},\n`);
  insert('server/src/lint/refusals.ts', /(?=};\n)/, `  '${family}': 'WHAT IT MAKES',\n`);
  const generators = 'test/fixes/families.ts';
  insert(generators, /(?=import type { Draw)/, `import { ${name} } from './${name}';\n`);
  insert(generators, /(?=\];\n)/, `  ${name},\n`);
  return made.map(([path]) => path);
}

function insert(path: string, before: RegExp, text: string): void {
  const whole = join(root, path);
  writeFileSync(
    whole,
    readFileSync(whole, 'utf8').replace(before, () => text),
  );
}

/** A file of tools/templates with the values in place of their names: `@name@`. */
export function fromTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(root, `tools/templates/${template}.ts.txt`), 'utf8');
  return text.replace(/@(\w+)@/g, (_, name: string) => values[name]!);
}
