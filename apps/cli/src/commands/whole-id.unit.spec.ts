import type { Call } from '../client.js';
import type { Context } from '../context.js';
import { CommandError } from '../exit-codes.js';
import { wholeId } from './whole-id.js';

const LIST = { path: '/incidents', member: 'incident_id' };
const ONE = `inc-${'ab12cd'.padEnd(32, '0')}`;
const TWO = `inc-${'ab12ce'.padEnd(32, '0')}`;
const OTHER = `inc-${'ab12cd'.padEnd(32, 'f')}`;

/** A list with one id a page. */
function listing(...ids: readonly string[]): { context: Context; asked: string[] } {
  const asked: string[] = [];
  const answer = async ({ path }: Call): Promise<unknown> => {
    asked.push(path);
    const page = Number(new URLSearchParams(path.split('?')[1]).get('cursor') ?? 0);
    return { items: [{ incident_id: ids[page] }], next_cursor: page + 1 < ids.length ? String(page + 1) : null };
  };
  return { context: { dryRun: false, answer } as unknown as Context, asked };
}

describe('the beginning of an id', () => {
  it('stands for the only id of the list that begins so, on whatever page it is', async () => {
    expect(await wholeId(listing(TWO, ONE).context, 'inc-ab12cd', LIST)).toBe(ONE);
  });

  it('is refused where two begin so, both named, and where none does', async () => {
    await expect(wholeId(listing(ONE, OTHER).context, 'inc-ab12cd', LIST)).rejects.toThrow(
      new CommandError(`inc-ab12cd: more than one begins so: ${ONE}, ${OTHER}`, 64),
    );
    await expect(wholeId(listing(ONE).context, 'inc-000000', LIST)).rejects.toThrow('no id of yours begins so');
  });

  it.each([ONE, 'inc-ab12c', 'inc-AB12CD', 'x', 'inc-%2e%2e/ab12cd'])(
    'is not looked for where it is none: %s',
    async (typed) => {
      const { context, asked } = listing(ONE);
      expect(await wholeId(context, typed, LIST)).toBe(typed);
      expect(asked).toEqual([]);
    },
  );
});
