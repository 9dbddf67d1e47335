/** The global that the verifier finds in Node. */
export { Buffer } from 'buffer';
