// Shows a text of Markdown as a page, or as its text where the editor's preview of Markdown is switched off or absent.
import { commands, ViewColumn, window, type Uri } from 'vscode';

export async function showMarkdownPage(page: Uri, beside = false): Promise<void> {
  try {
    // Tried, not looked up: the command of an extension that has not been needed yet is in no list.
    await commands.executeCommand(beside ? 'markdown.showPreviewToSide' : 'markdown.showPreview', page);
  } catch {
    await window.showTextDocument(page, { ...(beside ? { viewColumn: ViewColumn.Beside } : {}), preview: true });
  }
}
