// What the editor shows on every fixture and sample: titles of its menu at their width, hovers with the figure in their first line; one verdict on a finding in all clients.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from 'sarif';
import {
  CodeActionRequest,
  CodeActionTriggerKind,
  HoverRequest,
  type Diagnostic,
  type MarkupContent,
  type Position,
} from 'vscode-languageserver-protocol/node';
import { checkAnswer } from '../../cli/src/mcp/code';
import { findingsRequest, type FindingsAnswer, type FoundFinding } from '../../protocol/src/requests';
import { longestTitle } from '../../server/src/semantic/excerpt';
import { testSyntax } from '../support/analyseText';
import { sampleOf } from '../support/depth';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';
import { readFixture } from '../support/fixtureFile';
import { startEditor, uriOf, type Editor } from './support';

const root = join(__dirname, '../..');
const longestFirstLine = 120;
const mostLines = 25;
const mostPlaces = 3;
/** `64 sectors, ideal 4 (16.0×)`, `splits 50 % of the warps`, `8 bytes a lane`, `block 256 (8 warps)`, `block ?`. */
const figure = /[\d?]/;
const withFigure = /^\*\*(?:\w+ (?:load|store|atomic)[a-z ]*|Launch)\*\*/;

const filesIn = (folders: readonly string[], named: RegExp): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => named.test(name))
      .map((name) => join(folder, name)),
  );
const textOf = (name: string): string => readFixture(readFileSync(join(root, name), 'utf8')).text;
const source = /\.(cu|c|cpp|f90|f)$/;
const sources = [...filesIn(['samples'], source), ...sampleOf(filesIn(['server/src/rules'], source), 300)];
const headers = filesIn(['samples'], /\.(cuh|h|inc)$/);
/** Those whose verdicts are compared between the clients. */
const comparable = sources.filter((name) => /(\bbad|^samples\/(?!.*\.fixed\.).*)\.(cu|c|f90)$/.test(name));
const compared = new Set(sampleOf(comparable, 40));

