import { generateSync } from 'otplib';

import type { DsrView } from '#lib/dsr';

import { eventually, until } from '../../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../../test/support/job-app.js';

/** What the specs of requests of data subjects share. */

export type Body = Record<string, unknown>;

export const COLOR = 'user/profile/user_tuff/favorite_color';
export const ELEVATED = ['otp'];
export const DOCUMENT = { document_ref: 'passport-check-12', reason: 'seen at the counter' };

export const file = (by: Caller, body: Body, key?: string) =>
  by.send<Body>('POST', '/dsr/request', body, key === undefined ? {} : { 'idempotency-key': key });
export const look = (by: Caller, id: string) => by.get<DsrView & Body>(`/dsr/${id}`);

/** An application whose clock the test moves, and those who are in it. */
export class DsrHouse {
  tuff!: Caller;
  eve!: Caller;
  admin!: Caller;
  /** Another admin: nobody approves what they filed. */
  clerk!: Caller;
  private secret = '';

  private constructor(
    readonly app: JobApp,
    private readonly clock: { now: number },
  ) {}

  static async open(): Promise<DsrHouse> {
    const clock = { now: Date.now() };
    const house = new DsrHouse(await JobApp.open({ now: () => clock.now }), clock);
    await house.enter();
    return house;
  }

  /** Moves the time by which erasures wait. */
  pass(ms: number): void {
    this.clock.now += ms;
  }

  /** Anew after each start. */
  async enter(): Promise<void> {
    this.tuff = await this.app.caller('tuff');
    this.eve = await this.app.caller('eve');
    this.admin = await this.app.caller('ada', ['admin'], ELEVATED);
    this.clerk = await this.app.caller('clara', ['admin'], ELEVATED);
  }

  async enrol(): Promise<void> {
    this.secret = (await this.app.parts.platform.secondFactors.enrol('user_tuff', Date.now())).secret;
  }

  /** The code that the person's authenticator shows; each step's is taken once, so time moves on. */
  otp(): string {
    return generateSync({ secret: this.secret, epoch: Math.floor(Date.now() / 1000) });
  }

  async filed(kind: string, user_id = 'tuff', by = this.clerk): Promise<string> {
    const { status, body } = await file(by, { kind, user_id, identity_proof: DOCUMENT });
    expect([status, body]).toEqual([200, { dsr_id: expect.stringMatching(/^dr-[0-9a-f]{32}$/) as string }]);
    return body['dsr_id'] as string;
  }

  reaches(id: string, status: string): Promise<DsrView> {
    return eventually(async () => {
      const { body } = await look(this.admin, id);
      return body.status === status ? body : null;
    }, `${id} as ${status}`);
  }

  keysDestroyed(id: string): Promise<void> {
    return until(
      async () => (await look(this.admin, id)).body.keys_destroyed_at !== null,
      `the end of the keys, ${id}`,
    );
  }
}
