import { stderrSink } from './log-sink.js';

const MAX_FRAMES = 12;
/** Of files and of Node itself; code from elsewhere, such as a data: URL, has its text for a place. */
const FRAME = /^ {4}at (?:[^()]*\()?(?:(?:async )?(?:file:|node:|\/|[A-Za-z]:\\)[^()]*:[0-9]+:[0-9]+|<anonymous>)\)?$/;
/** Names and codes are words of programs. */
const WORD = /^[A-Za-z_$][\w$.-]{0,63}$/;

/**
 * The places that an error came through. Its message stands before them in the stack, may hold anything, and may imitate
 * them.
 */
export function framesOf(error: Error): string {
  const stack = error.stack ?? '';
  const message = stack.indexOf(error.message);
  const frames = stack.slice(message < 0 ? 0 : message + error.message.length).split('\n');
  return frames
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .join('\n');
}

/** What may be told of a fault that nobody handled: its kind, its code and its places, never its message. */
export function crashText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a fault that nobody handled: ${typeof thrown}, not an Error\n`;
  const { code } = thrown as NodeJS.ErrnoException;
  const words = [thrown.name, code].filter((word): word is string => typeof word === 'string' && WORD.test(word));
  const kind = words.length > 0 ? words.join(' ') : 'an Error of an unusual name';
  return `a fault that nobody handled: ${kind}; its message may hold content and is not shown\n${framesOf(thrown)}\n`;
}

/**
 * Ends the process where nobody handles a fault, as Node would, but without printing the message: outside it lies what the
 * process was working on. Exit code 1.
 */
export function endOnCrash(): void {
  process.on('uncaughtException', (error) => {
    stderrSink((dropped) => `${dropped} lines were dropped\n`).writeLast(`mace: ${crashText(error)}`);
    process.exit(1);
  });
}
