// Reads the small conditions by which rules say when a measurement is bad: comparisons of sums, products and ratios,
// joined by `and` and `or`.

/** Answers true, false, or undefined where it cannot be decided: a name without a value, or a division by zero. */
export type Condition = (values: Readonly<Record<string, number | undefined>>) => boolean | undefined;

type Term = (values: Readonly<Record<string, number | undefined>>) => number | undefined;

/**
 * Compiles a condition such as `metric / against >= 1.5 and threads < 28`. Numbers, the given names, `+ - * /`,
 * parentheses,
 * `< <= > >=`, `and` before `or`. Throws an Error that says what it does not understand; nothing of the text is ever
 * run.
 */
export function readCondition(text: string, names: readonly string[]): Condition {
  const tokens = [...text.matchAll(/\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(<=|>=|[-+*/()<>])|(\S))/g)].map((match) => {
    if (match[4] !== undefined) throw new Error(`Unexpected "${match[4]}" in "${text}".`);
    return match[1] !== undefined ? { number: Number(match[1]) } : { symbol: (match[2] ?? match[3])! };
  });
  let at = 0;
  const symbol = (): string | undefined => {
    const token = tokens[at];
    return token && 'symbol' in token ? token.symbol : undefined;
  };
  const take = (...wanted: readonly string[]): string | undefined => {
    const found = symbol();
    if (found === undefined || !wanted.includes(found)) return undefined;
    at++;
    return found;
  };
  const fail = (wanted: string): never => {
    const token = tokens[at];
    throw new Error(
      `Invalid condition "${text}": ` +
        `${token === undefined ? 'the end' : `"${'symbol' in token ? token.symbol : token.number}"`} where ` +
        `${wanted} is expected.`,
    );
  };

  function disjunction(): Condition {
    const parts = [conjunction()];
    while (take('or')) parts.push(conjunction());
    return parts.length === 1 ? parts[0]! : (values) => joined(parts, values, true);
  }
  function conjunction(): Condition {
    const parts = [comparison()];
    while (take('and')) parts.push(comparison());
    return parts.length === 1 ? parts[0]! : (values) => joined(parts, values, false);
  }
  function comparison(): Condition {
    const left = sum();
    const operator = take('<', '<=', '>', '>=') ?? fail('a comparison');
    const right = sum();
    return (values) => {
      const a = left(values);
      const b = right(values);
      if (a === undefined || b === undefined) return undefined;
      return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b;
    };
  }
  function sum(): Term {
    let term = product();
    for (let operator = take('+', '-'); operator; operator = take('+', '-')) term = computed(term, operator, product());
    return term;
  }
  function product(): Term {
    let term = operand();
    for (let operator = take('*', '/'); operator; operator = take('*', '/')) term = computed(term, operator, operand());
    return term;
  }
  function operand(): Term {
    const token = tokens[at];
    if (token && 'number' in token) {
      at++;
      return () => token.number;
    }
    if (take('(')) {
      const inner = sum();
      if (!take(')')) fail('")"');
      return inner;
    }
    const name = take(...names) ?? fail(`a number or one of ${names.join(', ')}`);
    return (values) => (Object.hasOwn(values, name) ? values[name] : undefined);
  }

  const condition = disjunction();
  if (at < tokens.length) fail('the end');
  return condition;
}

function computed(left: Term, operator: string, right: Term): Term {
  return (values) => {
    const a = left(values);
    const b = right(values);
    if (a === undefined || b === undefined || (operator === '/' && b === 0)) return undefined;
    return operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
  };
}

/** One part may settle the result without the others: a false settles `and`, a true settles `or`. */
function joined(
  parts: readonly Condition[],
  values: Readonly<Record<string, number | undefined>>,
  settling: boolean,
): boolean | undefined {
  const answers = parts.map((part) => part(values));
  return answers.includes(settling) ? settling : answers.includes(undefined) ? undefined : !settling;
}
