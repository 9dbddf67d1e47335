import { givenEvents } from '../../../projections/src/testing/given-events.js';
import { auditProjection } from './audit.projection.js';

const projection = auditProjection([
  {
    type: 'SAID',
    version: 1,
    plain: ['user_id'],
    personal: ['text'],
    subject: (data) => (data['user_id'] as string | undefined) ?? null,
  },
  { type: 'SEALED', version: 1, plain: ['count'] },
]);

describe('the audit read model', () => {
  it('knows of each event where it stands, who caused it and whose content it holds, and not what it says', async () => {
    const read = givenEvents(
      projection,
      { type: 'SAID', stream: 'job-1', data: { user_id: 'user_tuff', text: 'hello' } },
      { type: 'SEALED', stream: 'job-1', data: { count: 1 } },
    );
    expect((await read.documents('events')).map(({ body }) => body)).toEqual([
      { stream: 'job-1', revision: 0, type: 'SAID', actor: 'user:test', subject: 'user_tuff', position: 1 },
      { stream: 'job-1', revision: 1, type: 'SEALED', actor: 'user:test', subject: null, position: 2 },
    ]);
  });

  it('holds no content of nobody either', async () => {
    const read = givenEvents(projection, { type: 'SAID', data: { text: 'water boils at 100 degrees' } });
    expect(JSON.stringify(await read.documents('events'))).not.toContain('water');
  });

  it('reads every type that it was given, so that no event is missing from an audit', () => {
    expect(projection.types).toEqual(['SAID', 'SEALED']);
  });
});
