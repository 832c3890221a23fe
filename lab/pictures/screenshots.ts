// Takes the README's pictures in a real editor: `npx tsx lab/pictures/screenshots.ts [name…]` writes media/<name>.png.
import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { findChromium } from '../../tools/editor/chromium';
import { type RunningEditor, startCodeServer } from '../../tools/editor/codeServer';
import { provideEditor } from '../../tools/editor/installEditor';
import { copyWorkspace, QUIET_SETTINGS } from '../../tools/editor/hostTests';
import { openWindow } from '../../tools/editor/window';
import { pictures, SQUIGGLE } from './pictures';
import { prepareTrial, trialSettings, unpackProfile, walkStages } from './pictureFolders';

const root = join(__dirname, '..', '..');

/** Those that the README shows; the others are for looking at while working. */
const SHOWN = [
  'hover',
  'fix',
  'fixed',
  'overview',
  'page',
  'profile',
  'evidence',
  'evidence-light',
  'evidence-contrast',
  'history',
  'measure',
  'report',
  'openacc',
  'openacc-fortran',
];

async function main(): Promise<void> {
  const commandLine = process.argv.slice(2);
  const into =
    commandLine.find((argument) => argument.startsWith('--into='))?.slice('--into='.length) ?? join(root, 'media');
  const named = commandLine.filter((argument) => !argument.startsWith('--'));
  const chromium = findChromium();
  if (!chromium) throw new Error('There is no Chromium on this machine. Install one, or name it in WARPLENS_CHROMIUM.');
  const codeServer = await provideEditor();
  for (const name of named.length > 0 ? named : SHOWN) {
    const picture = pictures[name];
    if (!picture) throw new Error(`There is no picture "${name}"; there are ${Object.keys(pictures).join(', ')}.`);
    const folder = copyWorkspace();
    if (picture.profile) await unpackProfile(folder);
    if (picture.walk) await walkStages(folder);
    if (picture.feedback !== undefined) writeFileSync(join(folder, 'build.log'), picture.feedback);
    const trial = picture.trial && prepareTrial();
    const editor: RunningEditor = await startCodeServer(codeServer, {
      ...(trial ? { environment: { PATH: `${trial.tools}:${process.env.PATH}` } } : {}),
      settings: {
        ...QUIET_SETTINGS,
        ...(trial ? trialSettings(trial.scratchIn) : {}),
        ...(picture.feedback !== undefined ? { 'warplens.compilerFeedback.files': ['build.log'] } : {}),
        ...(picture.report !== undefined ? { 'warplens.profile.report': picture.report } : {}),
        'workbench.colorTheme': picture.theme ?? 'Default Dark Modern',
        'editor.fontSize': 14,
        'editor.minimap.enabled': false,
        'breadcrumbs.enabled': false,
        'workbench.activityBar.location': 'hidden',
        'workbench.statusBar.visible': true,
        'editor.hover.delay': 100,
        'workbench.sideBar.location': 'right',
        'editor.stickyScroll.enabled': false,
        'editor.hover.sticky': true,
        'editor.occurrencesHighlight': 'off',
        'editor.scrollbar.horizontal': 'hidden',
        'files.exclude': { '**/Makefile': true },
      },
    });
    try {
      const window = await openWindow(editor, {
        chromium,
        folder,
        extension: root,
        file: join(folder, picture.file),
        size: { width: picture.width ?? 1200, height: picture.height ?? 680 },
        deviceScaleFactor: 1.5,
      });
      try {
        const { page } = window;
        await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
        await page.keyboard.press('Control+b');
        // Over the empty middle of the status bar nothing pops up.
        await page.mouse.move((picture.width ?? 1200) / 2, (picture.height ?? 680) - 8);
        await page
          .waitForSelector(SQUIGGLE, { timeout: 20_000 })
          .catch(() => console.log(`${name}: no finding is on screen.`));
        // Only an extension under development gets this.
        await page.addStyleTag({ content: '.notifications-toasts { display: none !important; }' });
        await picture.pose(page);
        await page.screenshot({ path: join(into, `${name}.png`) });
        console.log(join(into, `${name}.png`));
      } finally {
        await window.close();
      }
    } finally {
      await editor.stop();
      trial?.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
