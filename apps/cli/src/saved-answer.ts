/** An answer as `curl -i` writes it: status line, headers, an empty line, the content. */
export interface SavedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export class SavedAnswerError extends Error {
  constructor() {
    super('not an answer as `curl -i` saves it: a status line, headers, an empty line and the content');
    this.name = 'SavedAnswerError';
  }
}

const STATUS_LINE = /^HTTP\/[0-9](?:\.[0-9])? ([1-5][0-9]{2})(?: .*)?$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;
/** Interim answers and tunnels: a server gives one or two. */
const MOST_BEFORE = 20;
const TUNNEL = /^HTTP\/[0-9.]+ 2[0-9]{2} connection established$/i;

/**
 * Interim answers (1xx), and a proxy's word that it made a tunnel, stand before the answer itself and are passed over.
 * @throws SavedAnswerError
 */
export function savedAnswer(bytes: Buffer): SavedAnswer {
  let rest = bytes;
  for (let before = 0; before <= MOST_BEFORE; before++) {
    const { head, body } = parted(rest);
    const [statusLine = '', ...lines] = head.split(/\r?\n/);
    const status = STATUS_LINE.exec(statusLine)?.[1];
    if (status === undefined) throw new SavedAnswerError();
    if (status.startsWith('1') || TUNNEL.test(statusLine)) {
      rest = body;
      continue;
    }
    return { status: Number(status), headers: lines.map(headerOf), body };
  }
  throw new SavedAnswerError();
}

/** At the first empty line, whose ends may have lost their carriage returns in an editor. */
function parted(bytes: Buffer): { head: string; body: Buffer } {
  const places = ['\r\n\r\n', '\n\n']
    .map((end) => ({ at: bytes.indexOf(end), length: end.length }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const [first] = places;
  if (!first) throw new SavedAnswerError();
  return { head: bytes.toString('latin1', 0, first.at), body: bytes.subarray(first.at + first.length) };
}

function headerOf(line: string): readonly [string, string] {
  const found = HEADER.exec(line);
  if (!found) throw new SavedAnswerError();
  return [found[1]!, found[2]!.trim()];
}
