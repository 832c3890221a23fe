// Shows the report that a folder's settings name on its sources when the folder opens.
import { Uri, window, workspace, type Disposable } from 'vscode';
import { isTimelineFile, type Timelines } from '../timeline/timelines';
import type { ProfileStore } from './store';
import { errorText } from '../errorText';

const setting = 'warplens.profile.report';

/** Lays the report of the setting when that changes; what the user opened stays until then. */
export function layReportOfFolder(store: ProfileStore, timelines: Pick<Timelines, 'open'>): Disposable {
  void lay(store, timelines);
  return workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(setting)) void lay(store, timelines);
  });
}

async function lay(store: ProfileStore, timelines: Pick<Timelines, 'open'>): Promise<void> {
  for (const folder of workspace.workspaceFolders ?? []) {
    const path = workspace.getConfiguration('warplens.profile', folder.uri).get<unknown>('report');
    if (typeof path !== 'string' || path.trim() === '') continue;
    const report = Uri.joinPath(folder.uri, path.trim());
    try {
      // A setting of a foreign folder reaches no file outside of it.
      if (!report.path.startsWith(`${folder.uri.path.replace(/\/$/, '')}/`))
        throw new Error('It must be in the workspace folder.');
      if (isTimelineFile(report)) {
        await timelines.open(report);
        return;
      }
      const profile = await store.load(report);
      if (profile) store.show(profile, false);
    } catch (error) {
      void window.showWarningMessage(
        `Warplens: the report "${path}" (setting ${setting}) cannot be shown. ${errorText(error)}`,
      );
    }
    return;
  }
}
