// Adds a step for each report that the user opens of a program in the workspace.
import { window, workspace, type Disposable, type Uri } from 'vscode';
import { counters } from '../../../profiler/src/overlay/kernels';
import { addOpenedReport } from '../../../profiler/src/history/openedReport';
import { isKernelSource, type SourceText } from '../../../profiler/src/history/change';
import { uriOf } from '../paths';
import type { Profile } from '../profile/profile';
import type { ProfileStore } from '../profile/store';
import { storeFolders } from '../profiling/settings';
import type { Histories } from './histories';
import { errorText } from '../errorText';

export function keepOpenedReports(store: ProfileStore, histories: Histories): Disposable {
  let last: Promise<void> = Promise.resolve();
  return store.onDidOpen((profile) => {
    last = last
      .then(() => keep(profile, histories))
      .catch((error: unknown) => {
        void window.showWarningMessage(
          `Warplens: ${profile.name} could not be added to the history. ${errorText(error)}`,
        );
      });
  });
}

async function keep(profile: Profile, histories: Histories): Promise<void> {
  const root = rootOf(profile);
  const folder = storeFolders().find((one) => one.root === root);
  if (!folder || !workspace.isTrusted || histories.ofReport(profile.uri)) return;
  if (await addOpenedReport(folder.store, profile.uri.fsPath, sourcesOf(profile), folder.root))
    await histories.refresh();
}

/** The workspace folder of the report, or of one of its sources. Other reports are not added. */
function rootOf({ uri, places }: Profile): string | undefined {
  if (uri.scheme !== 'file') return undefined;
  const near = (one: Uri | undefined): string | undefined => one && workspace.getWorkspaceFolder(one)?.uri.fsPath;
  return near(uri) ?? [...places.values()].map((place) => near(place.uri)).find((root) => root !== undefined);
}

/** Texts as they were profiled, under their paths here, by their stall samples; without those of libraries. */
function sourcesOf({ kernels, recorded, places }: Profile): SourceText[] {
  const samples = new Map<string, number>();
  for (const { file, values } of kernels.flatMap(({ lines }) => lines))
    samples.set(file, (samples.get(file) ?? 0) + (values[counters.samples] ?? 0));
  return [...new Set([...recorded.keys(), ...places.keys()])]
    .sort((a, b) => (samples.get(b) ?? 0) - (samples.get(a) ?? 0))
    .flatMap((file) => {
      const place = places.get(file);
      const text = recorded.get(file)?.text ?? place?.profiled;
      const source = text !== undefined && {
        text,
        path: place && 'path' in place.location ? place.location.path : file,
      };
      return source && (isKernelSource(source) || workspace.getWorkspaceFolder(uriOf(source.path))) ? [source] : [];
    });
}
