import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const openssl = (...args: readonly string[]): unknown => execFileSync('openssl', args, { stdio: 'pipe' });

/** Authorities and what they have signed, as an operator makes them by openssl, in a folder of their own. */
export class Certificates {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mace-certificates-'));

  /** @param signed names of certificates for 127.0.0.1, by the names of the authorities that sign them */
  constructor(signed: Readonly<Record<string, readonly string[]>>) {
    for (const [authority, names] of Object.entries(signed)) {
      const files = ['-keyout', this.at(`${authority}.key`), '-out', this.at(`${authority}.crt`)];
      openssl('req', '-x509', ...EC, '-days', '2', '-subj', `/CN=${authority}`, ...files);
      for (const name of names) this.sign(authority, name);
    }
  }

  /** A file, such as `room.crt` or `room.key`. */
  at(file: string): string {
    return join(this.folder, file);
  }

  pem(file: string): Buffer {
    return readFileSync(this.at(file));
  }

  /** A channel that trusts one authority and shows a certificate. */
  channel(authority: string, name: string): ChannelCredentials {
    return credentials.createSsl(this.pem(`${authority}.crt`), this.pem(`${name}.key`), this.pem(`${name}.crt`));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private sign(authority: string, name: string): void {
    const [key, request, extension] = [this.at(`${name}.key`), this.at(`${name}.csr`), this.at(`${name}.ext`)];
    openssl('req', ...EC, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
    writeFileSync(extension, 'subjectAltName=IP:127.0.0.1\n');
    const signer = ['-CA', this.at(`${authority}.crt`), '-CAkey', this.at(`${authority}.key`), '-CAcreateserial'];
    const files = ['-in', request, '-extfile', extension, '-out', this.at(`${name}.crt`)];
    openssl('x509', '-req', '-days', '2', ...signer, ...files);
  }
}
