import { describeFinding } from './finding.contract.js';
import { describeKeeping } from './keeping.contract.js';
import { type ReadStoreUnderTest, Trial } from './trial.contract.js';
import { describeWriting } from './writing.contract.js';

/** What every read store must do; an adapter enrols with one line. */
export function describeReadStoreContract(name: string, factory: () => Promise<ReadStoreUnderTest>): void {
  describe(`read store contract: ${name}`, () => {
    const trial = new Trial(factory);
    beforeEach(() => trial.begin());
    afterEach(() => trial.under.dispose());

    describeWriting(trial);
    describeFinding(trial);
    describeKeeping(trial);
  });
}
