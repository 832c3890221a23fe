// Wires the profile: store, overlay, hover, tree, status bar, report page and commands.
import { workspace } from 'vscode';
import type { FeatureContext } from '../featureContext';
import { registerSass, type SassPages } from '../sass/activateSass';
import { registerTimelineEditor, type TimelineEditor } from '../timeline/timelineEditor';
import { createTimelines, type Timelines } from '../timeline/timelines';
import { registerProfileCommands } from './commands';
import { createHottestLines } from './hottestLines';
import { registerLineHover, type LineHover } from './lineHover';
import { createOverlay, type Overlay } from './overlay';
import { layReportOfFolder } from './reportOfFolder';
import { registerReportEditor, type ReportEditors } from './reportEditor';
import { createProfileStatus, type ProfileStatus } from './statusBar';
import { createProfileStore, embeddedScheme, type ProfileStore } from './store';
import { tellResources } from './tellResources';

/** What tests look at. */
export interface ProfileApi {
  readonly store: ProfileStore;
  readonly overlay: Overlay;
  readonly status: ProfileStatus;
  readonly pages: ReportEditors;
  readonly hover: LineHover;
  readonly sass: SassPages;
  readonly timelines: Timelines;
  readonly timelinePages: TimelineEditor;
}

export function activateProfile({ extension, server }: FeatureContext): ProfileApi {
  const store = createProfileStore();
  const timelines = createTimelines(server);
  const timelinePages = registerTimelineEditor(timelines);
  const overlay = createOverlay(store);
  const status = createProfileStatus(store);
  const pages = registerReportEditor(store, overlay);
  const hover = registerLineHover(store, overlay);
  const sass = registerSass(store, overlay);
  extension.subscriptions.push(
    store,
    timelines,
    timelinePages,
    overlay,
    status,
    pages,
    createHottestLines(store, overlay),
    hover,
    sass,
    tellResources(store, server),
    ...registerProfileCommands(store, overlay, timelines),
    layReportOfFolder(store, timelines),
    workspace.registerTextDocumentContentProvider(embeddedScheme, {
      provideTextDocumentContent: (uri) =>
        store.active?.recorded.get(uri.query)?.text ?? 'The report with this source is closed. Open it again.\n',
    }),
  );
  return { store, overlay, status, pages, hover, sass, timelines, timelinePages };
}
