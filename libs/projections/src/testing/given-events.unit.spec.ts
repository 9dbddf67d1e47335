import { givenEvents } from './given-events.js';
import { notesProjection } from './notes.js';

describe('a specification of a projection', () => {
  const noted = { type: 'NOTED', data: { note: 'n', author: 'ada', text: 'x' } };

  it('given events, then documents; when one more, then others', async () => {
    const notes = givenEvents(notesProjection, { type: 'UNRELATED' }, noted);
    expect(await notes.documents('notes')).toEqual([{ id: 'n', body: { at: '2', author: 'ada', text: 'x' } }]);
    expect(await notes.when({ type: 'REMOVED', data: { note: 'n' } }).documents('notes')).toEqual([]);
    expect(await notes.find('notes', { where: [{ field: 'author', equals: 'bob' }], limit: 1 })).toEqual([]);
  });

  it('refuses a projection that writes one document from two streams, and takes one that says so', async () => {
    const twice = ['a', 'b'].map((stream) => ({ ...noted, stream, data: { ...noted.data, text: stream } }));
    await expect(givenEvents(notesProjection, ...twice).documents('notes')).rejects.toThrow(
      /documents of several partitions: let its `partition` say so/,
    );
    const said = { ...notesProjection, partition: () => 'all' };
    expect(await givenEvents(said, ...twice).documents('notes')).toHaveLength(1);
  });

  it('without events there are no documents', async () => {
    expect(await givenEvents(notesProjection).documents('notes')).toEqual([]);
  });

  it('refuses a projection that is no function of the events', async () => {
    let calls = 0;
    const impure = {
      ...notesProjection,
      project: () => [{ op: 'put' as const, collection: 'notes', id: 'x', body: { calls: calls++ } }],
    };
    await expect(givenEvents(impure, noted, noted).documents('notes')).rejects.toThrow(
      /depends on how events are batched/,
    );
  });
});
