/** A text without the signs of `tail` at its end: `1.2.` without dots is `1.2`. An expression for it is not linear. */
export function withoutTail(text: string, tail: string): string {
  let end = text.length;
  while (end > 0 && tail.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
