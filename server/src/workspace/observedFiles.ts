// Remembers what an analysis asked of the world, and what the answers were, so that a result can be kept for as long as
// they are the same.
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { FileSystem, FileText, FolderEntry } from './fileSystem';

/** Questions (`text /p/a.cuh`) with digests of their answers, and sentences for the user that came up on the way. */
export interface Asked {
  readonly answers: ReadonlyMap<string, string>;
  readonly sentences: ReadonlySet<string>;
}

/** Hears what work asks, nested work too: what an inner piece asked, the outer one has asked as well. */
export interface Observer {
  /** Does the work and gives what it asked. */
  watch<T>(work: () => T): { readonly value: T; readonly asked: Asked };
  /** Earlier results are reused if the listeners asked the same. */
  again(asked: Asked): void;
  /** Does work whose questions need no observer, because its outcome is reported in another way. */
  aside<T>(work: () => T): T;
  /** The answer is only computed where somebody listens. */
  note(question: string, answer: () => string): void;
  say(sentence: string): void;
}

/** An observer for those who keep nothing. */
export const unobserved: Observer = {
  watch: (work) => ({ value: work(), asked: nothingAsked }),
  again() {
    /* no listener */
  },
  aside: (work) => work(),
  note() {
    /* no listener */
  },
  say() {
    /* no listener */
  },
};
const nothingAsked: Asked = { answers: new Map(), sentences: new Set() };

/** `complain` hears each sentence once, as it comes up. */
export function createObserver(complain: (sentence: string) => void): Observer {
  let listening: { readonly answers: Map<string, string>; readonly sentences: Set<string> }[] = [];
  const said = new Set<string>();
  const tell = (sentence: string): void => {
    if (said.has(sentence)) return;
    said.add(sentence);
    complain(sentence);
  };
  return {
    watch(work) {
      const asked = { answers: new Map<string, string>(), sentences: new Set<string>() };
      listening.push(asked);
      try {
        return { value: work(), asked };
      } finally {
        listening.splice(listening.indexOf(asked), 1);
      }
    },
    again(asked) {
      for (const each of listening) {
        for (const [question, answer] of asked.answers) each.answers.set(question, answer);
        for (const sentence of asked.sentences) each.sentences.add(sentence);
      }
      for (const sentence of asked.sentences) tell(sentence);
    },
    aside(work) {
      const before = listening;
      listening = [];
      try {
        return work();
      } finally {
        listening = before;
      }
    },
    note(question, answer) {
      if (listening.length === 0 || listening.at(-1)!.answers.has(question)) return;
      const given = answer();
      for (const each of listening) each.answers.set(question, given);
    },
    say(sentence) {
      for (const each of listening) each.sentences.add(sentence);
      tell(sentence);
    },
  };
}

/** Results by key: one that serves again counts as asked for again. */
export interface Kept<T> {
  /** What is kept of a key about the same thing, else what the work gives. */
  of(key: string, work: () => T, about?: string | number): T;
  delete(key: string): void;
  clear(): void;
}

export function createKept<T>(observer: Observer): Kept<T> {
  const kept = new Map<string, { readonly value: T; readonly asked: Asked; readonly about: string | number }>();
  return {
    of(key, work, about = '') {
      const known = kept.get(key);
      if (known?.about === about) {
        observer.again(known.asked);
        return known.value;
      }
      const made = observer.watch(work);
      kept.set(key, { ...made, about });
      return made.value;
    },
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/**
 * The files of one run of the command line: each read once, each folder listed once, and every answer reported to the
 * observer.
 */
export interface ObservedFiles extends FileSystem {
  /**
   * The answer that a question of this file system (`text`, `exists`, `list`) has now; undefined for other questions.
   */
  answer(question: string): string | undefined;
  /** A file was written: it is re-read. */
  touched(path: string): void;
}

/** Text kept in UTF-16 units; beyond it all is let go of, and read again where it is needed. */
const mostText = 192 * 1024 * 1024;

export function observeFiles(disk: FileSystem, observer: Observer): ObservedFiles {
  const texts = new Map<string, FileText | undefined>();
  const digests = new Map<string, string>();
  const versions = new Map<string, number | undefined>();
  const lists = new Map<string, readonly FolderEntry[] | undefined>();
  const names = new Map<string, ReadonlySet<string>>();
  let held = 0;

  function read(path: string): FileText | undefined {
    const known = texts.get(path);
    if (known || texts.has(path)) return known;
    const text = versionOf(path) === undefined ? undefined : disk.read(path);
    if (held > mostText) {
      texts.clear();
      held = 0;
    }
    held += text?.text.length ?? 0;
    texts.set(path, text);
    return text;
  }
  function list(folder: string): readonly FolderEntry[] | undefined {
    if (!lists.has(folder)) {
      const found = disk.list(folder);
      lists.set(folder, found);
      names.set(folder, new Set(found?.map((entry) => entry.name)));
    }
    return lists.get(folder);
  }
  function versionOf(path: string): number | undefined {
    if (versions.has(path)) return versions.get(path);
    // Most paths that are asked for lead nowhere: the folder's list says so for all of them at once.
    const folder = dirname(path);
    const listed = list(folder);
    const version = listed && !names.get(folder)!.has(basename(path)) ? undefined : disk.version(path);
    versions.set(path, version);
    return version;
  }
  const textAnswer = (path: string): string => {
    let digest = digests.get(path);
    if (digest === undefined) {
      const found = read(path);
      digest = found === undefined ? '' : digestOf(found.text);
      digests.set(path, digest);
    }
    return digest;
  };
  const listAnswer = (folder: string): string =>
    digestOf(
      (list(folder) ?? [])
        .map((entry) => `${entry.folder ? '/' : ''}${entry.name}`)
        .sort()
        .join('\n'),
    );
  return {
    isStill: true,
    read(path) {
      observer.note(`text ${path}`, () => textAnswer(path));
      return read(path);
    },
    version(path) {
      const version = versionOf(path);
      observer.note(`exists ${path}`, () => (version === undefined ? 'no' : 'yes'));
      return version;
    },
    list(folder) {
      observer.note(`list ${folder}`, () => listAnswer(folder));
      return list(folder);
    },
    answer(question) {
      const space = question.indexOf(' ');
      const path = question.slice(space + 1);
      switch (question.slice(0, space)) {
        case 'text':
          return textAnswer(path);
        case 'exists':
          return versionOf(path) === undefined ? 'no' : 'yes';
        case 'list':
          return listAnswer(path);
      }
      return undefined;
    },
    touched(path) {
      texts.delete(path);
      digests.delete(path);
      versions.delete(path);
    },
  };
}
