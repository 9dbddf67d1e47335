import type { ForensicStore } from '#lib/audit';
import type { JsonObject } from '#lib/kernel';
import { Evidence } from '#lib/selfrep';

/** Evidence of violations and incidents goes to the forensic store. */
export class ForensicEvidence extends Evidence {
  constructor(private readonly store: ForensicStore) {
    super();
  }

  keep(record: JsonObject): Promise<string> {
    return this.store.keep(record);
  }
}
