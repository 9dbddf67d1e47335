import { IntegrityError, positionOf, type RecordedEvent } from '#lib/event-store';
import type { ProjectedEvent } from '#lib/projections';

import { signedOf } from './signed-page.js';

const row = (revision: number): RecordedEvent => ({
  id: `${revision}`.repeat(64),
  type: 'AGENT_OUTPUT',
  stream: 'job-1',
  revision,
  position: positionOf(revision + 1),
  recordedAt: 0,
  text: '',
});
const eventAt = ({ revision }: RecordedEvent): ProjectedEvent => ({ revision }) as ProjectedEvent;

describe('what of a page was signed', () => {
  it('is what verifies, in order, and of the rest it is told', async () => {
    const met: string[] = [];
    const open = async (recorded: RecordedEvent): Promise<ProjectedEvent> => {
      if (recorded.revision === 1) throw new IntegrityError(recorded.stream, recorded.revision, 'nobody signed it');
      return eventAt(recorded);
    };
    const onTampered = (error: IntegrityError): number => met.push(error.reason);
    const events = await signedOf({ events: [row(0), row(1), row(2)] }, { open, onTampered });
    expect(events.map(({ revision }) => revision)).toEqual([0, 2]);
    expect(met).toEqual(['nobody signed it']);
  });

  it.each([
    [true, true],
    [undefined, false],
  ] as const)(
    'is opened as own %s where the store says so of the page, and of nothing else',
    async (isOwn, expected) => {
      const asked: (boolean | undefined)[] = [];
      const open = async (recorded: RecordedEvent, own?: boolean): Promise<ProjectedEvent> => {
        asked.push(own);
        return eventAt(recorded);
      };
      await signedOf({ events: [row(0), row(1)], ...(isOwn && { isOwn }) }, { open, onTampered: () => undefined });
      expect(asked).toEqual([expected, expected]);
    },
  );
});
