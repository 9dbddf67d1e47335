import { writeSync } from 'node:fs';

/** Writes some of these bytes at once and says how many. @throws EAGAIN where nobody takes any now */
export type WriteNow = (bytes: Uint8Array) => number;

const STDERR = 2;
/** Lines that wait for a reader, bytes. */
const MAX_WAITING_BYTES = 512 * 1024;
/** Between two looks whether a reader goes on, ms. */
const RETRY_MS = 50;
/** How long an ending process waits for a reader that takes nothing, ms. */
const PATIENCE_MS = 1_000;
/** Between two looks while the process ends, ms. */
const LOOK_MS = 10;

/**
 * Lines on their way to a reader who may be slow: they wait in memory, up to a bound, and never hold the process up. What
 * does not fit is dropped and counted, and the count is told in its place once there is room.
 */
export class LogSink {
  private waiting: Buffer[] = [];
  private bytes = 0;
  private dropped = 0;
  private isGone = false;
  private timer: NodeJS.Immediate | NodeJS.Timeout | undefined;

  /** @param notice the line that tells how many were dropped */
  constructor(
    private readonly writeNow: WriteNow,
    private readonly notice: (dropped: number) => string,
    private readonly maxBytes = MAX_WAITING_BYTES,
  ) {}

  /** Takes a line, with its end. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.bytes + bytes.length > this.maxBytes) this.dropped += 1;
    else this.add(bytes);
    this.timer ??= setImmediate(() => this.flush());
  }

  /** Takes the last words of a process, for which there is always room. */
  writeLast(text: string): void {
    this.add(Buffer.from(text));
  }

  /** Writes what waits while the process ends; gives up on a reader that takes nothing for a second. */
  end(): void {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let idle = 0; idle < PATIENCE_MS;) {
      const before = this.bytes;
      if (this.writeSome()) return;
      idle = this.bytes < before ? 0 : idle + LOOK_MS;
      Atomics.wait(clock, 0, 0, LOOK_MS);
    }
  }

  private flush(): void {
    // A process has nothing to wait for where only its log does.
    this.timer = this.writeSome() ? undefined : setTimeout(() => this.flush(), RETRY_MS).unref();
  }

  private add(bytes: Buffer): void {
    this.tellDropped(bytes.length);
    this.waiting.push(bytes);
    this.bytes += bytes.length;
  }

  /** @returns whether nothing waits any more */
  private writeSome(): boolean {
    try {
      while (this.bytes > 0) this.took(this.writeNow(this.joined()));
      this.tellDropped(0);
      while (this.bytes > 0) this.took(this.writeNow(this.joined()));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
      // Nobody reads any more, or ever will.
      this.isGone = true;
    }
    if (this.isGone) this.took(this.bytes);
    return true;
  }

  private joined(): Buffer {
    if (this.waiting.length > 1) this.waiting = [Buffer.concat(this.waiting)];
    return this.waiting[0]!;
  }

  private took(bytes: number): void {
    this.bytes -= bytes;
    this.waiting = this.bytes === 0 ? [] : [this.joined().subarray(bytes)];
  }

  /** @param besides bytes that have to fit too */
  private tellDropped(besides: number): void {
    if (this.dropped === 0) return;
    const bytes = Buffer.from(this.notice(this.dropped));
    if (this.bytes + bytes.length + besides > this.maxBytes) return;
    this.dropped = 0;
    this.waiting.push(bytes);
    this.bytes += bytes.length;
  }
}

let shared: LogSink | undefined;

/** The process's way to stderr, one for all its logs. @param notice of the first that asks for it */
export function stderrSink(notice: (dropped: number) => string): LogSink {
  if (shared) return shared;
  // Node makes a pipe one that blocks nobody once its stream is asked for.
  void process.stderr;
  const sink = new LogSink((bytes) => writeSync(STDERR, bytes), notice);
  process.once('exit', () => sink.end());
  return (shared = sink);
}
