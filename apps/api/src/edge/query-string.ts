import { MaceError } from '#lib/kernel';

/** What a query string that cannot be read is parsed to; the gate refuses it. */
export const UNREADABLE_QUERY: Record<string, unknown> = Object.freeze({});

/** What one with too many parameters is parsed to: each is looked through for personal data before a route sees it. */
export const CROWDED_QUERY: Record<string, unknown> = Object.freeze({});
const MAX_PARAMETERS = 32;

/** What no query string at all is parsed to, so that nobody need look into it. */
export const NO_QUERY: Record<string, unknown> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Decodes a query string, once and strictly; a parameter given twice becomes a list, which no form allows. */
export function parseQueryString(text: string): Record<string, unknown> {
  if (text === '') return NO_QUERY;
  const query = Object.create(null) as Record<string, unknown>;
  const parts = text.split('&').filter((part) => part !== '');
  if (parts.length > MAX_PARAMETERS) return CROWDED_QUERY;
  try {
    for (const part of parts) {
      const cut = part.indexOf('=');
      const name = decode(cut < 0 ? part : part.slice(0, cut));
      const value = cut < 0 ? '' : decode(part.slice(cut + 1));
      query[name] = name in query ? [query[name], value] : value;
    }
    return query;
  } catch {
    return UNREADABLE_QUERY;
  }
}

/** @throws URIError */
function decode(text: string): string {
  const decoded = decodeURIComponent(text.replaceAll('+', ' '));
  if (decoded.includes('\0')) throw new URIError('a NUL character');
  return decoded;
}

/** @throws MaceError INVALID_INPUT for a query that is malformed or too long, or that the route does not take */
export function checkQuery(query: unknown, taken: boolean): void {
  if (query === UNREADABLE_QUERY) {
    throw new MaceError('INVALID_INPUT', 'query: percent-encoded UTF-8 without NUL (RFC 3986)');
  }
  if (query === CROWDED_QUERY) throw new MaceError('INVALID_INPUT', `query: at most ${MAX_PARAMETERS} parameters`);
  if (!taken && Object.keys(query as object).length > 0) {
    throw new MaceError('INVALID_INPUT', 'query: this route takes no query parameters');
  }
}

/** @throws MaceError INVALID_INPUT for a parameter that came more than once */
export function refuseRepeated(query: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(query).find((one) => Array.isArray(query[one]));
  if (name === undefined) return;
  throw new MaceError('INVALID_INPUT', `query${NAME.test(name) ? `.${name}` : ''}: given twice; once is allowed`);
}

const NAME = /^[A-Za-z_]{1,64}$/;
