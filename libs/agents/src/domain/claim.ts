/** "12.5% of 80" and what somebody says it is. */
export interface AskedClaim {
  readonly what: string;
  readonly says: string;
}

const ASKS = /^(?:please\s+)?(?:verify|check|confirm|is it true)\b[\s,:]*(?:that\s+|whether\s+|if\s+)?/i;
const MAX_LENGTH = 1000;

/** Takes "Verify that 12.5% of 80 is 10" apart; null where the text is no such wish. */
export function parseClaim(text: string): AskedClaim | null {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const asks = ASKS.exec(trimmed);
  if (!asks) return null;
  const claim = trimmed.slice(asks[0].length).replace(/[.?!]+$/, '');
  const at = claim.lastIndexOf('=') >= 0 ? claim.lastIndexOf('=') : claim.toLowerCase().lastIndexOf(' is ');
  if (at <= 0) return null;
  const what = claim.slice(0, at).trim();
  const says = claim.slice(claim[at] === '=' ? at + 1 : at + ' is '.length).trim();
  return what === '' || says === '' ? null : { what, says };
}
