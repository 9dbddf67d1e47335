/**
 * What a spec gets for fast-check (jest-resolver.cjs): every property draws from one seed, so that a run of the tests is
 * like the next. MACE_TEST_SEED, a whole number, draws from another.
 */
const fc = require('fast-check');

const { MACE_TEST_SEED = '1' } = process.env;
const seed = Number(MACE_TEST_SEED);
if (!Number.isSafeInteger(seed)) throw new Error(`MACE_TEST_SEED: a whole number, not ${MACE_TEST_SEED}`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

module.exports = fc;
