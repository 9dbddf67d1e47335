import { MAX_DOCUMENT_BYTES, MAX_FILE_BYTES } from '#lib/verifier/browser';

/**
 * The document in the bytes of a bundle: what is no gzip is it already. `DecompressionStream` refuses a wrong checksum, a
 * wrong length, and whatever follows; a header with more than the method is refused here, as by `mace verify`.
 * @throws Error that says why it cannot be unpacked
 */
export async function unpacked(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (file[0] !== 0x1f || file[1] !== 0x8b || file.length > MAX_FILE_BYTES) return file;
  if (file[2] !== 8 || file[3] !== 0)
    throw new Error('its gzip header holds more than the method: pipe it through gzip');
  const reader = new Blob([file]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > MAX_DOCUMENT_BYTES) {
      await reader.cancel();
      throw new Error(`unpacked it is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
