/** Signs a text as a note of the log. */
export type Signs = (text: string) => string;

const HEAD = 'mace erased keys/v1';
const KID = /^[A-Za-z0-9._:-]{1,200}$/;

/** The text in which a log names data keys that were destroyed: head, origin, one kid a line. */
export function erasedKeysText(origin: string, kids: readonly string[]): string {
  return `${[HEAD, origin, ...kids].join('\n')}\n`;
}

/** Null where the text is of another form. */
export function parseErasedKeys(text: string): { readonly origin: string; readonly kids: readonly string[] } | null {
  if (!text.endsWith('\n')) return null;
  const [head, origin, ...kids] = text.slice(0, -1).split('\n');
  if (head !== HEAD || !origin || !kids.every((kid) => KID.test(kid))) return null;
  return { origin, kids };
}
