import { Gathered } from './gathered.js';

function asking(answer: (question: number) => Promise<number> = (question) => Promise.resolve(question * 10)) {
  const questions: (readonly number[])[] = [];
  const gathered = new Gathered<number, number>(async (asked) => {
    questions.push([...asked]);
    return Promise.all(asked.map(answer));
  });
  return { gathered, questions };
}

/** As a handler that looks at other things first. */
async function after(waits: number, ask: () => Promise<number>): Promise<number> {
  for (let i = 0; i < waits; i++) await Promise.resolve();
  return ask();
}

describe('what is asked for side by side', () => {
  it('is one question, however many promises each waited for before, and each has its own answer', async () => {
    const { gathered, questions } = asking();
    const answers = await Promise.all([0, 40, 3, 17].map((waits, i) => after(waits, () => gathered.of(i))));
    expect(answers).toEqual([0, 10, 20, 30]);
    expect(questions.map((asked) => [...asked].sort())).toEqual([[0, 1, 2, 3]]);
  });

  it('and again behind the answers, is one question more', async () => {
    const { gathered, questions } = asking();
    await Promise.all([1, 2].map(async (n, i) => gathered.of(await after(5 * i, () => gathered.of(n)))));
    expect(questions).toEqual([
      [1, 2],
      [10, 20],
    ]);
  });

  it('later is asked anew: nothing is kept', async () => {
    const { gathered, questions } = asking();
    await gathered.of(1);
    await gathered.of(1);
    expect(questions).toEqual([[1], [1]]);
  });

  it('is asked in questions of at most 256, which follow each other', async () => {
    const { gathered, questions } = asking();
    const all = Array.from({ length: 600 }, (_, i) => i);
    expect(await Promise.all(all.map((n) => gathered.of(n)))).toEqual(all.map((n) => n * 10));
    expect(questions.map((asked) => asked.length)).toEqual([256, 256, 88]);
  });

  it('fails for each who asked where the question fails, and not for who asks again', async () => {
    let fails = true;
    const { gathered } = asking((n) => (fails ? Promise.reject(new Error('gone')) : Promise.resolve(n)));
    const asked = await Promise.allSettled([gathered.of(1), gathered.of(2)]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await gathered.of(3)).toBe(3);
  });
});
