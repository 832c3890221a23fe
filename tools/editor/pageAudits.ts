// Runs axe-core and a walk by the Tab key in the pages that a host suite opens: the suite asks by a file, the answer is
// a file beside it.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

/** `NAME.request` in the folder of audits. */
export interface AuditRequest {
  /** Text that the page shows once it is drawn. */
  readonly shows: string;
  /** The class of the page's body in the theme that is meant. */
  readonly bodyClass: string;
  /** Selector of what is ours of a page that the editor makes; the whole page without it. */
  readonly within?: string;
}
/** `NAME.audit`, the answer. */
export interface PageAudit {
  readonly complaints: readonly string[];
  /** How many of axe-core's rules found something to check. */
  readonly checks: number;
}

const axe = require.resolve('axe-core/axe.min.js');
/** WCAG 2.2 AA, which asks for a contrast of 4.5, and what axe-core holds to be good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Answers requests until stopped. Milliseconds. */
export function answerAudits(folder: string, page: Page, interval = 100): { stop(): Promise<void> } {
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      for (const name of readdirSync(folder).filter((each) => each.endsWith('.request'))) {
        const answer = join(folder, name.replace(/request$/, 'audit'));
        if (existsSync(answer)) continue;
        const request = JSON.parse(readFileSync(join(folder, name), 'utf8') || 'null') as AuditRequest | null;
        if (!request) continue;
        const audit = await auditOf(page, request).catch((error: unknown) => ({
          complaints: [error instanceof Error ? error.message : String(error)],
          checks: 0,
        }));
        writeFileSync(`${answer}.part`, JSON.stringify(audit));
        renameSync(`${answer}.part`, answer);
      }
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return done;
    },
  };
}

