import { Durations, Tally } from './tally.js';

describe('what is counted', () => {
  it('is kept by the values of its labels', () => {
    const jobs = new Tally(['status', 'agent']);
    for (const key of ['completed math_agent', 'failed none', 'completed math_agent']) jobs.count(key);
    expect(jobs.all()).toEqual([
      { labels: { status: 'completed', agent: 'math_agent' }, value: 2 },
      { labels: { status: 'failed', agent: 'none' }, value: 1 },
    ]);
  });

  it('is 0 from the start where it has no labels', () => {
    expect(new Tally().all()).toEqual([{ labels: {}, value: 0 }]);
  });

  it('stays bounded where labels are not, and loses no count', () => {
    const tally = new Tally(['name']);
    for (let i = 0; i < 5000; i++) tally.count(`n${i}`);
    const all = tally.all();
    expect(all.length).toBe(2001);
    expect(all.at(-1)).toEqual({ labels: { name: 'other' }, value: 3000 });
    tally.count('n0');
    expect(tally.all()[0]).toEqual({ labels: { name: 'n0' }, value: 2 });
  });

  it('is put under the first bound that it does not exceed, and beyond all of them where there is none', () => {
    const durations = new Durations(['route'], [0.1, 1]);
    for (const seconds of [0.1, 0.11, 1, 1.5]) durations.observe(seconds, '/jobs');
    const [{ labels, value }] = durations.all() as [ReturnType<Durations['all']>[number]];
    expect([labels, value.counts]).toEqual([{ route: '/jobs' }, [1, 2, 1]]);
    expect(value.sum).toBeCloseTo(2.71, 9);
  });
});
