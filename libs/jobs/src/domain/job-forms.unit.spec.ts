import fc from 'fast-check';

import { scripts } from '../testing/arbitrary-scripts.js';
import { engineInput, type InputOptions, runScripted } from '../testing/scripted-job.js';
import { checkJobForms } from './job-forms.js';

const QUERIES: readonly InputOptions[] = [{}, { query: 'Remember that my favorite color is blue' }];

it('a job is never told that it has a form which no job writes, whatever its world says', () => {
  const asked = fc.constantFrom(...QUERIES);
  fc.assert(
    fc.property(asked, scripts, (options, script) => {
      checkJobForms('job-x', runScripted(engineInput(options), script).events);
    }),
  );
});
