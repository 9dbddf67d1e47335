/** Path and query of a call. */

/**
 * A target as it goes over the wire, whatever the transport: `fetch` writes some characters in another way, and what is
 * signed is what was sent.
 */
export function sentTarget(target: string): string {
  const { pathname, search } = new URL(`http://mace${target}`);
  return pathname + search;
}

type Value = string | number | boolean;
type Values = Readonly<Record<string, Value | undefined>>;

/**
 * @param template a path of the description, `/jobs/{job_id}`
 * @throws TypeError for a part that is missing, or that no URL can carry: empty, `.` or `..`
 */
export function targetOf(template: string, path: Values = {}, query: Values = {}): string {
  const filled = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = path[name];
    const text = value === undefined ? '' : String(value);
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`path, ${name}: a text that is neither empty nor made of dots alone`);
    return encodeURIComponent(text);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}
