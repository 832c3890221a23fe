// "Measure: …" under each quick fix of the server, and "Sweep …" on a number that can be tried.
import {
  CodeAction,
  CodeActionKind,
  languages,
  type CodeActionProvider,
  type Command,
  type Disposable,
  type Range,
  type TextDocument,
} from 'vscode';
import { parametersRequest, type FoundParameter, type ParametersAnswer } from '../../../protocol/src/requests';
import { documentSelector } from '../languages';
import type { ResultMiddleware, Server } from '../server';

/** What the server puts behind its fixes: enough to find one again. */
export interface FixReference {
  readonly uri: string;
  readonly rule: string;
  readonly message: string;
  /** Offset of the finding. */
  readonly start: number;
  readonly title: string;
  /** All fixes of the finding, where they are measured against each other. */
  readonly titles?: readonly string[];
}

/** Their programs do not compile, do not start, or compute something else: there is no time to compare with. */
const notOfTime: ReadonlySet<string> = new Set([
  'acc/block-limit',
  'acc/clause-argument',
  'acc/clause-not-allowed',
  'acc/directive-form',
  'acc/missing-reduction',
  'acc/missing-routine',
  'acc/unknown-name',
  'cuda/barrier-in-divergent-code',
]);
/** From so many fixes of one finding on they are measured together, in one row of the menu. */
const many = 3;

/** What the fix does, without its figures and its price, which its own row has. */
function nameOf({ title }: FixReference): string {
  const name = title.replace(/: [\d.]+× .*$| \([^()]*\)$/, '');
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
}
const longestName = 60;

export const canBeMeasured = (rule: string): boolean => !notOfTime.has(rule);

export const measureFixCommand = 'warplens.measureFix';
export const sweepCommand = 'warplens.sweepParameter';

/** Puts the measuring of a fix directly under the fix, which no second provider could. */
export function measureBesideFixes(isTrusted: () => boolean): ResultMiddleware {
  return {
    async provideCodeActions(document, range, context, token, next) {
      const actions = await next(document, range, context, token);
      if (!actions || !isTrusted()) return actions;
      const fixes = actions.map((action) => fixOf(action));
      const alike = fixes.map((fix) =>
        fix
          ? fixes.filter(
              (other) =>
                other !== undefined &&
                other.rule === fix.rule &&
                other.start === fix.start &&
                other.message === fix.message,
            )
          : [],
      );
      const seen = new Set<string>();
      return actions.flatMap((action, at) => {
        const fix = fixes[at];
        const all = alike[at]!;
        // Findings of one line may have one fix in common; it is measured once.
        if (!fix || seen.has(fix.title) || notOfTime.has(fix.rule)) return [action];
        seen.add(fix.title);
        if (all.length < many) return [action, measuring(`Measure: ${nameOf(fix)}`, fix, action as CodeAction)];
        return fix === all.at(-1)
          ? [
              action,
              measuring(
                `Measure these ${all.length} fixes`,
                { ...fix, titles: all.map((one) => one!.title) },
                action as CodeAction,
              ),
            ]
          : [action];
      });
    },
  };
}

function measuring(title: string, fix: FixReference, { diagnostics }: CodeAction): CodeAction {
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  if (diagnostics) action.diagnostics = diagnostics;
  action.command = { title: action.title, command: measureFixCommand, arguments: [{ ...fix }] };
  return action;
}

function fixOf(action: CodeAction | Command): FixReference | undefined {
  const { data } = action as { readonly data?: Partial<FixReference> & { readonly kind?: string } };
  if (
    data?.kind !== 'fix' ||
    typeof data.uri !== 'string' ||
    typeof data.rule !== 'string' ||
    typeof data.message !== 'string' ||
    typeof data.start !== 'number' ||
    typeof data.title !== 'string'
  )
    return undefined;
  const { uri, rule, message, start, title } = data;
  return { uri, rule, message, start, title };
}

/** On a launch, a clause, or the digits of a constant. */
export function offerSweeps(server: Server, isTrusted: () => boolean): Disposable {
  const provider: CodeActionProvider = {
    async provideCodeActions(document, range) {
      if (!isTrusted()) return [];
      const found = await parametersAt(server, document, range);
      return found
        .filter((parameter) => parameter.kind !== 'constant' || touches(parameter, document, range))
        .map((parameter) => {
          const action = new CodeAction(`Sweep ${parameter.name}…`, CodeActionKind.RefactorRewrite);
          action.command = {
            title: action.title,
            command: sweepCommand,
            arguments: [{ uri: document.uri.toString(), line: range.start.line, name: parameter.name }],
          };
          return action;
        });
    },
  };
  return languages.registerCodeActionsProvider(documentSelector(), provider, {
    providedCodeActionKinds: [CodeActionKind.RefactorRewrite],
  });
}

/** The parameters of the line in which a range begins; none where the server does not read the document. */
export async function parametersAt(
  server: Server,
  document: TextDocument,
  { start }: Range,
): Promise<readonly FoundParameter[]> {
  const answer = await server
    .request<ParametersAnswer | null>(parametersRequest, {
      uri: document.uri.toString(),
      position: { line: start.line, character: start.character },
    })
    .catch(() => null);
  return answer?.version === document.version ? answer.parameters : [];
}

/** Every constant is a number, and few want a light bulb: the cursor has to be at its digits. */
function touches({ uri, range: literal }: FoundParameter, document: TextDocument, range: Range): boolean {
  return (
    uri === document.uri.toString() &&
    literal.start.line === range.start.line &&
    literal.start.character <= range.end.character &&
    literal.end.character >= range.start.character
  );
}
