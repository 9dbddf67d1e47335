import { serializeParameters } from 'structured-headers';

/** The text that an HTTP message signature signs (RFC 9421, section 2.5). */

/** One covered part of a message and its value. */
export interface Component {
  /** A derived component (`@status`) or a field's name in lower case: `a-z0-9@-` only. */
  readonly name: string;
  /** Of the request that is answered (`;req`, section 2.4), not of the answer itself. */
  readonly ofRequest?: boolean;
  readonly value: string;
}

/** A component's identifier: its name as a string of a structured field, with its parameters. */
export function identifierOf({ name, ofRequest }: Pick<Component, 'name' | 'ofRequest'>): string {
  return ofRequest ? `"${name}";req` : `"${name}"`;
}

/**
 * @param parameters of the signature (section 2.3), in the order in which they are written
 * @returns `params`, the member of Signature-Input, and `base`, the bytes that are signed
 */
export function signatureBase(
  components: readonly Component[],
  parameters: Map<string, string | number>,
): { readonly params: string; readonly base: Buffer } {
  const identifiers = components.map(identifierOf);
  const params = `(${identifiers.join(' ')})${serializeParameters(parameters)}`;
  const lines = components.map(({ value }, i) => `${identifiers[i]}: ${value}\n`);
  // A path may hold bytes beyond ASCII; Node gives each as one character.
  return { params, base: Buffer.from(`${lines.join('')}"@signature-params": ${params}`, 'latin1') };
}
