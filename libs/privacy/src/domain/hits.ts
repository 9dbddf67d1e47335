/**
 * Every match of an expression (with the flag g) in a text, as matchAll gives them, which copies the expression first: that
 * takes longer than reading a short text. Who is given a match may use the same expression before the next one is asked for.
 */
export function* hitsOf(text: string, expression: RegExp): Generator<RegExpExecArray> {
  expression.lastIndex = 0;
  for (let hit = expression.exec(text); hit; hit = expression.exec(text)) {
    const next = hit[0] === '' ? expression.lastIndex + 1 : expression.lastIndex;
    yield hit;
    expression.lastIndex = next;
  }
}
