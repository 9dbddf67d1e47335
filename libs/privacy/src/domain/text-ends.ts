/** A text without the signs of `tail` at its end: `1.2.` without dots is `1.2`. An expression for it is not linear. */
export function withoutTail(text: string, tail: string): string {
  let end = text.length;
  while (end > 0 && tail.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const ARTICLE =
  /(?:^|[^\p{L}\p{N}])((?:an?|the|eine?[nrms]?|d(?:er|ie|as|em|en)|una?|uno|el|las?|los|une|des|du|le|les|il|lo|gli|i) |(?:l|d|un|dell)['’])$/iu;
const LONGEST_ARTICLE = 8;

/** Where the article begins that stands before a place of a text: it goes with its noun. The place itself where none does. */
export function withArticle(text: string, place: number): number {
  const hit = ARTICLE.exec(text.slice(Math.max(0, place - LONGEST_ARTICLE), place));
  return place - (hit?.[1]?.length ?? 0);
}
