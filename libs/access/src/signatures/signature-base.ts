/** The text that an HTTP message signature signs (RFC 9421, section 2.5). */

/** One covered part of a message and its value. */
export interface Component {
  /** A derived component (`@status`) or a field's name in lower case. */
  readonly name: string;
  /** Of the request that is answered (`;req`, section 2.4), not of the answer itself. */
  readonly ofRequest?: boolean;
  readonly value: string;
}

/** Parameters of a signature (section 2.3), in the order in which they are written. */
export type SignatureParameters = readonly (readonly [name: string, value: string | number])[];

/** A component's identifier: its name as a string of a structured field, with its parameters. */
export function identifierOf({ name, ofRequest }: Pick<Component, 'name' | 'ofRequest'>): string {
  return `"${name}"${ofRequest ? ';req' : ''}`;
}

/**
 * The inner list of identifiers with the signature's parameters: the member of Signature-Input, and the last line of the
 * base. Names and texts must be free of quotes and backslashes.
 */
export function signatureParams(identifiers: readonly string[], parameters: SignatureParameters): string {
  const written = parameters.map(([name, value]) => `;${name}=${typeof value === 'number' ? value : `"${value}"`}`);
  return `(${identifiers.join(' ')})${written.join('')}`;
}

/** @param params as `signatureParams` writes them */
export function signatureBase(components: readonly Component[], params: string): string {
  const lines = components.map((component) => `${identifierOf(component)}: ${component.value}\n`);
  return `${lines.join('')}"@signature-params": ${params}`;
}
