import { describeAppending } from './appending.contract.js';
import { type EventStoreUnderTest } from './contract-support.js';
import { describeModel } from './model.contract.js';
import { describeReading } from './reading.contract.js';
import { describeSubscribing } from './subscribing.contract.js';

export { type EventStoreUnderTest } from './contract-support.js';

/** What every adapter of the event store port does. A new adapter enrols with one call. */
export function describeEventStoreContract(name: string, underTest: EventStoreUnderTest): void {
  describe(`${name} keeps the event store contract`, () => {
    describeAppending(underTest);
    describeReading(underTest);
    describeSubscribing(underTest);
    describeModel(underTest);
  });
}
