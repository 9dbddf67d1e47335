/** Reading of the structured fields (RFC 9651) that signatures stand in: dictionaries of inner lists and byte sequences. */

export type BareItem = string | number | boolean | Buffer;
export type Parameters = ReadonlyMap<string, BareItem>;

/** A text of a list with its parameters: a component's identifier. */
export interface ListItem {
  readonly value: BareItem;
  readonly parameters: Parameters;
}
export interface Member {
  /** An inner list, or one bare item. */
  readonly value: readonly ListItem[] | BareItem;
  readonly parameters: Parameters;
}

export class StructuredFieldError extends Error {
  constructor(at: number) {
    super(`not a structured field at character ${at + 1}`);
    this.name = 'StructuredFieldError';
  }
}

const KEY = /[a-z*][a-z0-9_.*-]*/y;
const INTEGER = /-?[0-9]{1,15}/y;
const STRING = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
const BYTES = /:([A-Za-z0-9+/]*={0,2}):/y;
const BOOLEAN = /\?([01])/y;
const TOKEN = /[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*/y;
const SPACES = / */y;
const COMMA = /[ \t]*,[ \t]*/y;

/**
 * The members of a dictionary by name; of a name that is given twice, the last one.
 * @throws StructuredFieldError
 */
export function parseDictionary(text: string): ReadonlyMap<string, Member> {
  const reader = new Reader(text.trim());
  const members = new Map<string, Member>();
  while (!reader.atEnd) {
    const name = reader.need(KEY)[0];
    const value = reader.skip('=') ? memberValue(reader) : true;
    members.delete(name);
    members.set(name, { value, parameters: parameters(reader) });
    if (reader.atEnd) break;
    reader.need(COMMA);
    if (reader.atEnd) throw reader.fault();
  }
  return members;
}

function memberValue(reader: Reader): Member['value'] {
  if (!reader.skip('(')) return bareItem(reader);
  const items: ListItem[] = [];
  for (;;) {
    const spaces = reader.need(SPACES)[0];
    if (reader.skip(')')) return items;
    if (items.length > 0 && spaces === '') throw reader.fault();
    items.push({ value: bareItem(reader), parameters: parameters(reader) });
  }
}

function parameters(reader: Reader): Parameters {
  const found = new Map<string, BareItem>();
  while (reader.skip(';')) {
    reader.need(SPACES);
    const name = reader.need(KEY)[0];
    found.delete(name);
    found.set(name, reader.skip('=') ? bareItem(reader) : true);
  }
  return found;
}

function bareItem(reader: Reader): BareItem {
  const text = reader.take(STRING);
  if (text) return text[1]!.replace(/\\(.)/g, '$1');
  const bytes = reader.take(BYTES);
  if (bytes) return Buffer.from(bytes[1]!, 'base64');
  const boolean = reader.take(BOOLEAN);
  if (boolean) return boolean[1] === '1';
  const integer = reader.take(INTEGER);
  if (integer) return Number(integer[0]);
  return reader.need(TOKEN)[0];
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** What a sticky expression finds here; undefined where it finds nothing. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }

  need(expression: RegExp): RegExpExecArray {
    const found = this.take(expression);
    if (!found) throw this.fault();
    return found;
  }

  skip(character: string): boolean {
    const isHere = this.text[this.at] === character;
    if (isHere) this.at++;
    return isHere;
  }

  fault(): StructuredFieldError {
    return new StructuredFieldError(this.at);
  }
}
