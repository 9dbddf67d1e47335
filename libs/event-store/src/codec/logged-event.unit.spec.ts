import { recordedTime } from './logged-event.js';
import { HEAD, provenance, recorded, setUp } from '../testing/codec-support.js';

describe('the time of an event', () => {
  it('is the signed one, whatever its store says', async () => {
    const { codec } = setUp();
    const said = [{ type: 'NOTED', data: { what: 1 } }];
    const [event] = recorded(HEAD, codec.encode(HEAD, said, provenance(), await codec.prepare(said)));
    const told = { recorded_at: '2026-11-24T12:00:00.000Z', recorded_at_is: 'signed' };
    expect(recordedTime(codec.decode({ ...event!, recordedAt: 86_400_000 }))).toEqual(told);
  });

  it('of release 0.1 is the word of its store, and said to be unsigned', async () => {
    const { codec } = setUp();
    const said = [{ type: 'NOTED', data: { what: 1 } }];
    const [event] = recorded(HEAD, codec.encode(HEAD, said, provenance(), await codec.prepare(said)));
    const text = event!.text.replace(/"recorded_at":"[^"]*",/, '');
    const timeOf = (recordedAt: number) => recordedTime(codec.decode({ ...event!, text, recordedAt }));
    expect(timeOf(86_400_000)).toEqual({ recorded_at: '1970-01-02T00:00:00.000Z', recorded_at_is: 'unsigned' });
    expect(timeOf(Number.MAX_SAFE_INTEGER).recorded_at_is).toBe('unsigned');
  });
});
