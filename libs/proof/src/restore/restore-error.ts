/** The copy cannot be restored from; nothing was moved. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}
