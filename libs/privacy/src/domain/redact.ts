import { hmacSha256Hex } from '#lib/kernel';
import { compareCategories, type Finding } from './pii-types.js';

/**
 * The text with each finding replaced by `[redacted:<type>]`. Findings that overlap become one, named after the one of
 * the highest category, then the surest, then the longest. Findings must be of this very text.
 */
export function redact(text: string, findings: readonly Finding[]): string {
  let redacted = '';
  let done = 0;
  for (const { start, end, type } of merge(findings)) {
    redacted += `${text.slice(done, start)}[redacted:${type}]`;
    done = end;
  }
  return redacted + text.slice(done);
}

/** hex HMAC-SHA256(key, value + job_seed) of a personal value as it was sent (spec/privacy.md, "What happens"). */
export function piiHash(key: Buffer, value: string, jobSeed: string): string {
  return hmacSha256Hex(key, value, jobSeed);
}

function merge(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else
      merged[merged.length - 1] = {
        ...weightier(last, finding),
        start: last.start,
        end: Math.max(last.end, finding.end),
      };
  }
  return merged;
}

function weightier(a: Finding, b: Finding): Finding {
  const order = compareCategories(a.category, b.category) || a.score - b.score || a.end - a.start - (b.end - b.start);
  return order >= 0 ? a : b;
}
