import { own } from './inside-server.js';

/** What a served room is made to do from within (see inside-server.ts), for what no call can bring about. */

/** What the server says once its clock stands so far ahead of the machine's, ms; behind it where that is negative. */
export const clockStands = (aheadMs: number): string => `the clock stands ${aheadMs} ahead\n`;

/** A clock as far ahead as a file says, ms; the file is read again at SIGUSR2. */
export function clockOf(file: string): string {
  return `
    const { readFileSync } = await import('node:fs');
    const told = Date.now;
    const read = () => Number(readFileSync('${file}', 'utf8'));
    let ahead = read();
    Date.now = () => told() + ahead;
    process.on('SIGUSR2', () => {
      ahead = read();
      process.stderr.write('the clock stands ' + ahead + ' ahead\\n');
    });
  `;
}

/** A place at which a server dies: before or after an event of a stream is stored, with all that is stored with it. */
export interface Death {
  readonly when: 'before' | 'after';
  readonly stream: string;
  /** Of the event, from 0. */
  readonly revision: number;
}

/** Ends the process as a power cut would, once at each of these places; a file in a folder tells that it has been. */
export function deathsAt(deaths: readonly Death[], folder: string): string {
  return `
    const { existsSync, writeFileSync } = await import('node:fs');
    ${own('EventLog', 'libs/event-store/src/event-log.js')}
    const deaths = ${JSON.stringify(deaths)};
    const dieOnce = (when, { stream, version }, count) => {
      const nth = deaths.findIndex((death) => death.when === when && death.stream === stream &&
        death.revision >= version && death.revision < version + count);
      const been = '${folder}/death-' + nth;
      if (nth < 0 || existsSync(been)) return;
      writeFileSync(been, '');
      process.kill(process.pid, 'SIGKILL');
    };
    const { write } = EventLog.prototype;
    EventLog.prototype.write = async function (head, events, ...more) {
      dieOnce('before', head, events.length);
      const outcome = await write.call(this, head, events, ...more);
      dieOnce('after', head, events.length);
      return outcome;
    };
  `;
}
