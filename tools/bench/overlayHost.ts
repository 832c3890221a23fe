// Runs inside the extension host for tools/bench/overlay.ts: lays a made-up measurement of a thousand lines over a file, and tells the driver when to look.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { commands, extensions, Position, Selection, Uri, window, workspace } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { counters, type ProfiledKernel, type ProfiledLine } from '../../client/src/profile/kernels';
import type { Profile } from '../../client/src/profile/store';

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

/** Twenty kernels of `each` lines with a share of more than one per cent, each with a figure, a reason and a ratio. */
function measurement(uri: Uri, text: string, each: number): Profile {
  const reasons = ['long_scoreboard', 'barrier', 'short_scoreboard', 'mio_throttle', 'wait', 'lg_throttle'];
  const kernels = Array.from({ length: 20 }, (_, number): ProfiledKernel => {
    const lines = Array.from({ length: each }, (_unused, index): ProfiledLine => {
      const share = 1_100 + ((index * 7919 + number * 104_729) % 800);
      const ratio = 2 + ((index * 31 + number * 17) % 60) / 10;
      return {
        file: uri.fsPath, line: 10 + number * 900 + index * 7,
        values: {
          [counters.samples]: share, [`smsp__pcsamp_warps_issue_stalled_${reasons[(index + number) % reasons.length]!}`]: share,
          [counters.sectors]: 100_000 * ratio, [counters.idealSectors]: 100_000, [counters.instructions]: 1_200 + index, [counters.threads]: 32_000,
        },
      };
    });
    const name = `kernel${number}`;
    return {
      name, shortName: name, launches: 1, durationNs: 1_000 * (number + 1), totals: { [counters.samples]: 100_000, [counters.sectors]: 1e6, [counters.instructions]: 100_000 }, lines, blocks: [], advice: [],
      longest: { launch: number, kind: 'kernel', name, shortName: name, grid: [1, 1, 1], block: [32, 1, 1], process: 1, values: {} },
    };
  });
  const places = new Map([[uri.fsPath, { location: { state: 'same' as const, path: uri.fsPath }, uri, profiled: text }]]);
  return { uri: Uri.file('/made-up.ncu-rep'), name: 'made-up.ncu-rep', kernels, recorded: new Map(), places };
}

export async function run(): Promise<void> {
  try {
    const { store, overlay } = ((await extensions.getExtension('warplens.warplens')!.activate()) as { profile: ProfileApi }).profile;
    const uri = Uri.file(`${folder}/large.cu`);
    const document = await workspace.openTextDocument(uri);
    const editor = await window.showTextDocument(document);
    const top = new Position(document.lineCount - 2, 0);
    editor.selection = new Selection(top, top);
    const profile = measurement(uri, document.getText(), 50);
    const marked = (): number => overlay.drawn(editor).length;
    const expect = (what: string, count: number): void => { if (marked() !== count) throw new Error(`${what}: ${marked()} lines are marked, not ${count}.`); };
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
