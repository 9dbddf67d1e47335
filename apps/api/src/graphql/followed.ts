import type { PermissionName } from '#lib/access';

import type { LastWord, LiveThing } from '../live/sse-session.js';
import type { Subscription } from './subscription.js';

/** What is told of one thing that goes on; a stream of server-sent events is one. */
export interface LiveSource {
  /** Called again once what it answered was told. */
  next(): Promise<LiveItem>;
  /** Ends it, also where it waits. */
  close(): void;
  /** Whether nobody is to wait any more for a reader who takes nothing. */
  readonly mustEnd: boolean;
  /** Where a reader who has everything up to now goes on; undefined where there are no positions. */
  readonly mark: string | undefined;
  /** A position as its reader is told it, to come again with. */
  idOf?(position: string): string;
}

export type LiveItem =
  | { readonly kind: 'frames'; readonly things: readonly Pick<LiveThing, 'kind' | 'position' | 'value'>[] }
  | { readonly kind: 'ended'; readonly data: Omit<LastWord, 'resume_after'> };

/** Why there is no more, and what failed where something did. */
export type Ending = Pick<LastWord, 'error_code' | 'reason'>;

/** A member of a subscription's union. */
export interface Told {
  readonly value: object;
  readonly isLast: boolean;
}

/** What one subscription tells, as members of its union; the last says that it is the last, and where to go on. */
export class Followed implements AsyncIterable<object> {
  private resumeAfter: string | undefined;

  /** @param ended words for what the source failed with */
  constructor(
    private readonly live: Subscription,
    private readonly source: LiveSource,
    private readonly ended: (error: unknown) => Ending,
  ) {
    this.resumeAfter = source.mark;
  }

  /** Where nothing could be followed. */
  static failed(live: Subscription, member: object): Followed {
    return new FailedToFollow(live, member);
  }

  /** What its reader needs, as long as they read. */
  get access(): PermissionName {
    return this.live.operation.access;
  }

  get mustEnd(): boolean {
    return this.source.mustEnd;
  }

  /** What has come since, in order: nothing more after the last. Not to be called again before it has answered. */
  async next(): Promise<readonly Told[]> {
    let item: LiveItem;
    try {
      item = await this.source.next();
    } catch (error) {
      return [this.last(this.ended(error))];
    }
    if (item.kind === 'ended') return [this.last(item.data)];
    return item.things.map(({ kind, value }) => ({
      value: { __typename: this.live.answers[kind], ...value },
      isLast: false,
    }));
  }

  /** Notes that a thing was given out, so that whoever comes again goes on after it. */
  given({ value }: Told): void {
    const { position } = value as { readonly position?: unknown };
    const { source } = this;
    if (source.mark !== undefined && typeof position === 'string')
      this.resumeAfter = source.idOf?.(position) ?? position;
  }

  /** Everything was given out that `next` answered. */
  givenAll(): void {
    this.resumeAfter = this.source.mark;
  }

  last({ error_code, reason }: Ending): Told {
    const value = { __typename: 'LiveEnded', error_code: error_code ?? null, reason };
    return { value: { ...value, resume_after: this.resumeAfter ?? null }, isLast: true };
  }

  close(): void {
    this.source.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object, void, undefined> {
    try {
      for (;;)
        for (const { value, isLast } of await this.next()) {
          yield value;
          if (isLast) return;
        }
    } finally {
      this.close();
    }
  }
}

const NOTHING: LiveSource = {
  next: () => Promise.reject(new Error('there is nothing to follow')),
  close: () => undefined,
  mustEnd: true,
  mark: undefined,
};

class FailedToFollow extends Followed {
  constructor(
    live: Subscription,
    private readonly member: object,
  ) {
    super(live, NOTHING, () => ({ reason: 'closed' }));
  }

  override next(): Promise<readonly Told[]> {
    return Promise.resolve([{ value: this.member, isLast: true }]);
  }
}