async function auditOf(page: Page, request: AuditRequest): Promise<PageAudit> {
  const frame = await frameOf(page, request);
  if (!(await frame.evaluate<boolean>('typeof axe === "object"'))) await frame.evaluate(readFileSync(axe, 'utf8'));
  // The editor's own previews are transparent, and what shows through is the editor.
  await frame.evaluate(`(() => {
    const editor = getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background');
    document.documentElement.style.backgroundColor = editor;
  })()`);
  const results = await frame.evaluate<AxeResults>(
    `axe.run(${request.within ? JSON.stringify(request.within) : 'document'}, { runOnly: ` +
      `${JSON.stringify(TAGS)}, resultTypes: ['violations', 'incomplete'] })`,
  );
  const complaints = results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`.trim()),
  );
  // Texts of charts, and those that a scroll bar cuts off, axe-core leaves undecided: they are judged by the plain
  // ground behind them.
  const undecided = results.incomplete
    .filter(({ id }) => id === 'color-contrast')
    .flatMap(({ nodes }) => nodes.map(({ target }) => target.flat().join(' ')));
  return {
    complaints: [
      ...complaints,
      ...(await frame.evaluate<string[]>(`(${lowContrast})(${JSON.stringify(undecided)})`)),
      ...(await unreachable(page, frame)),
      // The colours of a theme move nothing; the borders of high contrast do.
      ...(/light/.test(request.bodyClass) ? [] : await cutAtWidths(page, frame)),
    ],
    checks: results.passes.length,
  };
}

/**
 * Run in the page: of the elements that these selectors name, those whose text stands out from the ground by less than
 * 4.5 (WCAG 2.2, 1.4.3).
 */
const lowContrast = `(selectors) => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((each, at) => each * a + below[at] * (1 - a));
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return own[3] === 0 || own.length < 3 ? ground(element.parentElement) : over(own, ground(element.parentElement));
  };
  const luminance = (colour) =>
    colour
      .map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
      .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  return selectors.flatMap((selector) => {
    const element = document.querySelector(selector);
    const style = getComputedStyle(element);
    const behind = ground(element);
    const text = over(channels(element instanceof SVGElement ? style.fill : style.color), behind);
    const [low, high] = [luminance(text), luminance(behind)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    return ratio >= 4.5 ? [] : ['contrast of ' + ratio.toFixed(2) + ' where 4.5 is needed: ' + element.outerHTML.slice(0, 160)];
  });
}`;

/** Widths of a window, in pixels, at which nothing of a page may be cut. */
const WIDTHS = [1400, 800];

/**
 * At each width: tables that have other columns in their rows than in their head, texts that are cut or that a line
 * crosses without a halo between, and what lies outside of the page where nothing scrolls to it.
 */
async function cutAtWidths(page: Page, frame: Frame): Promise<string[]> {
  const size = page.viewportSize();
  if (!size) return [];
  const complaints: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: size.height });
    await page.waitForTimeout(400);
    const found = await frame.evaluate<string[]>(`(${shiftedOrCut})()`);
    complaints.push(...found.map((each) => `at ${width} pixels: ${each}`));
  }
  await page.setViewportSize(size);
  return complaints;
}

/** Run in the page. */
const shiftedOrCut = `() => {
  const shifted = [...document.querySelectorAll('main table')].flatMap((table) => {
    const shown = (row) => [...row.children].filter((each) => getComputedStyle(each).display !== 'none').length;
    const head = table.querySelector('thead tr');
    const name = table.getAttribute('aria-label') ?? table.innerText.slice(0, 40);
    const differs = head && head.children.length > 4 && [...table.querySelectorAll('tbody tr')].some((row) => shown(row) !== shown(head) && !row.querySelector('[colspan]'));
    return differs ? [name + ': its columns do not stand below their heads'] : [];
  });
  const scrolls = (element) => element && element !== document.documentElement && element !== document.body &&
    (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) ? true : scrolls(element.parentElement));
  const hasText = (element) => [...element.childNodes].some((each) => each.nodeType === 3 && each.data.trim() !== '');
  const crossed = [...document.querySelectorAll('svg line')].flatMap((line) => {
    const at = line.getBoundingClientRect();
    return [...line.ownerSVGElement.querySelectorAll('text')].flatMap((text) => {
      const box = text.getBoundingClientRect();
      const crosses = at.left < box.right && at.right > box.left && at.top < box.bottom - 2 && at.bottom > box.top + 2;
      return crosses && !getComputedStyle(text).paintOrder.startsWith('stroke') ? ['crossed by a line: ' + text.outerHTML.slice(0, 160)] : [];
    });
  });
  const cut = [...document.body.querySelectorAll('*')].flatMap((element) => {
    const box = element.getBoundingClientRect();
    if (!hasText(element) || box.width < 2 || box.height < 2 || getComputedStyle(element).visibility === 'hidden') return [];
    const markup = element.outerHTML.slice(0, 160);
    if (element instanceof SVGElement) {
      const drawing = (element.ownerSVGElement ?? element).getBoundingClientRect();
      if (element.tagName === 'text' && (box.left < drawing.left - 1 || box.right > drawing.right + 1)) return ['outside of its drawing: ' + markup];
    } else if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 && (getComputedStyle(element).overflowX === 'hidden' || !scrolls(element)))
      return ['cut: ' + markup];
    return (box.left < 0 || box.right > innerWidth + 1) && !scrolls(element) ? ['outside of the page: ' + markup] : [];
  });
  return [...new Set([...shifted, ...crossed, ...cut])];
}`;

/** The frame of a webview that shows this, in this theme. */
async function frameOf(page: Page, { shows, bodyClass }: AuditRequest): Promise<Frame> {
  // The first page of Markdown took more than 30 s at a load of thirteen on two cores.
  const end = Date.now() + 50_000;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      const ready = await frame
        .evaluate<boolean>(
          `document.body.classList.contains(${JSON.stringify(bodyClass)}) && ` +
            `document.body.innerText.includes(${JSON.stringify(shows)})`,
        )
        .catch(() => false);
      if (ready && frame !== page.mainFrame()) {
        // Colours fade in.
        await page.waitForTimeout(300);
        return frame;
      }
    }
    await page.waitForTimeout(100);
  }
  const there = page
    .frames()
    .map((frame) =>
      frame
        .evaluate<string>("document.body.className + ': ' + document.body.innerText.slice(0, 60)")
        .catch(() => 'gone'),
    );
  const pages = (await Promise.all(there)).map((each) => each.replace(/\s+/g, ' ')).join(' | ');
  throw new Error(`No page shows "${shows}" in ${bodyClass}; the pages: ${pages}`);
}

/** What can be clicked and is not reached by the Tab key. */
async function unreachable(page: Page, frame: Frame): Promise<string[]> {
  const all = await frame.evaluate<number>(`(() => {
    window.reached = new Set();
    window.clickable = [...document.querySelectorAll('main button:enabled, main a[href], main [tabindex="0"]')].filter((each) => each.offsetParent);
    if (!window.listening) addEventListener('focusin', ({ target }) => window.reached.add(target));
    window.listening = true;
    document.body.tabIndex = -1;
    document.body.focus();
    return clickable.length;
  })()`);
  for (let step = 0; step < all + 2; step++) await page.keyboard.press('Tab');
  return frame.evaluate<string[]>(
    "clickable.filter((each) => !reached.has(each)).map((each) => 'not reached by the Tab key: " +
      "' + each.outerHTML.slice(0, 160))",
  );
}
