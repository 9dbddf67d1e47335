import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accessEvents, fixtureKeys, readKeyFile, recordRotations, rotateKey, writeKeyFile } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing, type RingKey, sha256Hex, traceId } from '#lib/kernel';

const SAID = { type: 'SAID', version: 1, plain: ['text'] } as const;

/** A log whose stream `said` holds what a key signed before it was retired, what its heir signed, and what it signed after. */
export class LogOfRetiredKey {
  readonly store = new MemoryEventStore();
  keys: readonly RingKey[] = [];

  static async make(): Promise<LogOfRetiredKey> {
    const made = new LogOfRetiredKey();
    const folder = mkdtempSync(join(tmpdir(), 'mace-retired-'));
    try {
      await made.fill(join(folder, 'ring.json'));
    } finally {
      rmSync(folder, { recursive: true });
    }
    return made;
  }

  logOf(ring: KeyRing): EventLog {
    const registry = new EventRegistry([...accessEvents, SAID]);
    return new EventLog(this.store, new EventCodec(registry, ring, new SubjectCiphers({} as SubjectKeyStore, ring)));
  }

  private async fill(file: string): Promise<void> {
    writeKeyFile(file, fixtureKeys());
    await this.say('before', new KeyRing(readKeyFile(file)));
    rotateKey(file, 'event-hmac', Date.UTC(2026, 0, 1));
    this.keys = readKeyFile(file);
    await recordRotations(this.logOf(new KeyRing(this.keys)), new KeyRing(this.keys));
    await this.say('since', new KeyRing(this.keys));
    const old = this.keys.find(({ purpose, state }) => purpose === 'event-hmac' && state === 'verify-only')!;
    await this.say('forged', new KeyRing([{ ...old, state: 'active' }]));
  }

  /** As whoever holds these keys appends it. */
  private async say(text: string, ring: KeyRing): Promise<void> {
    const { events, version } = await this.store.readStream('said');
    const lastHash = version === 0 ? '0'.repeat(64) : sha256Hex(events.at(-1)!.text);
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed: `test:${text}`, sequenceIndex: 0, actor, traceId: traceId(text) };
    const head = { stream: 'said', version, lastHash };
    await this.logOf(ring).append(head, [{ type: 'SAID', data: { text } }], provenance);
  }
}
