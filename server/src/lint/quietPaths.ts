// Which files are read for nothing louder than hints: tests and what programs wrote.

/**
 * True where a folder or the file of `path` (relative to the project, with slashes) has a name that one of the patterns
 * describes. A pattern is a name in which `*` stands for any characters; letters of either case are the same.
 */
export function isQuietPath(path: string, patterns: readonly string[]): boolean {
  const names = path.split('/').filter((name) => name !== '');
  return patterns.some((pattern) => {
    const name = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'i');
    return names.some((each) => name.test(each));
  });
}

/** What stands before the code: comments, directives and blanks. */
const preface = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[#!][^\n]*)*/;
const mostPreface = 8000;
const saysSo = [
  /@generated\b|\bauto(matically)?[ -]?generated\b|\bdo not (edit|modify)\b/i,
  /^[\s/*!;#-]*((this|the) (file|code|source|kernel)s? (is|was|were|has been) )?generated (by|from|with)\b/im,
];

/** True where a comment in front of the code says that a program wrote it. */
export function isGenerated(text: string): boolean {
  const head = preface.exec(text.slice(0, mostPreface))![0];
  return saysSo.some((words) => words.test(head));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
