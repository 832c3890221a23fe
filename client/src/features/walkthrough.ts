// The walkthrough's commands: open it, and open examples to fix.
import { commands, languages, Selection, TextEditorRevealType, Uri, window, workspace } from 'vscode';
import type { FeatureContext } from '../featureContext';
import { walkthroughDirectives, walkthroughKernel } from '../walkthroughKernel';

const recordedSource = 'transpose/unpadded-tile.cu';
const recordedReport = 'profiles/unpadded-tile.ncu-rep';

export function activateWalkthrough({ extension }: FeatureContext): void {
  extension.subscriptions.push(
    commands.registerCommand('warplens.openWalkthrough', () =>
      commands.executeCommand('workbench.action.openWalkthrough', `${extension.extension.id}#warplens.start`, false),
    ),
    commands.registerCommand('warplens.openSample', (name?: unknown) => openSample(name, extension)),
    commands.registerCommand('warplens.fixExample', fixExample),
  );
}

/** Opens a sample by its name, or one that is picked. */
async function openSample(name: unknown, extension: FeatureContext['extension']): Promise<void> {
  const samples = new Map<unknown, () => Promise<void>>([
    ['CUDA kernel', () => openExample('cuda-cpp', walkthroughKernel)],
    ['OpenACC in C', () => openExample('c', walkthroughDirectives)],
    ['Recorded report', () => openRecordedSample(extension)],
  ]);
  const names = [...samples.keys()].map(String);
  await samples.get(
    samples.has(name) ? name : await window.showQuickPick(names, { title: 'Warplens: Open Sample' }),
  )?.();
}

/** A new, unsaved file, so that nothing of the user's is touched. */
async function openExample(language: string, content: string): Promise<void> {
  const document = await workspace.openTextDocument({ language, content });
  await window.showTextDocument(document);
}

/** Lays a copy of a shipped report over a copy of its source, so that the fix can be tried. */
async function openRecordedSample({ extensionUri, globalStorageUri }: FeatureContext['extension']): Promise<void> {
  const samples = Uri.joinPath(globalStorageUri, 'sample');
  for (const path of [recordedSource, recordedReport, 'common.cuh'])
    await workspace.fs.copy(Uri.joinPath(extensionUri, 'samples', path), Uri.joinPath(samples, path), {
      overwrite: true,
    });
  await workspace.openTextDocument(Uri.joinPath(samples, recordedSource));
  await commands.executeCommand('warplens.profile.layOver', Uri.joinPath(samples, recordedReport));
  // The copy, or the same file of an open folder.
  await commands.executeCommand('warplens.profile.nextHottest');
  const next = new Map([
    ['Next Hottest Line', 'warplens.profile.nextHottest'],
    ['Report Page', 'warplens.profile.showReport'],
  ]);
  const message =
    'Warplens: this is a recorded report of an H200; nothing was run here. Point at the line with the highest ' +
    'share to see why it waits, then fix it.';
  void window
    .showInformationMessage(message, ...next.keys())
    .then((choice) => choice && commands.executeCommand(next.get(choice)!));
}

/** Puts the cursor on the first finding of the example and opens the menu of fixes there. */
async function fixExample(): Promise<void> {
  const open = workspace.textDocuments.find(
    (document) => document.isUntitled && document.getText() === walkthroughKernel,
  );
  if (!open) await openExample('cuda-cpp', walkthroughKernel);
  const editor = await window.showTextDocument(open ?? window.activeTextEditor!.document);
  const first = await firstFinding(editor.document.uri.toString());
  if (!first) {
    const message = 'Warplens: no findings here yet. The log shows whether the server is running.';
    if (await window.showInformationMessage(message, 'Show Log')) await commands.executeCommand('warplens.showOutput');
    return;
  }
  editor.selection = new Selection(first, first);
  editor.revealRange(editor.selection, TextEditorRevealType.InCenterIfOutsideViewport);
  await commands.executeCommand('editor.action.quickFix');
}

async function firstFinding(uri: string): Promise<Selection['start'] | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const [found] = languages
      .getDiagnostics()
      .flatMap(([of, all]) => (of.toString() === uri ? all : []))
      .filter(({ source }) => source === 'warplens')
      .sort((a, b) => a.range.start.compareTo(b.range.start));
    if (found) return found.range.start;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
