/**
 * JSON laid out for reading without being parsed into values: numbers stay the digits that they are, names keep their
 * order, nothing is lost. What is no JSON comes back as it is.
 * @param most characters of the result at most; the rest is cut off
 */
export function laidOut(text: string, most = Infinity): string {
  const parts: string[] = [];
  let length = 0;
  let depth = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 100))}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+|"/gs)) {
    if (length > most) break;
    const last = parts.at(-1);
    if (token === '}' || token === ']') {
      depth -= 1;
      add(last === '{' || last === '[' ? token : line() + token);
    } else {
      if (last === '{' || last === '[') add(line());
      if (token === ',') add(`,${line()}`);
      else if (token === ':') add(': ');
      else add(token);
      if (token === '{' || token === '[') depth += 1;
    }
  }
  return parts.join('').slice(0, most);
}
