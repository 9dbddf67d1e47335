import type { RawData, WebSocket } from 'ws';

import { type PermissionName } from '#lib/access';
import { RateLimitedError } from '#lib/kernel';

import type { SseRefusal } from '../../live/sse-session.js';
import type { Outer } from '../asking.js';
import type { Denied } from '../asking.js';
import type { Engine, Subscribed } from '../engine.js';
import type { Followed, Told } from '../followed.js';
import type { GraphqlDto } from '../graphql.dto.js';
import { CLOSING, type Closing } from './closing.js';
import { Delivery } from './delivery.js';
import { type Message, messageOf } from './messages.js';
import type { SocketLimits } from './socket-limits.js';

/** Who speaks over a socket. */
export interface Admitted {
  /** A request of theirs, as of now. @throws what a request over HTTP is refused with before its body is read */
  request(): Promise<Outer>;
  /** Why they may read no further; at once where it is known. */
  refusal(access: PermissionName): SseRefusal | undefined | Promise<SseRefusal | undefined>;
  denied(refusals: readonly Denied[]): void;
}

/** What a session asks of the process. */
export interface SessionParts {
  readonly limits: SocketLimits;
  readonly engine: () => Promise<Engine>;
  /** Lets somebody in for the life of the socket. @throws what a request over HTTP is refused with */
  readonly admit: (authorization: string | undefined) => Promise<Admitted>;
  /** Whether a text holds personal data: what names a subscription is repeated, and may hold none. */
  readonly isPersonal: (text: string) => boolean;
  /** How the socket of somebody is closed who is refused with this; faults are told of. */
  readonly closingOf: (error: unknown) => Closing;
}

type Opened = Extract<Subscribed, { readonly followed: Followed }>;

const SLOW: SseRefusal = { error_code: 'WAIT_TIMEOUT', reason: 'slow_reader' };
/** Signs of life in a row that a reader may leave without an answer: longer than it may take nothing. */
const MISSED = 3;
/** When a refused subscription may be tried again, ms. */
const RETRY_MS = 10_000;

