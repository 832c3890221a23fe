// Makes grammars/openacc/tree-sitter-openacc.wasm of grammar.js, and pins both in grammars/lock.json.
//
// node tools/build-grammar.mjs needs the tree-sitter CLI (0.22 or newer) and clang with wasm-ld (16 or newer)
//
// TREE_SITTER, CLANG and WASM_LD name them where they are not on the PATH. It is not needed otherwise: the wasm is
// committed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'grammars', 'openacc');
const name = 'openacc';
const file = `tree-sitter-${name}.wasm`;

const work = mkdtempSync(join(tmpdir(), 'warplens-grammar-'));
try {
  copyFileSync(join(folder, 'grammar.js'), join(work, 'grammar.js'));
  run(process.env.TREE_SITTER ?? 'tree-sitter', ['generate'], 'the tree-sitter CLI');
  // The parser includes stdlib.h and uses nothing of it; there is no C library for this target.
  mkdirSync(join(work, 'include'));
  writeFileSync(join(work, 'include', 'stdlib.h'), '#include <stddef.h>\n');
  const clang = process.env.CLANG ?? 'clang';
  const linker = process.env.WASM_LD ? [`-B${join(work, 'bin')}`] : [];
  if (process.env.WASM_LD) {
    mkdirSync(join(work, 'bin'));
    // Debian's clang asks for its linker with its own version in the name.
    const version = /version (\d+)/.exec(spawnSync(clang, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
    for (const asked of ['wasm-ld', `wasm-ld-${version}`]) symlinkSync(process.env.WASM_LD, join(work, 'bin', asked));
  }
  const resources = spawnSync(clang, ['-print-resource-dir'], { encoding: 'utf8' }).stdout?.trim();
  run(
    clang,
    [
      '--target=wasm32-unknown-unknown',
      '-Os',
      '-fPIC',
      '-shared',
      '-nostdlib',
      '-nostdinc',
      '-isystem',
      join(work, 'include'),
      '-isystem',
      join(resources ?? '', 'include'),
      '-Dstatic_assert=_Static_assert',
      '-fno-exceptions',
      '-fvisibility=hidden',
      '-I',
      'src',
      ...linker,
      `-Wl,--export=tree_sitter_${name}`,
      '-Wl,--allow-undefined',
      '-Wl,--no-entry',
      '-Wl,--strip-all',
      join('src', 'parser.c'),
      '-o',
      file,
    ],
    'clang with wasm-ld',
  );
  copyFileSync(join(work, file), join(folder, file));
  const lockFile = join(root, 'grammars', 'lock.json');
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  const pinned = {
    file,
    folder: `grammars/${name}`,
    sha256: digest(join(folder, file)),
    madeOf: { file: 'grammar.js', sha256: digest(join(folder, 'grammar.js')) },
  };
  lock.files = [...lock.files.filter((each) => each.file !== file), pinned];
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}  ${readFileSync(join(folder, file)).length} bytes`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function run(command, commandArguments, what) {
  const { status, error, stderr, stdout } = spawnSync(command, commandArguments, { cwd: work, encoding: 'utf8' });
  if (status === 0) return;
  console.error(
    error
      ? `${command} does not run (${error.message}). Install ${what}, or name it in TREE_SITTER, CLANG or WASM_LD.`
      : `${command} failed:\n${stdout}${stderr}`,
  );
  rmSync(work, { recursive: true, force: true });
  process.exit(1);
}

function digest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
