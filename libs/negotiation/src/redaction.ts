import { detect, type Finding, redact } from '#lib/privacy';

/** Characters that are looked at in one turn, so that a large artifact keeps nobody waiting for long. */
const STRETCH = 128 * 1024;
/** What two stretches share: nothing personal is longer, so that each lies whole in one of them. */
const OVERLAP = 4 * 1024;

/** The text with what is personal in it as `[redacted:<type>]` (spec/privacy.md, "What happens"); of any length. */
export async function redactPersonal(text: string): Promise<string> {
  const findings: Finding[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += STRETCH) {
    if (from > 0) await new Promise((resume) => setImmediate(resume));
    for (const finding of personalIn(text.slice(from, from + STRETCH + OVERLAP)))
      findings.push({ ...finding, start: finding.start + from, end: finding.end + from });
  }
  return redact(text, findings);
}

function personalIn(text: string): Finding[] {
  return detect(text).filter(({ category }) => category !== 'low');
}
