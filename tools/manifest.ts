// package.json and its texts, which package.nls.json has by key, so that translations can replace them.
import keyed from '../package.json';
import texts from '../package.nls.json';

export type Texts = Record<string, string>;
export const keyedManifest = keyed;
export const manifestTexts: Readonly<Texts> = texts;

const quotedKey = /"%([\w.-]+)%"/g;

/** The keys of a value, in its order. */
export function keysIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(quotedKey)].map(([, key]) => key!);
}

/** package.json as an editor reads it: texts for keys. */
export const manifest = JSON.parse(
  JSON.stringify(keyed).replace(quotedKey, (_, key: string) => JSON.stringify(manifestTexts[key] ?? `%${key}%`)),
) as typeof keyed;

/** Properties that a person reads. A name is a text in views only. */
const textNames =
  /^(?:title|label|contents|displayName|\w*description|\w*enumDescriptions|\w*errorMessage|\w*deprecationMessage)$/i;

/** The value with keys for the texts that have none, which go to `found`. A key is the path of its text. */
export function withKeys<T>(value: T, path: string, found: Texts): T {
  const visit = (part: unknown, at: string, name: string): unknown => {
    if (typeof part === 'string') {
      if (!textNames.test(name) || /^%[\w.-]+%$/.test(part)) return part;
      found[at] = part;
      return `%${at}%`;
    }
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((each, index) => visit(each, `${at}.${index}`, name));
    const { enum: values } = part as { readonly enum?: readonly string[] };
    // A description of a value has its value in the key, as places in a list change.
    const below = (each: unknown, name: string): unknown =>
      Array.isArray(each) && /enumDescriptions$/i.test(name)
        ? each.map((text, index) => visit(text, `${at}.enum.${values![index]!.replace('/', '.')}`, name))
        : visit(each, `${at}.${name}`, name);
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, below(each, name)]));
  };
  return visit(value, path, '') as T;
}
