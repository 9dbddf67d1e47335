import type { CollectedVotes } from './answer-council.js';
import { builtInCritics, type Critic, type Question } from './domain/critics.js';
import { checkVote } from './domain/vote-form.js';
import type { CouncilVote } from './domain/vote.js';

export interface Round {
  readonly question: Question;
  /** Ids of the critics to ask, in order. */
  readonly critics: readonly string[];
  readonly timeout_ms: number;
  /** Those of this round alone, which are asked in place of installed ones of their id. */
  readonly called?: readonly Critic[];
}

/** What a critic throws that gives no vote, for a reason in words of ours. */
export class CriticUnavailableError extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'CriticUnavailableError';
  }
}

export interface RoundOptions {
  /** Aborted when nobody looks at the result any more. */
  readonly abandoned: AbortSignal;
  /** Told of a well-formed vote that came after the window: it never counts. */
  readonly onLate?: (vote: CouncilVote) => void;
}

/** What asking one critic came to. */
type Answer = { readonly vote: CouncilVote } | { readonly unavailable: string };

/** The critics that are installed; which of them are asked, and their weights, is configuration. */
export class Critics {
  private readonly installed = new Map<string, Critic>();

  constructor(critics: readonly Critic[] = builtInCritics()) {
    for (const critic of critics) this.install(critic);
  }

  /** Takes the place of an installed critic of the same id. */
  install(critic: Critic): void {
    this.installed.set(critic.critic_id, critic);
  }

  get(critic_id: string): Critic | undefined {
    return this.installed.get(critic_id);
  }

  /** Whether asking these critics leaves the process. */
  leaveProcess(critics: readonly string[]): boolean {
    return critics.some((critic) => this.installed.get(critic)?.external === true);
  }

  /**
   * Asks each critic once and collects votes until all have voted or failed, or the window ends; at once where none
   * takes time. A critic that is not installed, throws, or gives anything but its well-formed vote is unavailable, with
   * the reason; a vote after the window never counts. Rejects never, and leaves no timer behind.
   */
  collect(round: Round, options: RoundOptions): CollectedVotes | Promise<CollectedVotes> {
    const closing = new AbortController();
    const asked = round.critics.map((critic) => this.ask(critic, round, closing));
    return asked.some(isPending)
      ? awaitAll(round, options, asked, closing)
      : collected(round, asked as Answer[], false);
  }

  private ask(critic_id: string, { question, called }: Round, closing: AbortController): Answer | Promise<Answer> {
    const critic = called?.find((one) => one.critic_id === critic_id) ?? this.installed.get(critic_id);
    if (!critic) return { unavailable: 'not installed' };
    const { max_note_length } = question.rules;
    const read = (given: unknown): Answer => {
      const checked = checkVote(given, critic_id, max_note_length);
      return 'vote' in checked ? checked : { unavailable: `malformed vote: ${checked.fault}` };
    };
    try {
      const given: unknown = critic.vote(question, closing);
      return isThenable(given) ? Promise.resolve(given).then(read).catch(crashed) : read(given);
    } catch (error) {
      return crashed(error);
    }
  }
}

function awaitAll(
  round: Round,
  { abandoned, onLate }: RoundOptions,
  asked: readonly (Answer | Promise<Answer>)[],
  closing: AbortController,
): Promise<CollectedVotes> {
  return new Promise((resolve) => {
    const answers: (Answer | null)[] = asked.map((answer) => (isPending(answer) ? null : answer));
    let waiting = answers.filter((answer) => answer === null).length;
    const close = (timedOut: boolean): void => {
      clearTimeout(timer);
      abandoned.removeEventListener('abort', giveUp);
      closing.abort();
      resolve(collected(round, answers, timedOut));
    };
    const giveUp = (): void => close(true);
    const timer = setTimeout(giveUp, round.timeout_ms);
    abandoned.addEventListener('abort', giveUp);
    for (const [i, answer] of asked.entries()) {
      if (!isPending(answer)) continue;
      void answer.then((given) => {
        if (closing.signal.aborted) {
          if ('vote' in given) onLate?.(given.vote);
          return;
        }
        answers[i] = given;
        if (--waiting === 0) close(false);
      });
    }
    if (abandoned.aborted) giveUp();
  });
}

function collected(round: Round, answers: readonly (Answer | null)[], timedOut: boolean): CollectedVotes {
  const votes: CouncilVote[] = [];
  const unavailable: Record<string, string> = {};
  for (const [i, critic] of round.critics.entries()) {
    const answer = answers[i];
    if (!answer) unavailable[critic] = 'no vote in time';
    else if ('vote' in answer) votes.push(answer.vote);
    else unavailable[critic] = answer.unavailable;
  }
  return { votes, unavailable, collection_timeout_reached: timedOut };
}

/** The kind of a crash, never its message: a message may quote what somebody typed. */
function crashed(error: unknown): Answer {
  if (error instanceof CriticUnavailableError) return { unavailable: error.reason };
  return { unavailable: `crashed: ${error instanceof Error ? error.name : 'a thrown value that is no error'}` };
}

function isPending(answer: Answer | Promise<Answer>): answer is Promise<Answer> {
  return answer instanceof Promise;
}

function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === 'object' && given !== null && typeof (given as PromiseLike<unknown>).then === 'function';
}
