// Shows a text of Markdown as a page, or as its text where the editor's preview of Markdown is switched off or absent.
import { commands, ViewColumn, window, type Uri } from 'vscode';

export async function showMarkdownPage(page: Uri, beside = false): Promise<void> {
  const preview = beside ? 'markdown.showPreviewToSide' : 'markdown.showPreview';
  if ((await commands.getCommands()).includes(preview)) await commands.executeCommand(preview, page);
  else await window.showTextDocument(page, { ...(beside ? { viewColumn: ViewColumn.Beside } : {}), preview: true });
}
