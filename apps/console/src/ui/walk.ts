/** Rows of a table by keys. */

export const ROW_PX = 37;
/** What stands over a page that is scrolled (style.css). */
const HEADER_PX = 56;
const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, l: 1, h: -1 };

/**
 * From row to row of a table by J and K, a windowful by L and H: of the table that has the focus, else of the first one,
 * from its first row in view on. A list goes on by itself as its end comes into view.
 */
export function walk({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const step = STEPS[key];
  if (step === undefined || ctrlKey || metaKey || altKey || !isForPage(target)) return;
  const { activeElement: focused } = document;
  const table = focused?.closest('table') ?? document.querySelector('main table');
  const links = [
    ...(table?.querySelectorAll<HTMLElement>('tbody tr > :first-child a, tbody tr > :first-child button') ?? []),
  ];
  const rowOf = (link: HTMLElement): HTMLElement => link.closest('tr')!;
  const at = links.findIndex((link) => rowOf(link).contains(focused));
  const topOf = (link: HTMLElement): number => rowOf(link).getBoundingClientRect().top;
  const from = at >= 0 ? at : links.findIndex((link) => topOf(link) >= HEADER_PX) - 1;
  const rows = key === 'j' || key === 'k' ? 1 : Math.floor((innerHeight - HEADER_PX) / ROW_PX);
  // Only what is drawn can have the focus; the rest is drawn then.
  links[Math.max(0, Math.min(links.length - 1, from + step * rows))]?.focus();
}

/** What this browser keeps where somebody turned keys of one letter off. */
const KEYS_OFF = 'mace-keys-off';

/** Whether keys of one letter do anything: who speaks to the browser may press them without wanting to (WCAG 2.1.4). */
export const keysAreOn = (): boolean => localStorage.getItem(KEYS_OFF) === null;

export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEYS_OFF);
  else localStorage.setItem(KEYS_OFF, 'true');
}

/** Whether a key belongs to the page: to no field, and to no dialog over it. */
export function isForPage(target: EventTarget | null): boolean {
  if (!keysAreOn()) return false;
  const isTyping =
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  return !isTyping && !document.querySelector('dialog[open]');
}
