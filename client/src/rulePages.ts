// The rules' pages travel with the extension: the link behind a diagnostic's code opens them in the editor instead of
// on the web.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Uri, type Diagnostic } from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { clientCommands } from '../../protocol/src/requests';

export interface RulePage {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly summary: string;
}

/** The pages found under `docs/rules` of the extension, by id. */
export function findRulePages(extensionPath: string): RulePage[] {
  const folder = join(extensionPath, 'docs', 'rules');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && /[\\/]/.test(name))
    .map((name) => {
      const file = join(folder, name);
      const lines = readFileSync(file, 'utf8').split(/\r?\n/);
      const heading = lines.findIndex((line) => line.startsWith('# '));
      const id = name.replaceAll('\\', '/').slice(0, -'.md'.length);
      const summary = lines.slice(heading + 1).find((line) => /^[A-Z`]/.test(line.trim())) ?? '';
      return { id, file, title: heading < 0 ? id : lines[heading]!.slice(2).trim(), summary: summary.trim() };
    })
    .sort((a, b) => a.id.localeCompare(b.id));
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
  if (typeof code === 'object' && typeof code.value === 'string') {
    diagnostic.code = {
      value: code.value,
      target: Uri.parse(`command:${clientCommands.explainRule}?${encodeURIComponent(JSON.stringify([code.value]))}`),
    };
  }
  return diagnostic;
}
