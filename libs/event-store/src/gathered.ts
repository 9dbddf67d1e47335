import { settled } from './event-loop.js';

/** So many questions are asked at once at most; of more, those that follow are asked together again. */
const MOST = 256;

interface Questions<Q, A> {
  readonly list: Q[];
  readonly answers: Promise<readonly A[]>;
}

/**
 * Gathers what is asked for until nothing goes on in this process but what waits, and asks for all of it at once: twenty
 * items of a list whose promises go side by side ask one question. Nothing is kept, and whoever asks alone waits for
 * nothing but the promises that are under way.
 */
export class Gathered<Q, A> {
  private open: Questions<Q, A> | null = null;

  /** @param ask answers in the order of the questions; where it throws, everybody who asked is told */
  constructor(private readonly ask: (questions: readonly Q[]) => Promise<readonly A[]>) {}

  async of(question: Q): Promise<A> {
    const questions = (this.open ??= this.begin());
    const nth = questions.list.push(question) - 1;
    if (questions.list.length === MOST) this.open = null;
    return (await questions.answers)[nth]!;
  }

  private begin(): Questions<Q, A> {
    const list: Q[] = [];
    const questions: Questions<Q, A> = { list, answers: settled().then(() => this.put(questions)) };
    return questions;
  }

  private put(questions: Questions<Q, A>): Promise<readonly A[]> {
    // Whoever asks from here on asks anew.
    if (this.open === questions) this.open = null;
    return this.ask(questions.list);
  }
}
