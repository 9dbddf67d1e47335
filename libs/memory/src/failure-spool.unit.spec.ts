import { MemoryFailureSpool } from './failure-spool.js';
import type { SpooledEvent } from './ports.js';

describe('the failure spool', () => {
  it('keeps the newest events up to its capacity and counts the others', () => {
    const spool = new MemoryFailureSpool(2);
    for (const name of ['a', 'b', 'c']) spool.add(spooled(name));
    expect(streams(spool.waiting)).toEqual(['b', 'c']);
    expect(spool.dropped).toBe(1);
  });

  it('hands over oldest first, and keeps what could not be appended and all after it', async () => {
    const spool = new MemoryFailureSpool();
    for (const name of ['a', 'b', 'c']) spool.add(spooled(name));
    const appended: string[] = [];
    const append = async ({ stream }: SpooledEvent): Promise<void> => {
      if (stream === 'b' && appended.length === 1) throw new Error('still down');
      appended.push(stream);
    };
    await expect(spool.drain(append)).rejects.toThrow('still down');
    expect(streams(spool.waiting)).toEqual(['b', 'c']);
    appended.push('up again');
    await spool.drain(append);
    expect(appended).toEqual(['a', 'up again', 'b', 'c']);
    expect(spool.waiting).toEqual([]);
  });
});

function spooled(stream: string): SpooledEvent {
  return {
    stream,
    event: { type: 'MEMORY_WRITE_FAIL', data: {} },
    provenance: { jobSeed: stream, sequenceIndex: 0, actor: { id: 'user_tuff', role: 'user' }, traceId: 't' },
  };
}

function streams(events: readonly SpooledEvent[]): string[] {
  return events.map(({ stream }) => stream);
}
