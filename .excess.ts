import { readdirSync, readFileSync, statSync } from 'node:fs'; import { join } from 'node:path'; import { pathToFileURL } from 'node:url';
import { createSyntax } from '/work/wt/hostile/server/src/syntax'; import { readGrammarFiles } from '/work/wt/hostile/server/src/syntax/grammarFiles';
import { createWorkspace } from '/work/wt/hostile/server/src/workspace/workspace'; import { nodeFileSystem } from '/work/wt/hostile/server/src/workspace/nodeFileSystem';
(async () => {
const syntax = await createSyntax(readGrammarFiles()); const ws = createWorkspace({ fileSystem: nodeFileSystem, syntax });
const files: string[] = []; const walk = (d: string) => { for (const e of readdirSync(d, { withFileTypes: true })) { const p = join(d, e.name); if (e.isDirectory()) walk(p); else if (/\.cuh?$/.test(e.name)) files.push(p); } };
for (const d of process.argv.slice(2)) walk(d);
let n = 0, ex = 0, worst = 0; 
for (const f of files) { const text = readFileSync(f, 'utf8'); if (text.length > 2.5e6) continue; const b = process.cpuUsage(); const uri = pathToFileURL(f).href; let a; try { a = ws.analyse(uri, { text, version: 1 }); } catch (e) { console.log('THROW', f, (e as Error).message); } const c = process.cpuUsage(b); const ms = (c.user + c.system) / 1000; n++; if (a?.excess) { ex++; console.log(f, a.excess); } if (ms > 4000) console.log('SLOW', f, Math.round(ms)); worst = Math.max(worst, ms); ws.forget(uri); }
console.log(n, 'files', ex, 'excess, slowest', Math.round(worst), 'ms', Math.round(process.memoryUsage().rss / 1e6), 'MB');
})();
