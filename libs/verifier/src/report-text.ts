import { type Report, visible } from './report.js';

/** A report for people, line by line; nothing that a forged file says moves, hides or ends a line. */
export function readable(report: Report): string {
  const { verdict, job_id, log, checked, replay, erasure, left_out, difference, reason } = report;
  const lines = [job_id === null ? verdict : `${verdict}: ${job_id}`];
  if (reason !== null) lines.push(`  ${reason}`);
  if (difference) {
    const { check, at, expected, found } = difference;
    lines.push(`  ${check}, at ${at}`, `  expected: ${expected}`, `  found:    ${found}`);
  }
  if (log) {
    lines.push(`log ${log.origin}, ${log.size} events, root ${log.root}, ${log.checkpointed_at}`);
    for (const vkey of log.signed_by) lines.push(`  signed by ${vkey}`);
    for (const { vkey, time } of log.cosigned_by) lines.push(`  cosigned by ${vkey} at ${time}`);
    if (log.cosigned_by.length === 0) lines.push('  no witness cosigned it');
  }
  lines.push(`checked ${checked.map(({ check, count }) => `${check} ${count}`).join(', ') || 'nothing'}`);
  if (replay !== null) lines.push(`its replay, by the word of whoever made the bundle: ${replay}`);
  if (replay === 'FORCE_HALT_REPLAY')
    lines.push(
      'it was not replayed: a snapshot that the job stands on is halted, until an admin and the council clear it',
    );
  if (erasure && erasure.proven > 0)
    lines.push(
      `erased, by the log's own record: ${erasure.proven} of ${erasure.keys} data keys of the job, ${erasure.erased_at}`,
    );
  const { keys, proven } = erasure ?? { keys: 1, proven: 0 };
  if (replay === 'MATCH_WITH_ERASED_INPUTS' && proven < keys) {
    const proves = proven === 0 ? 'nothing in the file proves it' : 'the file does not prove all of it';
    lines.push(`that a part of the job was erased is the same word, and ${proves}: not authoritative`);
  }
  if (left_out) lines.push(`left out of what was said of its log later, by the same word: ${left_out} events`);
  if (log && !log.pinned) {
    lines.push(
      log.witness_pinned
        ? 'Your witness answers for the events. The rest, its replay and its times too, is by keys that stand in the bundle itself.'
        : 'These keys stand in the bundle itself.',
      'Ask the operator for the key of the log another way, and give it:',
    );
    lines.push(`  mace verify FILE --key '${log.signed_by[0] ?? ''}'`);
  }
  return `${lines.map(visible).join('\n')}\n`;
}
