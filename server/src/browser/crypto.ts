// `node:crypto` for the browser's server: digests of texts, computed at once, which the browser's own are not.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

interface Digest {
  update(text: string): Digest;
  digest(form: 'hex' | 'base64url'): string;
}

export function createHash(_algorithm: 'sha256'): Digest {
  const hash = sha256.create();
  const self: Digest = {
    update(text) {
      hash.update(utf8ToBytes(text));
      return self;
    },
    digest(form) {
      const bytes = hash.digest();
      if (form === 'hex') return bytesToHex(bytes);
      return btoa(String.fromCharCode(...bytes))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');
    },
  };
  return self;
}
