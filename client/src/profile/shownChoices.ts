// Lists from which the metric and the kernel are chosen that the lines show.
import { commands, window, type QuickPickItem } from 'vscode';
import { amount, duration, percent } from '../../../profiler/src/lines/amounts';
import {
  isOverlayMetric,
  marksOfAll,
  metricTitle,
  overlayMetrics,
  stallReasonsOf,
  type NamedMetric,
  type OverlayMetric,
} from '../../../profiler/src/overlay/marks';
import type { ProfileStore } from './store';

export interface ShownChoices {
  /** Takes a metric by its name, or asks. */
  chooseMetric(wanted?: unknown): Promise<void>;
  /** Takes a kernel by its name, all of them where it has none of that name, or asks. */
  chooseKernel(wanted?: unknown): Promise<void>;
}

/** @param withoutProfile what happens where no report is shown */
export function shownChoices(store: ProfileStore, withoutProfile: () => Promise<void>): ShownChoices {
  async function chooseMetric(wanted?: unknown): Promise<void> {
    const profile = store.active;
    if (!profile) return withoutProfile();
    if (typeof wanted === 'string' && isOverlayMetric(wanted)) return store.choose({ metric: wanted });
    const marked = (metric: OverlayMetric): string => {
      const count = new Set(
        marksOfAll(profile.kernels, metric, store.kernel).map(({ line }) => `${line.line} ${line.file}`),
      ).size;
      return count === 0 ? 'no line' : count === 1 ? '1 line' : `${count} lines`;
    };
    type Choice = QuickPickItem & { readonly metric?: OverlayMetric; readonly then?: 'reasons' | 'clear' | 'compare' };
    const shown = (metric: OverlayMetric): string => (metric === store.metric && !store.comparison ? '$(check) ' : '');
    const items: Choice[] = (Object.keys(overlayMetrics) as NamedMetric[]).map((metric) => {
      const { title, detail } = overlayMetrics[metric];
      return {
        label: `${shown(metric)}${title[0]!.toUpperCase()}${title.slice(1)}`,
        description: `${marked(metric)} · ${detail}`,
        metric,
      };
    });
    const reasons = stallReasonsOf(profile.kernels, store.kernel);
    const byReason = store.metric.startsWith('stall ');
    if (reasons.length > 0)
      items.splice(1, 0, {
        label: `${byReason ? '$(check) ' : ''}A stall reason…`,
        description: byReason
          ? metricTitle(store.metric)
          : `${reasons
              .slice(0, 2)
              .map(({ title }) => title)
              .join(', ')} and others`,
        then: 'reasons',
      });
    const title = `${profile.name}${profile.device ? `, ${profile.device.name}` : ''}`;
    const choice = await window.showQuickPick<Choice>(
      [
        ...items,
        {
          label: `${store.comparison ? '$(check) ' : ''}Difference to another report…`,
          description: store.comparison ? store.comparison.name : 'time cost or saved by each line',
          then: 'compare',
        },
        { label: '$(eye-closed) Clear the overlay', then: 'clear' },
      ],
      { title, placeHolder: 'Metric to show on lines' },
    );
    if (choice?.metric) return store.choose({ metric: choice.metric });
    if (choice?.then === 'clear') return store.clear();
    if (choice?.then === 'compare') return void (await commands.executeCommand('warplens.profile.compare'));
    if (choice?.then !== 'reasons') return;
    const reason = await window.showQuickPick(
      reasons.map(({ name, title: reasonTitle, meaning, samples, share }) => {
        const metric: OverlayMetric = `stall ${name}`;
        return {
          label: `${shown(metric)}${reasonTitle[0]!.toUpperCase()}${reasonTitle.slice(1)}`,
          description: `${percent(share)}, ${amount(samples)} samples · ${marked(metric)}`,
          detail: meaning,
          metric,
        };
      }),
      { title, placeHolder: 'Stall reason to show on lines', matchOnDetail: true },
    );
    if (reason) store.choose({ metric: reason.metric });
  }

  async function chooseKernel(wanted?: unknown): Promise<void> {
    const profile = store.active;
    if (!profile) return withoutProfile();
    if (typeof wanted === 'string')
      return store.choose({ kernel: profile.kernels.some(({ name }) => name === wanted) ? wanted : null });
    const all: QuickPickItem & { kernel: string | null } = {
      label: 'All kernels',
      description: duration(profile.kernels.reduce((sum, { durationNs }) => sum + durationNs, 0)),
      kernel: null,
    };
    const items = [...profile.kernels]
      .sort((a, b) => b.durationNs - a.durationNs)
      .map((kernel) => ({
        label: kernel.shortName,
        description: duration(kernel.durationNs),
        ...(kernel.name === kernel.shortName ? {} : { detail: kernel.name }),
        kernel: kernel.name,
      }));
    const choice = await window.showQuickPick<QuickPickItem & { kernel: string | null }>([all, ...items], {
      title: profile.name,
      placeHolder: 'Kernel to show on lines',
      matchOnDetail: true,
    });
    if (choice) store.choose({ kernel: choice.kernel });
  }

  return { chooseMetric, chooseKernel };
}
