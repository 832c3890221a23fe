// The commands that open a rule's page beside the code, and that show at a line why a finding has no fix.
import { commands, Disposable, Hover, languages, MarkdownString, Position, Selection, window } from 'vscode';
import { clientCommands, type TextPosition } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { showMarkdownPage } from '../markdownPage';
import { documentAt } from '../paths';
import { linkedCode, rulePages, type RulePage } from '../rulePages';

export function activateExplainRule({ extension }: FeatureContext): void {
  async function explain(wanted?: unknown): Promise<void> {
    const pages = rulePages(extension.extensionUri);
    const id = typeof wanted === 'string' ? wanted : undefined;
    const page = id === undefined ? await pick(pages) : pages.find((candidate) => candidate.id === id);
    if (page) await showMarkdownPage(page.at, true);
    else if (id !== undefined) void window.showInformationMessage(`Unknown rule "${id}": Warplens has no page for it.`);
  }

  let reason = Disposable.from();
  async function showWhyNoFix(of: string, { line, character }: TextPosition, why: string, rule: string): Promise<void> {
    const text = new MarkdownString(`${why}\n\n`);
    text.appendMarkdown('Remove what prevents it, and the fix is offered. To change the code by hand, see ');
    text.appendMarkdown(`[${rule}](${String(linkedCode(rule).target)}).`);
    text.isTrusted = { enabledCommands: [clientCommands.explainRule] };
    const editor = await window.showTextDocument(documentAt(of));
    const { document } = editor;
    const { version } = document;
    reason.dispose();
    // Until the text changes: then the reason may be another.
    reason = languages.registerHoverProvider(
      { scheme: document.uri.scheme },
      {
        provideHover: (asked, at) =>
          asked === document && asked.version === version && at.line === line ? new Hover(text) : undefined,
      },
    );
    const start = new Position(line, character);
    editor.selection = new Selection(start, start);
    await commands.executeCommand('editor.action.showHover');
  }

  extension.subscriptions.push(
    { dispose: () => reason.dispose() },
    commands.registerCommand(clientCommands.explainRule, explain),
    commands.registerCommand(clientCommands.showWhyNoFix, showWhyNoFix),
  );
}

async function pick(pages: readonly RulePage[]): Promise<RulePage | undefined> {
  const here = new Set(rulesUnderCursor());
  const items = pages
    .map((page) => ({
      label: page.id,
      ...(here.has(page.id) ? { description: 'on this line' } : {}),
      detail: page.summary,
      page,
    }))
    .sort((a, b) => Number(here.has(b.page.id)) - Number(here.has(a.page.id)));
  const choice = await window.showQuickPick(items, {
    title: 'Explain a rule',
    placeHolder: 'The rule to read about',
    matchOnDetail: true,
  });
  return choice?.page;
}

/** The rules that speak on the cursor's line. */
function rulesUnderCursor(): string[] {
  const editor = window.activeTextEditor;
  if (!editor) return [];
  const { line } = editor.selection.active;
  return languages
    .getDiagnostics(editor.document.uri)
    .filter(
      (diagnostic) =>
        diagnostic.source === 'warplens' && diagnostic.range.start.line <= line && diagnostic.range.end.line >= line,
    )
    .flatMap(({ code }) => (typeof code === 'object' ? [String(code.value)] : []));
}
