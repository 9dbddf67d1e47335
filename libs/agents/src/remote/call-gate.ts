import type { AgentFault } from '../agent.js';
import { fault } from './turn-contract.js';

/** Turns of one module in flight: more are refused, so that one that hangs takes nobody else's place. */
const AT_ONCE = 64;
/** After so many faults in a row the module is not called for PAUSE_MS. */
const FAULTS_IN_A_ROW = 5;
const PAUSE_MS = 30_000;
/** Of this house, and not of the module: whether it would answer, they do not say. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['RemoteBusy', 'RemoteHostNotListed', 'RemoteAddressNotAllowed']);

/** What every call of one module goes through: a bulkhead, and a circuit that opens where calls fail. */
export class CallGate {
  private inFlight = 0;
  private faults = 0;
  private pausedUntil = -Infinity;

  /** @param clock milliseconds, monotonic */
  constructor(private readonly clock: () => number) {}

  /** A turn that was over before its answer is a fault too, at once: the agent took too long, whenever it answers. */
  async pass<T extends { readonly kind: string }>(
    { signal }: { readonly signal: AbortSignal },
    call: () => Promise<T>,
  ): Promise<T | AgentFault> {
    if (this.clock() < this.pausedUntil)
      return fault(`${FAULTS_IN_A_ROW} calls in a row failed, and it is not called for a while`, 'RemotePaused');
    if (this.inFlight >= AT_ONCE) return fault(`${AT_ONCE} turns wait for it already`, 'RemoteBusy');
    this.inFlight++;
    const onOver = (): void => this.count(true);
    signal.addEventListener('abort', onOver);
    try {
      const reply = await call();
      if (!signal.aborted && !isOwn(reply)) this.count(reply.kind === 'failed');
      return reply;
    } finally {
      signal.removeEventListener('abort', onOver);
      this.inFlight--;
    }
  }

  /** The module is known to answer again. */
  reopen(): void {
    this.faults = 0;
    this.pausedUntil = -Infinity;
  }

  private count(isFault: boolean): void {
    this.faults = isFault ? this.faults + 1 : 0;
    if (this.faults >= FAULTS_IN_A_ROW) this.pausedUntil = this.clock() + PAUSE_MS;
  }
}

function isOwn(reply: { readonly kind: string; readonly error_class?: string }): boolean {
  return reply.kind === 'failed' && OWN_FAULTS.has(reply.error_class ?? '');
}
