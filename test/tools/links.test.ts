// Documents lead somewhere: every relative link of every page, and every page that a comment names, is there.
import { deepStrictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sources } from '../../tools/tidy';

const root = join(__dirname, '../..');

/** Targets of a page that do not exist: files, and headings of other pages or of itself. */
function deadLinks(path: string, text: string, pages: ReadonlyMap<string, string>): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/i.test(link!)) return [];
    const [file, heading] = link!.split('#') as [string, string | undefined];
    const target = file === '' ? path : posix.join(posix.dirname(path), decodeURI(file));
    if (!pages.has(target) && !existsSync(join(root, target))) return [`${path}: ${link}`];
    const page = pages.get(target);
    return heading === undefined || page === undefined || headings(page).has(heading) ? [] : [`${path}: ${link}`];
  });
}

function headings(page: string): Set<string> {
  const titles = [...page.matchAll(/^#+ +(.*)$/gm)].map(([, title]) => title!.toLowerCase());
  return new Set(titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

describe('links of documents', () => {
  const all = sources();
  const pages = new Map([...all].filter(([path]) => path.endsWith('.md')));

  it('lead to files and headings that exist', () => {
    deepStrictEqual(
      [...pages].flatMap(([path, text]) => deadLinks(path, text, pages)),
      [],
    );
  });

  it('are found where they do not', () => {
    const page = '# One\n[a](ARCHITECTURE.md#fixtures) [b](gone.md) [c](#one) [d](#two) [e](ARCHITECTURE.md#gone)\n';
    deepStrictEqual(deadLinks('x.md', page, new Map([...pages, ['x.md', page]])), [
      'x.md: gone.md',
      'x.md: #two',
      'x.md: ARCHITECTURE.md#gone',
    ]);
  });

  it('in comments and strings name pages that exist', () => {
    const named = [...all].flatMap(([path, text]) =>
      path.endsWith('.md') || path.startsWith('test/')
        ? []
        : [...text.matchAll(/\bdocs\/[\w/-]+\.(?:md|json)\b/g)].map(([page]) => ({ path, page })),
    );
    deepStrictEqual(
      named.filter(({ page }) => !existsSync(join(root, page))).map(({ path, page }) => `${path}: ${page}`),
      [],
    );
  });
});