describe('what the editor shows', function () {
  this.timeout(600_000);
  let editor: Editor;
  const titles = new Map<string, string>();
  const hovers = new Map<string, string>();
  const places = new Map<string, number>();

  let folder: string;
  const keep = (path: string): void => {
    folder = path;
  };
  cacheOfTests(keep, before, after);
  const different: string[] = [];
  const counts = { figures: 0, fixes: 0 };

  before(async () => {
    const files = Object.fromEntries(headers.map((name) => [join(folder, name), textOf(name)]));
    editor = await startEditor({ root: folder, files, initializationOptions: { clientCommands: true } });
    for (const name of sources) {
      const uri = uriOf(join(folder, name));
      const language = /\.f(90)?$/.test(name) ? 'fortran' : name.endsWith('.c') ? 'c' : 'cuda-cpp';
      const text = textOf(name);
      editor.open(uri, text, language);
      const hover = async (position: Position): Promise<string> => {
        const answer = await editor.connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
        const { value } = (answer?.contents ?? { value: '' }) as MarkupContent;
        if (value) hovers.set(value, `${name}:${position.line + 1}`);
        return value;
      };
      const diagnostics = await editor.diagnostics(uri);
      for (const diagnostic of diagnostics) {
        for (const title of await menu(uri, diagnostic)) titles.set(title, name);
        await hover(diagnostic.range.start);
        const same = (diagnostic.relatedInformation ?? []).filter(({ message }) => message.startsWith('the same here'));
        places.set(`${name}:${diagnostic.range.start.line + 1}`, same.length);
      }
      for (const launch of text.matchAll(/\w+(?=\s*<<<)|(?<=__global__ void )\w+/g))
        await hover(editor.document(uri).positionAt(launch.index));
      if (compared.has(name)) different.push(...(await differences(name, uri, hover)));
      editor.close(uri);
    }
  });

  async function menu(uri: string, { range }: Pick<Diagnostic, 'range'>): Promise<string[]> {
    const context = { diagnostics: [], triggerKind: CodeActionTriggerKind.Invoked };
    const asked = { textDocument: { uri }, range, context };
    return ((await editor.connection.sendRequest(CodeActionRequest.type, asked)) ?? []).map(({ title }) => title);
  }

  /** Clients that print another verdict than the tree, which prints what the server answers. */
  async function differences(name: string, uri: string, hover: (at: Position) => Promise<string>): Promise<string[]> {
    writeFiles(folder, Object.fromEntries([name, ...headers].map((each) => [each, textOf(each)])));
    const answer = await editor.connection.sendRequest(findingsRequest, { uri, tries: true });
    const all = (answer as FindingsAnswer).findings;
    const check = async (...flags: string[]): Promise<string> =>
      `${(await runCommand('check', join(folder, name), '--try-fixes', ...flags)).out}\n`;
    const [list, json, sarif] = [await check(), await check('-f', 'json'), await check('-f', 'sarif')];
    const { findings } = JSON.parse(json) as { findings: { text: string; verdict: unknown; markOf?: object }[] };
    const results = (JSON.parse(sarif) as Log).runs[0]!.results!;
    const question = { root: folder, analysis: {}, came: Date.now() + 60_000, parsers: testSyntax };
    const { text: agent } = await checkAnswer(question, [name], 'hint');
    const offsets = ({ range }: FoundFinding): [number, number] => {
      const document = editor.document(uri);
      return [document.offsetAt(range.start), document.offsetAt(range.end)];
    };
    const shown = all.filter(({ mark }) => !mark);
    const wrong = findings.filter(({ markOf }) => !markOf).length === shown.length ? [] : [`${name}: JSON has others`];
    for (const finding of shown) {
      const { text, rule, range, verdict } = finding;
      const { figure, sentences } = verdict!;
      const [start, end] = offsets(finding);
      const isHidden = all.some((one) => {
        const [from, to] = offsets(one);
        return from <= start && start <= to && to - from < end - start;
      });
      const offered = sentences.flatMap((one) => /^Fix \(\w+\): (.*)\.$/.exec(one)?.[1] ?? []);
      const inMenu = await menu(uri, finding);
      counts.figures += figure === undefined ? 0 : 1;
      counts.fixes += offered.length;
      const prints: Readonly<Record<string, boolean>> = {
        list: list.includes(sentences.map((sentence) => `  ${sentence}\n`).join('')),
        JSON: findings.some((one) => one.text === text && String(one.verdict) === String(sentences)),
        SARIF: results.some(
          ({ message, properties }) => message.text === text && properties!['verdict'] === sentences.join(' '),
        ),
        agent: agent.includes([text, ...sentences].join(' ')),
        menu: offered.every((one) => inMenu.some((title) => title === one || /, column \d+$/.test(title))),
        hover: isHidden || (await hover(range.start)).includes(sentences.map((one) => `  \n${one}`).join('')),
      };
      for (const [client, isSame] of Object.entries(prints))
        if (!isSame) wrong.push(`${name}:${range.start.line + 1} ${rule}: ${client}: ${sentences.join(' ')}`);
    }
    return wrong;
  }
  after(() => editor.stop());

  it('list, JSON, SARIF, agent, menu, hover and tree have the same gain and the same fixes of a finding', () => {
    assert.deepEqual(different, []);
    assert.ok(counts.figures > 40 && counts.fixes > 40, JSON.stringify(counts));
  });

  it(`titles have at most ${longestTitle} characters, and some say what is expected`, () => {
    const long = [...titles].filter(([title]) => title.length > longestTitle);
    assert.deepEqual(long, []);
    assert.ok([...titles.keys()].some((title) => /\d× faster/.test(title)));
  });

  it(`hovers have the figure in a first line of at most ${longestFirstLine} characters, and at most ${mostLines} lines`, () => {
    const wrong = [...hovers].flatMap(([text, place]) => {
      const lines = text.split('\n');
      const first = lines[0]!;
      if (first.length > longestFirstLine) return [`${place}: ${first.length} characters: ${first}`];
      if (withFigure.test(first) && !figure.test(first.replace(/`[^`]*`/g, ''))) return [`${place}: ${first}`];
      return lines.length > mostLines ? [`${place}: ${lines.length} lines`] : [];
    });
    assert.deepEqual(wrong, []);
    assert.ok([...hovers.keys()].some((text) => withFigure.test(text)));
  });

  it('hovers say nothing twice', () => {
    const twice = [...hovers].flatMap(([text, place]) => {
      const lines = text.split('\n').filter(Boolean);
      return new Set(lines).size < lines.length ? [`${place}: ${text}`] : [];
    });
    assert.deepEqual(twice, []);
  });

  it(`a finding links to at most ${mostPlaces} places like it`, () => {
    assert.deepEqual(
      [...places].filter(([, count]) => count > mostPlaces),
      [],
    );
    assert.ok([...places.values()].includes(mostPlaces));
  });
});
