import { describeFinding } from './finding.contract.js';
import { describeKeeping } from './keeping.contract.js';
import { type ReadStoreUnderTest, Trial } from './trial.contract.js';
import { describeWriting } from './writing.contract.js';

export interface ContractOptions {
  /** False where the same adapter finds by the same code elsewhere, and only writes differ. Default true. */
  readonly finding?: boolean;
}

/** What every read store must do; an adapter enrols with one line. */
export function describeReadStoreContract(
  name: string,
  factory: () => Promise<ReadStoreUnderTest>,
  { finding = true }: ContractOptions = {},
): void {
  describe(`read store contract: ${name}`, () => {
    const trial = new Trial(factory);
    beforeEach(() => trial.begin());
    afterEach(() => trial.under.dispose());

    describeWriting(trial);
    if (finding) describeFinding(trial);
    describeKeeping(trial);
  });
}
