// Two entries of the status bar: the report with the metric that is shown, and the kernel.
import { commands, StatusBarAlignment, window, type Disposable } from 'vscode';
import { metricTitle } from '../../../profiler/src/overlay/marks';
import { remarkOn, type ProfileStore } from './store';

export interface ProfileStatus extends Disposable {
  /** What the entries say; empty while no report is shown. */
  readonly texts: readonly string[];
  /** What the first one says when pointed at. */
  readonly tooltip: string;
}

export function createProfileStatus(store: ProfileStore): ProfileStatus {
  const metric = window.createStatusBarItem('warplens.profile.metric', StatusBarAlignment.Right, 101);
  const kernel = window.createStatusBarItem('warplens.profile.kernel', StatusBarAlignment.Right, 100.9);
  metric.name = 'Warplens: Metric of the Overlay';
  kernel.name = 'Warplens: Kernel of the Overlay';
  metric.command = 'warplens.profile.chooseMetric';
  kernel.command = 'warplens.profile.chooseKernel';
  kernel.tooltip = 'Choose the kernel that the lines show';
  let texts: readonly string[] = [];
  const show = (): void => {
    const profile = store.active;
    void commands.executeCommand('setContext', 'warplens.profileShown', profile !== undefined);
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
    metric.text = `$(${doubtful ? 'warning' : 'pulse'}) ${profile.name}: ${metricTitle(store.metric)}`;
    kernel.text = profile.kernels.find(({ name }) => name === store.kernel)?.shortName ?? 'all kernels';
    const remarks = [...profile.places].flatMap(([path, place]) => remarkOn(path, place, profile) ?? []);
    metric.tooltip = ['Choose what the lines show', ...remarks.slice(0, 5)].join('\n');
    texts = [metric.text, kernel.text];
    metric.show();
    kernel.show();
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
    dispose() {
      heard.dispose();
      metric.dispose();
      kernel.dispose();
    },
  };
}
