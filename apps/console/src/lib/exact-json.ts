const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+|"/gs;

/**
 * JSON laid out for reading without being parsed into values: numbers stay the digits that they are, names keep their
 * order, nothing is lost. What is no JSON comes back as it is.
 * @param most characters of the result at most; the rest is cut off
 */
export function laidOut(text: string, most = Infinity): string {
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 100))}`;
  for (const [token] of text.matchAll(TOKENS)) {
    if (length > most) break;
    const last = parts.at(-1);
    if (token === '}' || token === ']') {
      depth -= 1;
      add(last === '{' || last === '[' ? token : line() + token);
    } else {
      if (last === '{' || last === '[') add(line());
      if (token === ',') add(`,${line()}`);
      else if (token === ':') add(': ');
      else add(token);
      if (token === '{' || token === '[') depth += 1;
    }
  }
  return parts.join('').slice(0, most);
}

/** A line of JSON that is laid out: where it stands, and what it shows. */
export interface Line {
  /** The value's JSON pointer (RFC 6901); of a closing bracket with a space behind it, so that each line has its own. */
  readonly key: string;
  readonly depth: number;
  /** Without the comma behind it, which says nothing of the value. */
  readonly text: string;
}

interface Value {
  readonly key: string;
  readonly depth: number;
  /** As it stands in the text, with its quotes; undefined in a list and of a closing bracket. */
  readonly name: string | undefined;
  readonly token: string;
  readonly start: number;
}

interface Container {
  readonly pointer: string;
  readonly isList: boolean;
  count: number;
  /** Of the value that comes next. */
  name: string | undefined;
}

/** The values of a JSON text and its closing brackets, in their order. */
function* valuesOf(text: string): Generator<Value, void> {
  const open: Container[] = [];
  for (const { 0: token, index: start } of text.matchAll(TOKENS)) {
    if (token === ',' || token === ':') continue;
    const parent = open.at(-1);
    if (token === '}' || token === ']') {
      if (parent) yield { key: `${parent.pointer} `, depth: open.length - 1, name: undefined, token, start };
      open.pop();
    } else if (parent && !parent.isList && parent.name === undefined) parent.name = token;
    else {
      const key = parent ? `${parent.pointer}/${parent.name === undefined ? parent.count : escaped(parent.name)}` : '';
      yield { key, depth: open.length, name: parent?.name, token, start };
      if (parent) {
        parent.name = undefined;
        parent.count += 1;
      }
      if (token === '{' || token === '[') open.push({ pointer: key, isList: token === '[', count: 0, name: undefined });
    }
  }
}

/** A name in its quotes, as a part of a JSON pointer. */
function escaped(name: string): string {
  return (JSON.parse(name) as string).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** JSON as lines, one a value; digits stay as they are. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const { key, depth, name, token } of valuesOf(text)) {
    const last = lines.at(-1);
    // What is empty stays on its line.
    if (last && key === `${last.key} `) lines[lines.length - 1] = { ...last, text: last.text + token };
    else lines.push({ key, depth, text: name === undefined ? token : `${name}: ${token}` });
  }
  return lines;
}

/** The text of the value at a JSON pointer, byte for byte; undefined where there is none. */
export function valueAt(text: string, pointer: string): string | undefined {
  let from: number | undefined;
  for (const { key, token, start } of valuesOf(text)) {
    if (key === pointer) {
      if (token !== '{' && token !== '[') return token;
      from = start;
    } else if (from !== undefined && key === `${pointer} `) return text.slice(from, start + 1);
  }
  return undefined;
}

/** A line on each side; undefined where a side has none there. */
export interface Pair {
  readonly key: string;
  readonly left: Line | undefined;
  readonly right: Line | undefined;
  readonly isSame: boolean;
}

/** Two canonical JSON texts side by side, each value beside the one at the same place. */
export function aligned(left: string, right: string): readonly Pair[] {
  const [a, b] = [linesOf(left), linesOf(right)];
  const [inA, inB] = [a, b].map((lines) => new Set(lines.map(({ key }) => key)));
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [l, r] = [a[i], b[j]];
    if (l && r && l.key === r.key) {
      pairs.push({ key: l.key, left: l, right: r, isSame: l.text === r.text });
      i += 1;
      j += 1;
    } else if (l && (!inB!.has(l.key) || !r || inA!.has(r.key))) {
      pairs.push({ key: l.key, left: l, right: undefined, isSame: false });
      i += 1;
    } else {
      pairs.push({ key: r!.key, left: undefined, right: r, isSame: false });
      j += 1;
    }
  }
  return pairs;
}
