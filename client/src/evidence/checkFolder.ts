// "Check Folder": findings of files that are not open, for the list of problems and for "Problems by Cost".
import {
  commands,
  Diagnostic,
  EventEmitter,
  languages,
  ProgressLocation,
  Range,
  TabInputText,
  TabInputTextDiff,
  Uri,
  window,
  workspace,
  Disposable,
  type Event,
  type Tab,
} from 'vscode';
import { findingsRequest, type FindingsAnswer, type FoundFinding } from '../../../protocol/src/requests';
import { errorText } from '../errorText';
import { mayBeGpuCode } from '../gpuText';
import { addressOf } from '../paths';
import { nameOf } from '../profile/store';
import { linkedCode } from '../rulePages';
import type { Server } from '../server';
import { chooseWorkspaceFolder, findWorkspaceFiles } from '../workspaceFiles';
import { severities } from './wordedDiagnostics';

export interface FolderCheck extends Disposable {
  /** How far a check is that runs now. */
  readonly progress: string | undefined;
  readonly onDidChange: Event<void>;
  /** The checked files that no tab shows, with what was found in each. */
  closedFiles(): ReadonlyMap<string, readonly { readonly place: Uri; readonly finding: FoundFinding }[]>;
}

const sources = '**/*.{cu,cuh,c,cc,cpp,cxx,h,hh,hpp,inl,f,F,for,ftn,f90,F90,f95,F95,f03,F03,f08,F08}';
/** An answer that takes longer to read than a user waits is no answer. */
const mostFiles = 20_000;

export function createFolderCheck(server: Server): FolderCheck {
  const changed = new EventEmitter<void>();
  const shown = languages.createDiagnosticCollection('warplens.folder');
  const found = new Map<string, { readonly place: Uri; readonly finding: FoundFinding }[]>();
  let progress: string | undefined;

  async function check(place: Uri): Promise<void> {
    const text = new TextDecoder().decode(await workspace.fs.readFile(place));
    if (!mayBeGpuCode(/\.(cuh?|f\w*)$/i.test(place.path) ? 'cuda' : 'cpp', text)) return;
    await workspace.openTextDocument(place);
    const answer = await server.request<FindingsAnswer | null>(findingsRequest, { uri: addressOf(place) });
    const findings = answer?.findings ?? [];
    found.set(
      String(place),
      findings.map((finding) => ({ place, finding })),
    );
    // The editor asks for the diagnostics of what it shows.
    if (!urisInTabs().has(String(place))) shown.set(place, findings.map(diagnosticOf));
    changed.fire();
  }

  async function checkFolder(wanted?: unknown): Promise<void> {
    const top = wanted instanceof Uri ? wanted : (await chooseWorkspaceFolder('The folder to check'))?.uri;
    const folder = top && workspace.getWorkspaceFolder(top);
    if (!folder) return;
    const below = top.path.slice(folder.uri.path.length + 1).replace(/[[\]{}*?]/g, '[$&]');
    const pattern = below === '' ? sources : `${below}/${sources}`;
    const query = { skippedFolders: ['node_modules', '.git'], most: mostFiles, folder };
    const bars = { location: ProgressLocation.Notification, title: `Checking ${nameOf(top.path)}`, cancellable: true };
    found.clear();
    shown.clear();
    void commands.executeCommand('warplens.problems.focus');
    await window.withProgress(bars, async (bar, token) => {
      progress = 'Reading the folder…';
      changed.fire();
      await server.start();
      const files = await findWorkspaceFiles(pattern, query);
      for (const [at, file] of files.entries()) {
        if (token.isCancellationRequested) break;
        progress = `Reading ${nameOf(file.path)}, ${at + 1} of ${files.length} files…`;
        bar.report({ message: progress, increment: 100 / files.length });
        await check(file).catch((error: unknown) => server.log.warn(`${file.path}: ${errorText(error)}`));
      }
      progress = undefined;
      changed.fire();
    });
  }

  const registered = [
    changed,
    shown,
    commands.registerCommand('warplens.checkFolder', checkFolder),
    window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
      for (const uri of opened.flatMap(urisOf)) shown.delete(uri);
      for (const uri of closed.flatMap(urisOf)) if (found.has(String(uri))) void check(uri).catch(() => undefined);
    }),
  ];
  return {
    get progress() {
      return progress;
    },
    onDidChange: changed.event,
    closedFiles() {
      const open = urisInTabs();
      return new Map([...found].filter(([uri]) => !open.has(uri)));
    },
    dispose: () => Disposable.from(...registered).dispose(),
  };
}

function diagnosticOf({ rule, text, severity, range: { start, end } }: FoundFinding): Diagnostic {
  const range = new Range(start.line, start.character, end.line, end.character);
  const diagnostic = new Diagnostic(range, text, severities[severity]);
  return Object.assign(diagnostic, { source: 'warplens', code: linkedCode(rule) });
}

function urisInTabs(): ReadonlySet<string> {
  return new Set(window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(urisOf)).map(String));
}

function urisOf({ input }: Tab): Uri[] {
  return input instanceof TabInputText ? [input.uri] : input instanceof TabInputTextDiff ? [input.modified] : [];
}
