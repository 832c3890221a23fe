// The line over each kernel: profile it, and what the shown report measured of it.
import { CodeLens, Disposable, EventEmitter, languages, Range, workspace } from 'vscode';
import { kernelsRequest, type KernelsAnswer, type KernelsParameters } from '../../../protocol/src/requests';
import { documentSelector } from '../languages';
import { stallReasonsOf } from '../../../profiler/src/overlay/marks';
import { reasonText, timeText } from '../../../profiler/src/overlay/measurement';
import type { ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { boundOf } from '../../../profiler/src/overlay/reportPage';
import { isSameKernel } from '../../../profiler/src/evidence/kernelIdentity';
import type { Overlay } from '../profile/overlay';
import type { ProfileStore } from '../profile/store';
import type { Server } from '../server';
import { gainWords } from './runProfile';

export interface KernelLensOptions {
  readonly server: Server;
  readonly store: ProfileStore;
  readonly overlay: Pick<Overlay, 'placesOf' | 'isOld' | 'onDidDraw'>;
  /** How many times faster than the baseline the shown step has a kernel, where there is one. */
  readonly gainOf: (kernel: string) => number | undefined;
  readonly onDidChangeGains: (listener: () => void) => Disposable;
}

export function registerKernelLenses({
  server,
  store,
  overlay,
  gainOf,
  onDidChangeGains,
}: KernelLensOptions): Disposable {
  const changed = new EventEmitter<void>();
  /** Against the report that the shown one is compared with. */
  const gainOver = (kernels: readonly ProfiledKernel[]): { gain: number; than: string } | undefined => {
    const names = new Set(kernels.map(({ shortName }) => shortName));
    const before = timeOf(store.comparison?.earlier.kernels.filter(({ shortName }) => names.has(shortName)) ?? []);
    const now = timeOf(kernels);
    return before > 0 && now > 0 ? { gain: before / now, than: store.comparison!.name } : undefined;
  };
  const provider = languages.registerCodeLensProvider(documentSelector(), {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document) {
      if (!workspace.getConfiguration('warplens', document.uri).get<boolean>('codeLens', true)) return [];
      const uri = document.uri.toString();
      const answer = await server
        .request<KernelsAnswer | null>(kernelsRequest, { uri } satisfies KernelsParameters)
        .catch(() => null);
      const places = store.active ? overlay.placesOf(document) : [];
      return (answer?.kernels ?? []).flatMap((kernel) => {
        const { name } = kernel;
        const { start, end } = kernel.range;
        const range = new Range(start.line, start.character, end.line, end.character);
        const profiled =
          store.active?.kernels.filter((measured) =>
            isSameKernel(
              measured,
              { ...kernel, body: { from: kernel.body.start.line + 1, to: kernel.body.end.line + 1 } },
              places,
            ),
          ) ?? [];
        return [
          new CodeLens(range, {
            title: '$(play) Profile',
            tooltip: `Build, run ${name} under Nsight Compute and show its figures here`,
            command: 'warplens.profile.runKernel',
            arguments: [{ kernel: name, file: document.uri.scheme === 'file' ? document.uri.fsPath : undefined }],
          }),
          ...(profiled.length > 0
            ? [
                new CodeLens(range, {
                  title: profiled.some(overlay.isOld)
                    ? timeText(timeOf(profiled), true)
                    : measuredText(profiled, gainOver(profiled) ?? { gain: gainOf(name), than: 'the baseline' }),
                  tooltip: `Show the report ${store.active!.name}`,
                  command: 'warplens.profile.showReport',
                }),
              ]
            : []),
        ];
      });
    },
  });
  const heard = [
    store.onDidChange(() => changed.fire()),
    overlay.onDidDraw(() => changed.fire()),
    server.onDidChangeState(() => changed.fire()),
    onDidChangeGains(() => changed.fire()),
  ];
  return Disposable.from(provider, changed, ...heard);
}

/** Mean time of a launch, ns, over the kernels that were measured. */
function timeOf(kernels: readonly ProfiledKernel[]): number {
  return kernels.reduce((sum, { durationNs, launches }) => sum + durationNs / launches, 0);
}

/** `6.82 ms, 2.00× faster than the baseline · memory bound · long scoreboard 22% · Report`. */
function measuredText(
  kernels: readonly ProfiledKernel[],
  { gain, than }: { readonly gain: number | undefined; readonly than: string },
): string {
  const time = timeOf(kernels);
  const longest = kernels.reduce((most, kernel) => (kernel.durationNs > most.durationNs ? kernel : most));
  const [reason] = stallReasonsOf([longest]);
  const words = gainWords(gain);
  return [
    time > 0 ? `${timeText(time, false)}${words === '' ? '' : `, ${words} than ${than}`}` : '',
    boundOf(longest.figures) ?? '',
    reason ? reasonText(reason) : '',
    'Report',
  ]
    .filter(Boolean)
    .join(' · ');
}
