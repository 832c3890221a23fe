// Starts a family of fixes: makes its file, its generator of variations and its fixture, and adds it to their lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

/** Returns the paths of the new files. `rule` is the one that offers the fix. */
export function makeFamily(rule: string, family: string): string[] {
  const name = family.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const made: readonly (readonly [string, string])[] = [
    [`server/src/semantic/fixes/${name}.ts`, familyText(family, name)],
    [`test/fixes/${name}.ts`, variationsText(family, name)],
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

function familyText(family: string, name: string): string {
  return `// WHAT IS WRITTEN INSTEAD OF WHAT.
import type { Expr } from '../../syntax/ast';
import type { Fn } from '../language';
import type { Refusal, RewriteFact } from '../model';
import type { AccessFamily } from './writing/family';
import { refuser } from './writing/refusals';

const refused = refuser<'kernel'>('${family}');

export const ${name}: AccessFamily<'${family}'> = {
  id: '${family}',
  on: 'access',
  causes: [],
  find: ({ fn, expr }) => expr && ${name}Of(fn, expr),
};

/** WHY THE EDITS KEEP THE MEANING OF THE PROGRAM. */
export function ${name}Of({ decl }: Fn, _access: Expr): RewriteFact | Refusal | undefined {
  if (!decl.global) return refused('kernel', 'it is in a function that the kernel calls');
  return undefined;
}
`;
}

function variationsText(family: string, name: string): string {
  return `// Variations of WHAT THE FIX IS OFFERED FOR.
import type { Draw, Variation } from './variations';

export const ${name} = { name: '${family}', titles: /^THE TITLE/, vary };

function vary(draw: Draw, name: string): Variation {
  const text = draw.pick(['A PROGRAM WITH A HOST FUNCTION run']);
  return { name, text, parameters: [{ size: 'n' }], sizes: [{ n: 1 }, { n: 33 }] };
}
`;
}
