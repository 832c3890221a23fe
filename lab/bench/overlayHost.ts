// Runs inside the extension host for lab/bench/overlay.ts: lays a made-up measurement of a thousand lines over a
// file, and tells the driver when to look.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { commands, extensions, Position, Selection, Uri, window, workspace } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { madeUpProfile, madeUpSource } from '../../test/support/madeUpProfile';

/** What the driver is asked for, and what it hears; a line of JSON each. */
export type Notice =
  | { readonly kind: 'before' | 'after'; readonly phase: string; readonly hostMs?: number }
  | { readonly kind: 'type'; readonly phase: string }
  | { readonly kind: 'count'; readonly phase: string; readonly hostHeapMb: number }
  | { readonly kind: 'failed'; readonly why: string };

const folder = process.env.WARPLENS_BENCH_FOLDER!;
let notices = 0;

async function tell(notice: Notice): Promise<void> {
  appendFileSync(`${folder}/notices`, `${JSON.stringify(notice)}\n`);
  notices++;
  while (!existsSync(`${folder}/heard`) || Number(readFileSync(`${folder}/heard`, 'utf8')) < notices) await pause(10);
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function run(): Promise<void> {
  try {
    const { store, overlay } = (
      (await extensions.getExtension('warplens.warplens')!.activate()) as { profile: ProfileApi }
    ).profile;
    const uri = Uri.file(`${folder}/large.cu`);
    writeFileSync(uri.fsPath, madeUpSource());
    const document = await workspace.openTextDocument(uri);
    const editor = await window.showTextDocument(document);
    const top = new Position(document.lineCount - 2, 0);
    editor.selection = new Selection(top, top);
    const profile = madeUpProfile(uri, document.getText(), 50);
    const marked = (): number => overlay.drawn(editor).length;
    const expect = (what: string, count: number): void => {
      if (marked() !== count) throw new Error(`${what}: ${marked()} lines are marked, not ${count}.`);
    };
    await pause(5_000);

    const timed = async (phase: string, act: () => void): Promise<void> => {
      await tell({ kind: 'before', phase });
      const begin = performance.now();
      act();
      const hostMs = performance.now() - begin;
      await pause(1_500);
      await tell({ kind: 'after', phase, hostMs });
    };
    const count = async (phase: string): Promise<void> => {
      setFlagsFromString('--expose_gc');
      (runInNewContext('gc') as () => void)();
      await tell({ kind: 'count', phase, hostHeapMb: process.memoryUsage().heapUsed / 1e6 });
    };

    await tell({ kind: 'type', phase: 'without overlay' });
    await count('before');
    for (let round = 0; round < 5; round++) {
      await timed('nothing', () => {});
      await timed('laid on', () => store.show(profile));
      expect('laid on', 1_000);
      await timed('to sectors', () => store.choose({ metric: 'sectors' }));
      expect('sectors', 1_000);
      await timed('to samples', () => store.choose({ metric: 'samples' }));
      await timed('off', () => store.clear());
      expect('off', 0);
      if (round === 0) await count('after the first round, off');
    }
    store.show(profile);
    await pause(1_000);
    await tell({ kind: 'type', phase: 'with 1,000 marked lines' });
    await commands.executeCommand('undo');
    await pause(500);
    store.clear();
    store.show(profile);
    await count('after 5 rounds');
    for (let turn = 0; turn < 100; turn++) {
      store.choose({ metric: turn % 2 === 0 ? 'sectors' : 'samples' });
      await pause(30);
    }
    await count('after 100 switches');
    for (let turn = 0; turn < 100; turn++) {
      store.choose({ metric: turn % 2 === 0 ? 'sectors' : 'samples' });
      await pause(30);
    }
    await count('after 200 switches');
    store.clear();
    await pause(1_000);
    await tell({ kind: 'type', phase: 'without overlay, again' });
    await count('off');
    await commands.executeCommand('workbench.action.files.revert');
  } catch (error) {
    await tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
  }
}
