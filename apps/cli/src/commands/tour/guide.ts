import type { JsonObject } from '#lib/kernel';

import { table, type Io } from '../../io.js';

/** An event as far as a visitor is shown it. */
export interface EventLine {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly event_id: string;
  readonly data: JsonObject;
}

export interface Step {
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | null;
  readonly status: number;
  readonly answer: JsonObject;
}

export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
}

export interface Chapter {
  readonly title: string;
  readonly about: string;
  readonly steps: Step[];
  readonly events: EventLine[];
  readonly claims: Claim[];
  /** Where to look next. */
  next?: string;
}

/** Something that the tour says of the system is not so. */
export class NotSo extends Error {
  constructor(claim: string) {
    super(claim);
    this.name = 'NotSo';
  }
}

/** Characters of an event's id on the screen; as data it is whole. */
export const ID_SHOWN = 16;

/** Tells what happens: as lines while it does, or all of it as data at the end. */
export class Guide {
  readonly chapters: Chapter[] = [];

  constructor(
    private readonly io: Io,
    private readonly json: boolean,
  ) {}

  /** One line, as it is. */
  say(line: string): void {
    if (!this.json) this.io.out(line);
  }

  chapter(title: string, ...about: readonly string[]): void {
    this.chapters.push({ title, about: about.join(' '), steps: [], events: [], claims: [] });
    this.say('');
    this.say(this.io.colors.bold(`${this.chapters.length}. ${title}`));
    for (const line of about) this.say(`  ${line}`);
  }

  /** Who did what, and what came of it; `words` and `reply` are for the eye. */
  told(step: Step, words: string, reply: readonly string[]): void {
    this.current.steps.push(step);
    this.say(`  ${step.by.padEnd(5)} ${words}`);
    for (const line of reply) this.say(line);
  }

  /** What the system says to a person, and the facts beside it. */
  reply(message: string, facts: string): readonly string[] {
    return [`  mace  ${message}`, this.aside(facts)];
  }

  aside(facts: string): string {
    return this.io.colors.dim(`        ${facts}`);
  }

  /** @param note what an event says, in a few words */
  events(events: readonly EventLine[], note: (event: EventLine) => string): void {
    this.current.events.push(...events);
    const rows = events.map((event) => [
      String(event.revision).padStart(8),
      event.type,
      event.event_id.slice(0, ID_SHOWN),
      note(event),
    ]);
    if (events[0]) this.say(`  stream ${events[0].stream}`);
    for (const line of table([['REVISION', 'EVENT', 'EVENT ID', ''], ...rows])) this.say(`  ${line}`);
  }

  /** @throws NotSo where it does not hold: what comes after it would build on it */
  claim(claim: string, holds: boolean): void {
    const { colors } = this.io;
    this.current.claims.push({ claim, holds });
    this.say(holds ? `  ${colors.green('so')}    ${claim}` : `  ${colors.red('NOT SO')} ${claim}`);
    if (!holds) throw new NotSo(claim);
  }

  /** Where a visitor finds the same in a house of their own. */
  next(where: string): void {
    this.current.next = where;
    this.say(this.io.colors.dim(`  next  ${where}`));
  }

  /** All that was told, where it was asked for as data. */
  end(holds: boolean): void {
    if (this.json) this.io.out(JSON.stringify({ holds, chapters: this.chapters }, null, 2));
  }

  private get current(): Chapter {
    const chapter = this.chapters.at(-1);
    if (!chapter) throw new Error('nothing can be told outside a chapter');
    return chapter;
  }
}
