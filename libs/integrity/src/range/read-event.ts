import type { StoredEnvelope } from '#lib/kernel';

/** An event of the log as a check has read it. What it says is parsed where somebody looks into it. */
export class ReadEvent {
  /**
   * @param prevHash as it stands in the event; null where it names none
   * @param recordedAt its signed time, milliseconds since the Unix epoch; null where it has none, as those of release 0.1
   */
  constructor(
    private readonly text: string,
    readonly prevHash: string | null,
    readonly recordedAt: number | null,
    private parsed?: StoredEnvelope,
  ) {}

  get envelope(): StoredEnvelope {
    return (this.parsed ??= JSON.parse(this.text) as StoredEnvelope);
  }
}