/** One socket, by graphql-transport-ws: subscriptions alone, each of which waits until its reader takes what it tells. */
export class SocketSession {
  private admitted: Admitted | undefined;
  private hasInit = false;
  private isOver = false;
  private refusal: SseRefusal | undefined;
  private readonly running = new Map<string, Followed>();
  private readonly runs = new Set<Promise<void>>();
  private turn: Promise<void> = Promise.resolve();
  private waiting = 0;
  private unanswered = 0;
  private readonly delivery: Delivery;
  private readonly init: NodeJS.Timeout;
  private readonly beat: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly parts: SessionParts,
  ) {
    const { limits } = parts;
    this.delivery = new Delivery(socket, limits);
    this.init = setTimeout(() => this.close('initTimeout'), limits.initMs);
    this.beat = setInterval(() => this.look(), limits.beatMs);
    socket.on('message', (data, isBinary) => this.take(data, isBinary));
    socket.on('pong', () => void (this.unanswered = 0));
    socket.on('close', () => this.ended());
    // A frame that is none is answered by `ws` itself, with the code of RFC 6455.
    socket.on('error', () => undefined);
  }

  /** How many things are followed over it. */
  get size(): number {
    return this.running.size;
  }

  /** Ends it at once where nobody was let in yet. @returns whether that was so */
  dropStranger(): boolean {
    if (this.admitted) return false;
    this.ended();
    this.socket.terminate();
    return true;
  }

  /** Tells each subscription why there is no more and where to go on, and closes. Again changes nothing. */
  async refuse(refusal: SseRefusal, closing: Closing): Promise<void> {
    if (this.refusal || this.isOver) return;
    this.refusal = refusal;
    for (const followed of this.running.values()) followed.close();
    const late = setTimeout(() => this.socket.terminate(), this.parts.limits.farewellMs);
    await Promise.all(this.runs);
    clearTimeout(late);
    this.close(closing);
  }

  /** Looks whether who speaks here still may, as after a revocation. */
  async lookAgain(): Promise<void> {
    const refusal = await this.admitted?.refusal('graphql.ask');
    if (refusal) await this.refuse(refusal, closingFor(refusal));
  }

  /** With a reason of ours; what was sent before goes first. Again changes nothing. */
  close(closing: Closing): void {
    if (this.isOver) return;
    this.ended();
    const [code, reason] = CLOSING[closing];
    this.socket.close(code, reason);
    const late = setTimeout(() => this.socket.terminate(), this.parts.limits.farewellMs);
    this.socket.once('close', () => clearTimeout(late));
  }

  private look(): void {
    this.unanswered += 1;
    if (this.unanswered > MISSED) return this.socket.terminate();
    this.socket.ping();
    void this.lookAgain();
  }

  /** In the order in which they come, and no faster than they are answered. */
  private take(data: RawData, isBinary: boolean): void {
    this.waiting += 1;
    this.socket.pause();
    this.turn = this.turn
      .then(() => this.handle(messageOf(data as Buffer, isBinary)))
      .catch((error: unknown) => this.close(this.parts.closingOf(error)))
      .finally(() => {
        this.waiting -= 1;
        if (this.waiting === 0) this.socket.resume();
      });
  }

  private async handle(message: Message | undefined): Promise<void> {
    if (this.isOver || this.refusal) return;
    if (!message) return this.close('malformed');
    switch (message.type) {
      case 'connection_init':
        return this.letIn(message.authorization);
      case 'subscribe':
        return this.subscribe(message.id, message.body);
      case 'complete':
        return this.complete(message.id);
      case 'ping':
        // Without its payload: nothing is repeated that was sent.
        return this.delivery.send({ type: 'pong' });
      case 'pong':
    }
  }

  private async letIn(authorization: string | undefined): Promise<void> {
    if (this.hasInit) return this.close('repeatedInit');
    this.hasInit = true;
    clearTimeout(this.init);
    this.admitted = await this.parts.admit(authorization);
    await this.delivery.send({ type: 'connection_ack' });
  }

  private async subscribe(id: string, body: GraphqlDto): Promise<void> {
    const { admitted, running } = this;
    if (!admitted) return this.close('unauthenticated');
    if (running.has(id)) return this.close('repeatedId');
    if (this.parts.isPersonal(id)) return this.close('malformed');
    const opened = await this.open(admitted, body);
    if ('errors' in opened) return this.delivery.send({ id, type: 'error', payload: opened.errors });
    if (this.isOver) return opened.followed.close();
    running.set(id, opened.followed);
    const run = this.run(id, admitted, opened).finally(() => this.runs.delete(run));
    this.runs.add(run);
    if (this.refusal) opened.followed.close();
  }

  private complete(id: string): void {
    const followed = this.running.get(id);
    this.running.delete(id);
    followed?.close();
  }

  private async open(admitted: Admitted, body: GraphqlDto): Promise<Subscribed> {
    const request = await admitted.request();
    const engine = await this.parts.engine();
    const { subscriptions } = this.parts.limits;
    if (this.running.size >= subscriptions) {
      const many = new RateLimitedError(`at most ${subscriptions} subscriptions on a socket`, RETRY_MS);
      return { errors: engine.refuse(many, request), denied: [] };
    }
    const opened = await engine.subscribe(request, body);
    admitted.denied(opened.denied);
    return opened;
  }

  private async run(id: string, admitted: Admitted, opened: Opened): Promise<void> {
    const { followed } = opened;
    try {
      while (await this.give(id, admitted, opened, await followed.next()));
    } catch (error) {
      this.close(this.parts.closingOf(error));
    } finally {
      followed.close();
      if (this.running.get(id) === followed) this.running.delete(id);
    }
  }

  /** Gives out what has come. @returns whether there is more */
  private async give(id: string, admitted: Admitted, opened: Opened, came: readonly Told[]): Promise<boolean> {
    const { followed, render, access } = opened;
    for (const one of came) {
      const refusal = await this.refusalNow(admitted, access);
      const told = refusal ? followed.last(refusal) : one;
      const payload = await render(told);
      if (this.isOver || this.running.get(id) !== followed) return false;
      void this.delivery.send({ id, type: 'next', payload });
      if (told.isLast) {
        // From now on another may have the name.
        this.running.delete(id);
        void this.delivery.send({ id, type: 'complete' });
        return false;
      }
      followed.given(told);
      if (!(await this.delivery.isTaken(() => followed.mustEnd))) void this.refuse(SLOW, 'slow');
    }
    followed.givenAll();
    return true;
  }

  private async refusalNow(admitted: Admitted, access: PermissionName): Promise<SseRefusal | undefined> {
    if (this.refusal) return this.refusal;
    const known = admitted.refusal(access);
    const refusal = known instanceof Promise ? await known : known;
    // This subscription is one of those that are waited for.
    if (refusal) void this.refuse(refusal, closingFor(refusal));
    return refusal;
  }

  private ended(): void {
    this.isOver = true;
    clearTimeout(this.init);
    clearInterval(this.beat);
    for (const followed of this.running.values()) followed.close();
    this.running.clear();
  }
}

function closingFor({ error_code: code }: SseRefusal): Closing {
  if (code === 'UNAUTHENTICATED') return 'unauthenticated';
  return code === 'PERMISSION_DENIED' ? 'forbidden' : 'later';
}
