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
    commands.registerCommand('warplens.openExample', () => openExample('cuda-cpp', walkthroughKernel)),
    commands.registerCommand('warplens.openDirectiveExample', () => openExample('c', walkthroughDirectives)),
    commands.registerCommand('warplens.fixExample', fixExample),
    commands.registerCommand('warplens.openRecordedSample', () => openRecordedSample(extension)),
  );
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
  const next = [
    ['Next Hottest Line', 'warplens.profile.nextHottest'],
    ['Report Page', 'warplens.profile.showReport'],
  ] as const;
  void window
    .showInformationMessage(
      'Warplens: this is a recorded report of an H200; nothing was run here. Point at the line with the highest ' +
        'share to see why it waits, then fix it.',
      ...next.map(([title]) => title),
    )
    .then((choice) => {
      const command = next.find(([title]) => title === choice)?.[1];
      if (command) void commands.executeCommand(command);
    });
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
    void window
      .showInformationMessage(
        'Warplens: no findings here yet. The log shows whether the server is running.',
        'Show Log',
      )
      .then((choice) => choice && commands.executeCommand('warplens.showOutput'));
    return;
  }
  editor.selection = new Selection(first, first);
  editor.revealRange(editor.selection, TextEditorRevealType.InCenterIfOutsideViewport);
  await commands.executeCommand('editor.action.quickFix');
}

async function firstFinding(uri: string): Promise<Selection['start'] | undefined> {
  const look = () =>
    languages
      .getDiagnostics()
      .filter(([of]) => of.toString() === uri)
      .flatMap(([, found]) => found)
      .filter((diagnostic) => diagnostic.source === 'warplens')
      .sort((a, b) => a.range.start.compareTo(b.range.start))
      .at(0)?.range.start;
  for (let attempt = 0; attempt < 50; attempt++) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
