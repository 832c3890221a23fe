// A made-up measurement that marks many lines, for what has to be fast with them. Runs inside the extension host.
import { Uri } from 'vscode';
import { counters, type ProfiledKernel, type ProfiledLine } from '../../profiler/src/overlay/kernels';
import type { Profile } from '../../client/src/profile/store';

/** Twenty kernels of `each` lines with a share of more than one per cent, each with a figure, a reason and a ratio; over a source of 20,000 lines. */
export function madeUpProfile(uri: Uri, text: string, each: number): Profile {
  const reasons = ['long_scoreboard', 'barrier', 'short_scoreboard', 'mio_throttle', 'wait', 'lg_throttle'];
  const kernels = Array.from({ length: 20 }, (_, number): ProfiledKernel => {
    const lines = Array.from({ length: each }, (_unused, index): ProfiledLine => {
      const share = 1_100 + ((index * 7919 + number * 104_729) % 800);
      const ratio = 2 + ((index * 31 + number * 17) % 60) / 10;
      return {
        file: uri.fsPath,
        line: 10 + number * 900 + index * 7,
        values: {
          [counters.samples]: share,
          [`smsp__pcsamp_warps_issue_stalled_${reasons[(index + number) % reasons.length]!}`]: share,
          [counters.sectors]: 100_000 * ratio,
          [counters.idealSectors]: 100_000,
          [counters.instructions]: 1_200 + index,
          [counters.threads]: 32_000,
        },
      };
    });
    const name = `kernel${number}`;
    return {
      name,
      shortName: name,
      launches: 1,
      durationNs: 1_000 * (number + 1),
      totals: { [counters.samples]: 100_000, [counters.sectors]: 1e6, [counters.instructions]: 100_000 },
      lines,
      blocks: [],
      advice: [],
      longest: {
        launch: number,
        kind: 'kernel',
        name,
        shortName: name,
        grid: [1, 1, 1],
        block: [32, 1, 1],
        process: 1,
        values: {},
      },
    };
  });
  const places = new Map([
    [uri.fsPath, { location: { state: 'same' as const, path: uri.fsPath }, uri, profiled: text }],
  ]);
  return {
    uri: Uri.file('/made-up.ncu-rep'),
    name: 'made-up.ncu-rep',
    sessions: [],
    kernels,
    recorded: new Map(),
    places,
  };
}

/** A source for it. */
export function madeUpSource(): string {
  const lines = Array.from({ length: 20_000 }, (_, index) =>
    index % 13 === 0
      ? `// part ${index}`
      : `inline float step${index}(float value) { return value * ${index % 97}.5f + ${'x'.repeat(index % 40)}0; }`,
  );
  return `${lines.join('\n')}\n`;
}
