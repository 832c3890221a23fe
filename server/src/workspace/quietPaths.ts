// Which files are read for nothing louder than hints: as the user's setting says.

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

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
