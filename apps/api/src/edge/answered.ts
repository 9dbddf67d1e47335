import type { FastifyInstance } from 'fastify';

/** How a request was answered, in what can be told of any: nothing of it that a caller chose. */
export interface Answered {
  readonly method: string;
  /** The pattern, with its parts as `:job_id`; `none` where there is no such route. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** Whether its principal was known, and not allowed it. */
  readonly isDenied: boolean;
}

export interface AnsweredParts {
  /** Told of each answer once it is sent; absent where nobody counts. */
  readonly answered?: (answer: Answered) => void;
}

/** Tells how requests are answered, in one hook. */
export function tellAnswers(fastify: FastifyInstance, { answered }: AnsweredParts): void {
  if (!answered) return;
  fastify.addHook('onResponse', (request, reply, done) => {
    const { route, denied, beganIn } = request.mace;
    answered({
      method: request.method,
      route: request.is404 ? 'none' : (route.url ?? 'none'),
      status: reply.statusCode,
      // How long somebody listens says nothing of how long it takes to be answered.
      seconds: beganIn ?? reply.elapsedTime / 1000,
      isDenied: denied !== undefined,
    });
    done();
  });
}
