import type { EventLog, LoggedEvent } from '#lib/event-store';

import { standingConsents } from './standing-consents.js';

const END = Date.UTC(2026, 0, 1);

describe('what was stored under a consent', () => {
  it('may be told until the consent’s end, by the time of the request that asks and no other clock', async () => {
    const asked: unknown[] = [];
    const areInForce = (userId: string, ids: readonly string[], now: number): Promise<boolean> => {
      asked.push([userId, ids, now]);
      return Promise.resolve(now < END);
    };
    const standing = standingConsents({} as EventLog, { areInForce });
    const event = { stream: 'sem-user/profile/user_tuff/phone', data: { consents: [{ consent_id: 'c1' }] } };
    const at = (now: number): Promise<boolean> => standing(event as unknown as LoggedEvent, 'user_tuff', now);
    expect([await at(END - 1), await at(END)]).toEqual([true, false]);
    expect(asked).toEqual([
      ['user_tuff', ['c1'], END - 1],
      ['user_tuff', ['c1'], END],
    ]);
  });
});
