/** JSON texts with one place changed, so that what comes of them need not be JSON, or not what the schema says. */

export interface Change {
  /** Which value, in the order of the text, modulo how many there are. */
  readonly at: number;
  readonly how: (typeof HOW)[number];
  /** What stands there instead, or beside. */
  readonly token: string;
  /** What a member is called that is added or renamed. */
  readonly name: string;
}

export const HOW = ['replace', 'spell', 'drop', 'twice', 'rename', 'add'] as const;

/** Other ways to write a text, some of which mean the same to a reader. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text.normalize('NFD'),
  (text) => text.toUpperCase(),
  (text) => `${text}\u0000`,
  (text) => `\ud800${text}`,
  (text) => `${text}\udc00`,
  (text) => ` ${text} `,
  (text) => `\u202e${text}`,
  (text) => [...text].join('\u200b'),
  (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => text.slice(1),
  (text) => `${text}x`,
  (text) => (text === '' ? 'x' : text).repeat(500),
];

/** @param change absent for the plain text */
export function jsonText(value: unknown, change?: Change): string {
  const target = change ? change.at % countIn(value) : -1;
  return new Writer(target, change).written(value) ?? '';
}

function countIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, one) => sum + countIn(one), 0);
}

class Writer {
  private next = 0;

  constructor(
    private readonly target: number,
    private readonly change: Change | undefined,
  ) {}

  /** null where the value is left out. */
  written(value: unknown): string | null {
    const isTarget = this.next++ === this.target;
    const change = isTarget ? this.change : undefined;
    const text = this.plain(value, change);
    switch (change?.how) {
      case 'drop':
        return null;
      case 'replace':
        return change.token;
      case 'spell':
        return typeof value === 'string' ? spelled(value, change) : change.token;
      default:
        return text;
    }
  }

  private plain(value: unknown, change: Change | undefined): string {
    const added = change?.how === 'add' ? change : undefined;
    if (Array.isArray(value)) {
      const items = value.flatMap((one) => this.written(one) ?? []);
      return `[${[...items, ...(added ? [added.token] : [])].join()}]`;
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    const members = Object.entries(value).flatMap(([name, one]) => this.member(name, one));
    return `{${[...members, ...(added ? [`${JSON.stringify(added.name)}:${added.token}`] : [])].join()}}`;
  }

  private member(name: string, value: unknown): readonly string[] {
    const change = this.next === this.target ? this.change : undefined;
    const text = this.written(value);
    if (text === null) return [];
    const called = change?.how === 'rename' ? change.name : name;
    const member = `${JSON.stringify(called)}:${text}`;
    return change?.how === 'twice' ? [member, member] : [member];
  }
}

function spelled(text: string, { at }: Change): string {
  return JSON.stringify(SPELLINGS[at % SPELLINGS.length]!(text));
}
