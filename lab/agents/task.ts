// The words of a task: the same for both arms but for the paragraph on the server's answers.
import type { Truth } from './truth';

const ofServer = `
The folder \`server\` contains the answers of a server that analyses CUDA code statically, without running it: \`check\`
(findings), \`model\` (predicted sectors and wavefronts of kernels and accesses), \`fix\` (edits that it offers) and
\`explain\` (pages of its rules). Its figures are predictions; its answers can be wrong or incomplete.
`;

export function taskText(
  id: string,
  { build, command }: Pick<Truth, 'build' | 'command'>,
  arm: 'text' | 'mcp',
): string {
  return `# Program ${id}

This folder is a CUDA program. It is built with \`${build}\` (\`-O3\`) and run as \`${command}\`
on an NVIDIA H100 (sm_90).
${arm === 'mcp' ? ofServer : ''}
1. Name the line of its kernels that wastes most GPU memory traffic, shared-memory traffic or time: the excess of
   32-byte sectors of global memory, or of wavefronts of shared memory, beyond what the same data needs at best.
   Say why.
2. Write a change that makes the kernels faster as whole changed files, with the same names, into
   \`../answer/${id}/\`. What the program prints must stay the same but for times. Do not change arguments, the numbers
   of repetitions, what is timed, or how it is built.
3. If nothing is worth changing, write no files.
4. Write \`../answer/${id}/answer.json\`:

       {"line": "file:line", "why": "one sentence", "changed": true}

   \`line\` counts in the unchanged file, and is null if no line wastes anything; \`changed\` is false if you wrote no
   files.

Use only this folder and \`../answer/${id}\`. There is no GPU here; nvcc can be used to see that a change compiles.
Do not look for the program, its other versions or measurements of it elsewhere.
`;
}
