// Reads C++ literals: their values and types.

/** Value and type of a number as written; undefined when it is none. Past 2^53 the last digits are lost. */
export function readNumber(text: string): { value: number; type: string } | undefined {
  let digits = text.replace(/['\s]/g, '');
  let sign = 1;
  if (digits[0] === '-' || digits[0] === '+') {
    if (digits[0] === '-') sign = -1;
    digits = digits.slice(1);
  }
  const hexadecimal = /^0[xX]/.test(digits);
  if (hexadecimal ? /[.pP]/.test(digits) : /[.eE]/.test(digits) || /^[0-9]+[fF](16|32|64|128)?$/.test(digits)) {
    const suffix = /(bf16|f16|f32|f64|f128|[fFlL])$/i.exec(digits)?.[1]?.toLowerCase() ?? '';
    const core = suffix ? digits.slice(0, -suffix.length) : digits;
    const value = hexadecimal ? hexFloat(core) : Number(core);
    if (!Number.isFinite(value) && !/e/i.test(core)) return undefined;
    const type =
      suffix === 'f' || suffix === 'f32'
        ? 'float'
        : suffix === 'l'
          ? 'long double'
          : suffix === 'f16' || suffix === 'bf16'
            ? 'half'
            : 'double';
    return { value: sign * (type === 'float' ? Math.fround(value) : value), type };
  }
  const match = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlLzZ]*)$/.exec(digits);
  if (!match) return undefined;
  const decimal = !/^0[xXbB]/.test(match[1]!);
  const octal = /^0[0-7]+$/.test(match[1]!);
  const value = octal ? parseInt(match[1]!, 8) : Number(match[1]);
  if (Number.isNaN(value)) return undefined;
  const suffix = match[2]!.toLowerCase();
  const unsigned = suffix.includes('u');
  const longs = (suffix.match(/l/g) ?? []).length;
  let type: string;
  if (suffix.includes('z')) type = unsigned ? 'size_t' : 'ptrdiff_t';
  else if (longs === 2) type = unsigned ? 'unsigned long long' : 'long long';
  else if (longs === 1) type = unsigned ? 'unsigned long' : 'long';
  else if (unsigned) type = value > 0xffffffff ? 'unsigned long' : 'unsigned int';
  else if (value <= 0x7fffffff) type = 'int';
  else if ((!decimal || octal) && value <= 0xffffffff) type = 'unsigned int';
  else type = !decimal && value >= 2 ** 63 ? 'unsigned long' : 'long';
  return { value: sign * value, type };
}

function hexFloat(text: string): number {
  const match = /^0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]+))?$/.exec(text);
  if (!match) return NaN;
  const whole = match[1] ? parseInt(match[1], 16) : 0;
  const fraction = match[2] ? parseInt(match[2], 16) / 16 ** match[2].length : 0;
  return (whole + fraction) * 2 ** Number(match[3] ?? 0);
}

const ESCAPES: Readonly<Record<string, number>> = {
  n: 10,
  t: 9,
  r: 13,
  '0': 0,
  a: 7,
  b: 8,
  f: 12,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '?': 63,
  e: 27,
};

/** The value of a character literal as written, quotes and prefix included. */
export function readCharacter(text: string): number {
  const inner = text.replace(/^(?:u8|u|U|L)?'/, '').replace(/'$/, '');
  if (inner[0] !== '\\') return inner.codePointAt(0) ?? 0;
  const hexadecimal = /^\\[xuU]([0-9a-fA-F]+)/.exec(inner);
  if (hexadecimal) return parseInt(hexadecimal[1]!, 16);
  const octal = /^\\([0-7]{1,3})/.exec(inner);
  if (octal) return parseInt(octal[1]!, 8);
  return ESCAPES[inner[1]!] ?? inner.charCodeAt(1) ?? 0;
}
