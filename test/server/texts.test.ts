// What the editor shows on every fixture and sample: titles of its menu at their width, hovers with the figure in their first line.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CodeActionRequest,
  CodeActionTriggerKind,
  HoverRequest,
  type MarkupContent,
  type Position,
} from 'vscode-languageserver-protocol/node';
import { longestTitle } from '../../server/src/semantic/excerpt';
import { readFixture } from '../support/fixtureFile';
import { startEditor, uriOf, type Editor } from './support';

const root = join(__dirname, '../..');
const longestFirstLine = 120;
const mostLines = 25;
const mostPlaces = 3;
/** `64 sectors, ideal 4 (16.0×)`, `splits 50 % of the warps`, `8 bytes a lane`, `block 256 (8 warps)`, `block ?`. */
const figure = /[\d?]/;
const withFigure = /^\*\*(?:\w+ (?:load|store|atomic)[a-z ]*|Launch)\*\*/;

const sources = ['server/src/rules', 'samples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cu|c|cpp|f90|f)$/.test(name))
    .map((name) => join(folder, name)),
);

describe('what the editor shows', function () {
  this.timeout(300_000);
  let editor: Editor;
  const titles = new Map<string, string>();
  const hovers = new Map<string, string>();
  const places = new Map<string, number>();

  before(async () => {
    editor = await startEditor({ initializationOptions: { clientCommands: true } });
    for (const name of sources) {
      const uri = uriOf(name.replaceAll('/', '_'));
      const language = /\.f(90)?$/.test(name) ? 'fortran' : name.endsWith('.c') ? 'c' : 'cuda-cpp';
      const { text } = readFixture(readFileSync(join(root, name), 'utf8'));
      editor.open(uri, text, language);
      const hover = async (position: Position): Promise<void> => {
        const answer = await editor.connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
        if (answer) hovers.set((answer.contents as MarkupContent).value, `${name}:${position.line + 1}`);
      };
      const diagnostics = await editor.diagnostics(uri);
      for (const diagnostic of diagnostics) {
        const actions = await editor.connection.sendRequest(CodeActionRequest.type, {
          textDocument: { uri },
          range: diagnostic.range,
          context: { diagnostics: [diagnostic], triggerKind: CodeActionTriggerKind.Invoked },
        });
        for (const { title } of actions ?? []) titles.set(title, name);
        await hover(diagnostic.range.start);
        const same = (diagnostic.relatedInformation ?? []).filter(({ message }) => message.startsWith('the same here'));
        places.set(`${name}:${diagnostic.range.start.line + 1}`, same.length);
      }
      for (const launch of text.matchAll(/\w+(?=\s*<<<)|(?<=__global__ void )\w+/g))
        await hover(editor.document(uri).positionAt(launch.index));
      editor.close(uri);
    }
  });
  after(() => editor.stop());

  it(`titles have at most ${longestTitle} characters, and some say what is expected`, () => {
    const long = [...titles].filter(([title]) => title.length > longestTitle);
    assert.deepEqual(long, []);
    assert.ok([...titles.keys()].some((title) => /\d× faster/.test(title)));
    assert.ok([...titles.keys()].some((title) => title.includes('no gain in time')));
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
