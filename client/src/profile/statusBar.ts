// Two entries of the status bar: the metric that is shown of the report, and, where there are several, the kernel.
import { commands, StatusBarAlignment, window, Disposable } from 'vscode';
import { metricTitle } from '../../../profiler/src/overlay/marks';
import { remarkOn, type ProfileStore } from './store';

export interface ProfileStatus extends Disposable {
  /** What the entries say; empty while no report is shown. */
  readonly texts: readonly string[];
  /** What the first one says when pointed at. */
  readonly tooltip: string;
}

export function createProfileStatus(store: ProfileStore): ProfileStatus {
  // A narrow window drops entries from the left: the kernel goes before the cursor's position, the metric stays after
  // the language.
  const metric = window.createStatusBarItem('warplens.profile.metric', StatusBarAlignment.Right, 99);
  const kernel = window.createStatusBarItem('warplens.profile.kernel', StatusBarAlignment.Right, 101);
  metric.name = 'Warplens: Metric of the Overlay';
  kernel.name = 'Warplens: Kernel of the Overlay';
  metric.command = 'warplens.profile.chooseMetric';
  kernel.command = 'warplens.profile.chooseKernel';
  kernel.tooltip = 'Choose the kernel to show on lines';
  let texts: readonly string[] = [];
  const show = (): void => {
    const profile = store.active;
    void commands.executeCommand('setContext', 'warplens.profileShown', profile !== undefined);
    void commands.executeCommand('setContext', 'warplens.profileCompared', store.comparison !== undefined);
    if (!profile) {
      texts = [];
      metric.hide();
      kernel.hide();
      return;
    }
    const files = new Set(store.marks().map(({ line }) => line.file));
    const doubtful = [...profile.places].some(
      ([path, { location }]) => files.has(path) && (location.state === 'unsure' || location.state === 'missing'),
    );
    const what = store.comparison ? `difference to ${store.comparison.name}` : metricTitle(store.metric);
    metric.text = `$(${doubtful ? 'warning' : store.comparison ? 'diff' : 'pulse'}) ${what}`;
    const shown = profile.kernels.find(({ name }) => name === store.kernel)?.shortName;
    kernel.text = shown ?? 'all kernels';
    const placed = [...profile.places].flatMap(([path, place]) => remarkOn(path, place) ?? []);
    const remarks = [...(store.comparison?.remarks ?? []), ...placed];
    metric.tooltip = [
      `${what} of ${shown ?? 'all kernels'} in ${profile.name}: choose what to show`,
      ...remarks.slice(0, 5),
    ].join('\n');
    metric.show();
    // With one kernel there is nothing to choose.
    if (profile.kernels.length > 1) kernel.show();
    else kernel.hide();
    texts = [metric.text, ...(profile.kernels.length > 1 ? [kernel.text] : [])];
  };
  const heard = store.onDidChange(show);
  show();
  return {
    get texts() {
      return texts;
    },
    get tooltip() {
      return String(metric.tooltip ?? '');
    },
    dispose: () => Disposable.from(heard, metric, kernel).dispose(),
  };
}
