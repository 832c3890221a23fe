// A line over each kernel: the launch shapes that were found for it, and how many of its accesses are bad.
import type { CancellationToken, CodeLens } from 'vscode-languageserver';
import { clientCommands } from '../../../protocol/src/requests';
import { unreadShare } from '../rules/unreadWording';
import type { KernelFact } from '../semantic/model';
import type { Reading, Refusal } from './readings';
import { guarded, type Session } from './session';
import { blockText, count } from './wording';

const mostShapes = 3;

export function serveCodeLens(session: Session): void {
  const { connection, folders, client } = session;
  connection.onCodeLens(
    guarded(session, 'textDocument/codeLens', [] as CodeLens[], async ({ textDocument: { uri } }, token) => {
      if (!folders.of(uri).settings.codeLens) return [];
      const reading = await readingWhileTyping(session, uri, token);
      if (!reading || 'refused' in reading) return [];
      return reading.model.facts.kernel
        .filter((kernel) => kernel.global && kernel.at.uri === uri)
        .map((kernel): CodeLens => {
          const range = reading.lines.rangeOf({ start: kernel.at.start, end: kernel.nameAt.end });
          return {
            range,
            command: {
              title: titleOf(kernel, reading),
              ...(client.ownCommands
                ? { command: clientCommands.showModel, arguments: [uri, range.start.line] }
                : { command: '' }),
            },
          };
        });
    }),
  );
}

/** A document of up to this many characters is read within milliseconds: its lenses need not wait for a rest. */
const shortDocument = 40_000;
/** How long the lines over the kernels of a longer one may be out of date while somebody types on, in milliseconds. */
const longestStale = 500;

/**
 * The reading for a line over a kernel. Editors ask for these at each pause of a quarter of a second and keep the old
 * ones until an answer comes: waiting for a rest would leave figures that are no longer true while somebody types.
 */
export async function readingWhileTyping(
  { readings, documents }: Pick<Session, 'readings' | 'documents'>,
  uri: string,
  token: CancellationToken,
): Promise<Reading | Refusal | undefined> {
  const document = documents.get(uri);
  if (!document) return undefined;
  const settled = readings.settled(uri, token);
  if (document.getText().length <= shortDocument) return readings.nowOrWhy(uri) ?? settled;
  let pause: NodeJS.Timeout | undefined;
  const late = new Promise<Reading | Refusal | undefined>((resolve) => {
    const look = (): void => resolve(token.isCancellationRequested ? undefined : readings.nowOrWhy(uri));
    pause = setTimeout(() => void readings.glimpsed(uri).then(look, look), longestStale);
  });
  try {
    return (await Promise.race([settled, late])) ?? (await settled);
  } finally {
    clearTimeout(pause);
  }
}

function titleOf(kernel: KernelFact, reading: Reading): string {
  const accesses = new Set(reading.model.facts.access.map((access) => `${access.at.start} ${access.at.end}`));
  const bad = reading.result.findings.filter(
    (finding) =>
      finding.at.start >= kernel.at.start &&
      finding.at.end <= kernel.at.end &&
      accesses.has(`${finding.at.start} ${finding.at.end}`),
  ).length;
  // What was found before the analysis stopped holds; that there is no more does not.
  const its = reading.unread().filter(({ kernels }) => kernels.includes(kernel.name));
  const isWhole = its.every(({ what }) => what === 'launch');
  const found = bad > 0 ? count(bad, 'slow access', 'slow accesses') : isWhole ? 'no slow access' : '';
  const share = unreadShare(kernel.name, reading.model.facts.access, its);
  const gap = kernel.notAnalysed ? 'partly analysed' : isWhole || share ? '' : 'partly read';
  return [shapesOf(kernel), found, share, gap].filter(Boolean).join(' · ');
}

function shapesOf({ shapes }: KernelFact): string {
  const found = [...new Set(shapes.filter((shape) => !shape.assumed).map(blockText))];
  if (found.length > 0)
    return (
      `${found.length === 1 ? 'block' : 'blocks'} ` +
      `${found.slice(0, mostShapes).join(', ')}${found.length > mostShapes ? ` and ${found.length - mostShapes} more` : ''}`
    );
  const assumed = [...new Set(shapes.map(blockText))];
  return assumed.length > 0
    ? `block size unknown, assuming ${assumed.slice(0, mostShapes).join(', ')}`
    : 'no launch found';
}
