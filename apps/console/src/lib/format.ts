/** Texts for people, of what the interface answers. Pure: the same input gives the same text on every machine. */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `1 h 5 min`, `2.4 s`, `380 ms`. @param ms not negative */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const i = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[i]!;
  const [smaller, smallerSize] = UNITS[i + 1]!;
  const rest = Math.floor((ms % size) / smallerSize);
  return rest === 0 ? `${Math.floor(ms / size)} ${unit}` : `${Math.floor(ms / size)} ${unit} ${rest} ${smaller}`;
}

/** Digits in groups of three; of texts too, so that no number passes through a float. */
export function grouped(value: string | number): string {
  const text = String(value);
  if (!/^-?[0-9]+$/.test(text)) return text;
  const [sign, digits] = text.startsWith('-') ? ['-', text.slice(1)] : ['', text];
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return sign + groups.join(' ');
}

/** `1 job`, `2 403 jobs`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2026-11-28 13:11:55` in a zone, whose offset from UTC is in minutes; null where the text is no time. */
export function clockText(iso: string, offsetMinutes: number): string | null {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return null;
  return new Date(time + offsetMinutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** The first characters of what is long, with what says that there are more. Never cuts a character in two. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `REPLAY_MATCH` as `Replay match`. */
export function words(name: string): string {
  const text = name.toLowerCase().replace(/[_-]+/g, ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
