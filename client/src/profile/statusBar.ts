// Two entries of the status bar: the report with the metric that is shown, and the kernel.
import { commands, StatusBarAlignment, window, type Disposable } from 'vscode';
import { metricTitle } from './heat';
import { remarkOn, type ProfileStore } from './store';

export interface ProfileStatus extends Disposable {
  /** What the entries say; empty while no report is shown. */
  readonly texts: readonly string[];
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
    metric.text = `$(pulse) ${profile.name}: ${metricTitle(store.metric)}`;
    kernel.text = profile.kernels.find(({ name }) => name === store.kernel)?.shortName ?? 'all kernels';
    const remarks = [...profile.places].flatMap(([path, place]) => remarkOn(path, place) ?? []);
    metric.tooltip = ['Choose what the lines show', ...remarks.slice(0, 5)].join('\n');
    texts = [metric.text, kernel.text];
    metric.show();
    kernel.show();
  };
  const heard = store.onDidChange(show);
  show();
  return { get texts() { return texts; }, dispose() { heard.dispose(); metric.dispose(); kernel.dispose(); } };
}
