import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

/** So often a status is looked at while somebody watches it, ms. */
const WATCHED_EVERY_MS = 2_000;

/** As the library gives them; what is asked and answered is its own. */
interface Handlers {
  readonly check: (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => void;
  readonly list: (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => void;
  readonly watch: (call: ServerWritableStream<{ readonly service: string }, unknown>) => void;
}

/**
 * `grpc.health.v1` of services that are SERVING while the process is ready, by the very look that `GET /health/ready`
 * takes, and NOT_SERVING otherwise and while it ends (SW4-001 section 5.2).
 */
export class HealthService {
  private readonly health: HealthImplementation;
  private readonly names: readonly string[];
  private told = true;
  private hasEnded = false;
  private watchers = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param services names of those that are told of; the empty name, of the whole server, is told of too
   * @param isReady never rejects
   */
  constructor(
    services: readonly string[],
    private readonly isReady: () => Promise<boolean>,
  ) {
    this.names = ['', ...services];
    this.health = new HealthImplementation(Object.fromEntries(this.names.map((name) => [name, 'SERVING'])));
  }

  addTo(server: Pick<Server, 'addService'>): void {
    this.health.addToServer({
      addService: (definition, handlers) => {
        server.addService(definition, { ...handlers, ...this.looking(handlers as unknown as Handlers) });
      },
    });
  }

  /** NOT_SERVING from here on. */
  end(): void {
    this.hasEnded = true;
    clearInterval(this.timer);
    this.tell(false);
  }

  /** The same answers, each after a look. */
  private looking({ check, list, watch }: Handlers): Handlers {
    return {
      check: (call, answer) => void this.look().then(() => check(call, answer)),
      list: (call, answer) => void this.look().then(() => list(call, answer)),
      watch: (call) => {
        this.watchers += 1;
        this.timer ??= setInterval(() => void this.look(), WATCHED_EVERY_MS).unref();
        call.once('cancelled', () => this.unwatched());
        void this.look().then(() => {
          if (call.cancelled) return;
          // The library keeps each name that anybody ever watched, and none but these is ever served.
          if (this.names.includes(call.request.service)) watch(call);
          else call.write({ status: 'SERVICE_UNKNOWN' });
        });
      },
    };
  }

  private unwatched(): void {
    this.watchers -= 1;
    if (this.watchers > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    const isReady = await this.isReady();
    this.tell(isReady && !this.hasEnded);
  }

  private tell(isServing: boolean): void {
    if (isServing === this.told) return;
    this.told = isServing;
    for (const name of this.names) this.health.setStatus(name, isServing ? 'SERVING' : 'NOT_SERVING');
  }
}
