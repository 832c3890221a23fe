// The rules' pages in the extension: the link behind a diagnostic's code opens them in the editor.
import { Uri, type Diagnostic } from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { clientCommands } from '../../protocol/src/requests';
import pages from './rulePages.json';

export interface RulePage {
  readonly id: string;
  /** The page, in the extension. */
  readonly at: Uri;
  readonly summary: string;
}

/** The pages under `docs/rules` of the extension, by id. */
export function rulePages(extension: Uri): RulePage[] {
  return pages.map(({ id, summary }) => ({ id, summary, at: Uri.joinPath(extension, 'docs', 'rules', `${id}.md`) }));
}

export const linkRulePages: Middleware = {
  handleDiagnostics: (uri, diagnostics, next) => next(uri, diagnostics.map(linked)),
  provideDiagnostics: async (document, previousResultId, token, next) => {
    const report = await next(document, previousResultId, token);
    if (report && 'items' in report) report.items = report.items.map(linked);
    return report;
  },
};

function linked(diagnostic: Diagnostic): Diagnostic {
  const { code } = diagnostic;
  if (typeof code === 'object' && typeof code.value === 'string') diagnostic.code = linkedCode(code.value);
  return diagnostic;
}

export function linkedCode(value: string): { readonly value: string; readonly target: Uri } {
  const target = Uri.parse(`command:${clientCommands.explainRule}?${encodeURIComponent(JSON.stringify([value]))}`);
  return { value, target };
}
