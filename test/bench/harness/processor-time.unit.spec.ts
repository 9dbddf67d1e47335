import { processorTimeOf, ticksIn } from './processor-time.js';

describe('processor time of a process', () => {
  it('is what its threads used for themselves and in the kernel, whatever the program is named', () => {
    const stat = '123 (a (b) 9 9) S 1 123 123 0 -1 4194560 5000 0 3 0 420 69 0 0 20 0 11 0 2700000 0 0';
    expect(ticksIn(stat)).toBe(489);
  });

  it('grows as a process works, where the system tells it', () => {
    const before = processorTimeOf(process.pid);
    const spent = process.cpuUsage();
    const TWENTY_TICKS = 200_000;
    const spentSince = (): number => {
      const { user, system } = process.cpuUsage(spent);
      return user + system;
    };
    while (spentSince() < TWENTY_TICKS);
    const grown = processorTimeOf(process.pid)! - before!;
    expect(before === null || (grown > TWENTY_TICKS / 2 && grown < spentSince() * 2)).toBe(true);
  });

  it('is not known of a process that is not there', () => {
    expect(processorTimeOf(2 ** 30)).toBeNull();
  });
});
