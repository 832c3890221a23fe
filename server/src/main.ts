// Starts the language server of an editor: makes the connection, hands it the machine's files, serves.
import { connect, serve } from './lsp';
import { readGrammarFiles } from './syntax/grammarFiles';
import { nodeFileSystem } from './workspace/nodeFileSystem';

const connection = connect(process.argv.slice(2), (sentence) => {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
});
if (connection) serve(connection, { fileSystem: nodeFileSystem, readGrammars: () => readGrammarFiles() });
