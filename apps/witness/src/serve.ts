import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { DataFolder, DataFolderInUseError } from '#lib/sqlite';
import { ED25519, NoteError, parseVkey } from '#lib/verifier';

import { witnessServer } from './server.js';
import { Witness } from './witness.js';
import { WitnessKey } from './witness-key.js';
import { WitnessStore } from './witness-store.js';

export interface WitnessOptions {
  readonly data: string;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Verifier keys of logs to witness from now on, besides those that are known; each may hold several, one a line. */
  readonly logs: readonly string[];
  /** Of the witness, at its first start; drawn where absent. */
  readonly name?: string;
  readonly now?: () => number;
}

export interface RunningWitness {
  readonly vkey: string;
  readonly address: AddressInfo;
  stop(): Promise<void>;
}

/** @throws WitnessKeyError, NoteError for a key that is none, DataFolderInUseError, DataFileError, and what listening throws */
export async function startWitness(options: WitnessOptions): Promise<RunningWitness> {
  process.umask(0o077);
  const keys = options.logs.flatMap((lines) => lines.trim().split(/\r?\n/)).map(logKey);
  const folder = DataFolder.take(options.data);
  try {
    const key = WitnessKey.open(join(folder.path, 'witness.key'), options.name);
    const store = new WitnessStore(join(folder.path, 'witness.db'));
    for (const { vkey, name } of keys) store.trust(vkey, name);
    const witness = new Witness(store, key, options.now ?? Date.now);
    const server = witnessServer(witness, ({ message }) => process.stderr.write(`mace witness: ${message}\n`));
    const stop = async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      store.close();
      folder.release();
    };
    try {
      server.listen(options.port, options.host);
      await once(server, 'listening');
    } catch (error) {
      await stop();
      throw error;
    }
    return { vkey: key.vkey, address: server.address() as AddressInfo, stop };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** The key of a log signs plain notes; that of a witness does not. */
function logKey(vkey: string) {
  const key = parseVkey(vkey);
  if (key.type !== ED25519) throw new NoteError(`${key.name} is the key of a witness, not of a log`);
  return key;
}

/** `mace witness serve`: runs until SIGTERM or SIGINT, and answers the exit code (spec/api.md, "Command line"). */
export async function serveWitness(options: WitnessOptions): Promise<0 | 1 | 64 | 69> {
  let running: RunningWitness;
  try {
    running = await startWitness(options);
  } catch (error) {
    process.stderr.write(`mace: ${(error as Error).message}\n`);
    if (error instanceof NoteError) return 64;
    const { code } = error as NodeJS.ErrnoException;
    return error instanceof DataFolderInUseError || code === 'EADDRINUSE' || code === 'EACCES' ? 69 : 1;
  }
  const { address, vkey } = running;
  process.stdout.write(`The witness is listening on http://${address.address}:${address.port}\n${vkey}\n`);
  await new Promise<void>((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
  });
  await running.stop();
  return 0;
}
