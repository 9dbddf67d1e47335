import { readFileSync } from 'node:fs';

/** Ticks a second in which Linux tells processor time to programs, whatever the kernel counts in. */
const TICKS = 100;
/** Of the fields that stand after the program's name, which may have spaces and brackets in it. */
const [USER, SYSTEM] = [11, 12];

/** Microseconds of processor time that a process has used, of all its threads; null where the system does not say. */
export function processorTimeOf(pid: number): number | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  return ticksIn(stat) * (1e6 / TICKS);
}

/** Of the text of `/proc/PID/stat` (proc_pid_stat(5)). */
export function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[USER]) + Number(fields[SYSTEM]);
}
