/** Most who have reason to listen for the end of one thing at a time. */
const MOST = 5;

/** Counts who listens for an abort, and tells of signals whose listeners pile up because they are not taken off again. */
export class Listeners {
  readonly faults: string[] = [];
  private readonly listening = new Map<AbortSignal, Set<unknown>>();
  private readonly told = new Set<AbortSignal>();

  /** From now on, until what it answers is called. */
  watch(): () => void {
    const { listening, told, faults } = this;
    const add = methodOf<EventTarget['addEventListener']>('addEventListener');
    const remove = methodOf<EventTarget['removeEventListener']>('removeEventListener');
    const added = function (this: AbortSignal, ...call: Parameters<typeof add>): void {
      const known = listening.get(this) ?? new Set();
      listening.set(this, known.add(call[1]));
      if (known.size > MOST && !told.has(this)) {
        told.add(this);
        faults.push(`more than ${MOST} listen for the end of one thing:\n${here()}`);
      }
      add.apply(this, call);
    };
    const removed = function (this: AbortSignal, ...call: Parameters<typeof remove>): void {
      listening.get(this)?.delete(call[1]);
      remove.apply(this, call);
    };
    Object.assign(AbortSignal.prototype, { addEventListener: added, removeEventListener: removed });
    return () => {
      Reflect.deleteProperty(AbortSignal.prototype, 'addEventListener');
      Reflect.deleteProperty(AbortSignal.prototype, 'removeEventListener');
    };
  }
}

/** A method of every event target. */
function methodOf<M>(name: keyof EventTarget): M {
  return Reflect.get(EventTarget.prototype, name) as M;
}

function here(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 8;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack.split('\n').slice(3).join('\n');
}
