// The command that opens a rule's page beside the code: the rule under the cursor, or one that the user picks.
import { commands, languages, window } from 'vscode';
import { clientCommands } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { showMarkdownPage } from '../markdownPage';
import { rulePages, type RulePage } from '../rulePages';

export function activateExplainRule({ extension }: FeatureContext): void {
  async function explain(wanted?: unknown): Promise<void> {
    const pages = rulePages(extension.extensionUri);
    const id = typeof wanted === 'string' ? wanted : undefined;
    const page = id === undefined ? await pick(pages) : pages.find((candidate) => candidate.id === id);
    if (page) await showMarkdownPage(page.at, true);
    else if (id !== undefined) void window.showInformationMessage(`Unknown rule "${id}": Warplens has no page for it.`);
  }

  extension.subscriptions.push(commands.registerCommand(clientCommands.explainRule, explain));
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
