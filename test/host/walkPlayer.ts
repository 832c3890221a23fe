// Plays a chapter of a walk as a user would: open, measure, read the verdict, click, see the finding go.
import * as assert from 'node:assert/strict';
import { workspace, type TextDocument } from 'vscode';
import { actionAt, findings, findingsOf, inWorkspace, perform, ruleOf, show, silence, until } from './support';
import type { Chapter } from './walkStories';

/** Lays a recorded report over a file, or lets a profile bring it. */
export type Measure = (chapter: Chapter, report: string) => Promise<void>;

export async function playChapter(chapter: Chapter, measure: Measure): Promise<void> {
  const { document } = await show(`samples/${chapter.file}`);
  if (chapter.found) await findingsOf(document, chapter.found);
  if (chapter.measured) await measure(chapter, chapter.measured);
  const { found, verdict } = chapter;
  if (found && verdict)
    await until(
      () => `${String(verdict)} on ${found}; there are: ${worded(document)}`,
      () => findings(document).some((one) => ruleOf(one) === found && verdict.test(one.message.split('\n')[1] ?? '')),
    );
  const left = async (): Promise<void> => {
    if (!chapter.byHand) return;
    const [told] = await findingsOf(document, chapter.byHand[0]);
    assert.match(told!.message, chapter.byHand[1]);
  };
  await left();
  for (const { rule, titled, has, lacks } of chapter.clicks ?? []) {
    const [finding] = await findingsOf(document, rule);
    await perform(await actionAt(document, finding!.range, ({ title }) => titled.test(title)));
    if (has) assert.match(document.getText(), has);
    if (lacks) assert.doesNotMatch(document.getText(), lacks);
    await silence(document, rule);
  }
  await left();
  if (chapter.silent) {
    if (!chapter.clicks) await read(document);
    await silence(document);
  }
  if (chapter.becomes) assert.equal(body(document), body(await opened(chapter.becomes)));
  if (chapter.then) await measure(chapter, chapter.then);
}

/** Without the first line, which says what the file is for. */
function body(document: TextDocument): string {
  return document.getText().split(/\r?\n/).slice(1).join('\n');
}

async function opened(file: string): Promise<TextDocument> {
  return workspace.openTextDocument(inWorkspace(`samples/${file}`));
}

/** A file in which nothing is found has been read when one that came after it has its findings. */
async function read(document: TextDocument): Promise<void> {
  const { document: other } = await show('samples/transpose/unpadded-tile.cu');
  await findingsOf(other, 'cuda/bank-conflict');
  assert.ok(!document.isClosed);
}

function worded(document: TextDocument): string {
  return findings(document)
    .map(({ message }) => message)
    .join(' | ');
}
