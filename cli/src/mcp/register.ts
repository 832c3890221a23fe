// Enters the server in the configuration file that a client reads in a project, and takes it out again.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { BadUse } from '../badUse';
import { replaceFile } from '../replaceFile';
import clients from './clients.json';

const name = 'warplens';

/** Returns what was done, in a sentence. Throws BadUse, and changes nothing, where the file is not as the client's. */
export function changeRegistration(folder: string, client: string, isWanted: boolean): string {
  if (!Object.hasOwn(clients, client))
    throw new BadUse(`Unknown client "${client}". Use ${Object.keys(clients).join(', ')}.`);
  const { file, servers, entry } = clients[client as keyof typeof clients];
  const path = join(folder, file);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.from('{}\n');
  const text = bytes.toString('utf8');
  const errors: ParseError[] = [];
  const whole = parseTree(text, errors, { allowTrailingComma: true });
  const list = whole && findNodeAtLocation(whole, [servers]);
  if (
    errors.length > 0 ||
    whole?.type !== 'object' ||
    (list?.type ?? 'object') !== 'object' ||
    !bytes.equals(Buffer.from(text))
  )
    throw new BadUse(`${path} is not a valid configuration and was not changed. Correct it first.`);
  const present = list && findNodeAtLocation(list, [name]);
  if (isWanted && present) {
    if (JSON.stringify(getNodeValue(present)) === JSON.stringify(entry)) return `${path} has ${name} already.`;
    throw new BadUse(`${path} has another entry "${name}". Remove it first: warplens mcp --unregister ${client}`);
  }
  if (!isWanted && !present) return `${path} has no entry "${name}".`;
  const added = list ? { [name]: entry } : { [servers]: { [name]: entry } };
  const removed = present && (list!.children!.length === 1 ? list : present)!.parent!;
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, path, removed ? without(text, removed) : withFirst(text, list ?? whole, added));
  return isWanted
    ? `${path} starts ${name}, which has to be on the PATH. Restart ${client}.`
    : `${path} does not start ${name} any more.`;
}

/** The text with a member before all others of an object; no other character changes. */
function withFirst(text: string, object: Node, member: object): string {
  const [indent = '  '] = /^[ \t]+(?=\S)/m.exec(text) ?? [];
  const outer = object.parent ? indent : '';
  const lines = JSON.stringify(member, undefined, indent).slice(1, -2).split('\n');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const rest = object.children!.length > 0 ? ',' : end + outer;
  return text.slice(0, object.offset + 1) + lines.join(end + outer) + rest + text.slice(object.offset + 1);
}

/** The text without a member of an object and one comma. */
function without(text: string, { offset, length, parent }: Node): string {
  const lead = text.slice(0, offset);
  // A brace on the line of a comment would become a part of it.
  const before = /(?:^|\n)[^\n/]*[{,]\s*$/.test(lead) ? lead.trimEnd() : lead;
  const after = text.slice(offset + length);
  const comma = /^\s*,/.exec(after);
  if (comma) return before + after.slice(comma[0].length);
  const previous = parent!.children!.findLast((each) => each.offset < offset);
  if (!previous) return before + (before === lead ? after : after.trimStart());
  const end = previous.offset + previous.length;
  return before.slice(0, end) + before.slice(end).replace(',', '') + after;
}
