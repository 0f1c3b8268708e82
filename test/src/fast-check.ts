/**
 * Setup file of vitest. Makes property tests use the same cases in every run; with `LONG=1`, each run has new cases. A
 * failure prints its seed and path, and `fc.assert(…, { seed, path })` repeats the case.
 */
import fc from 'fast-check'

if (!process.env.LONG) fc.configureGlobal({ seed: 1 })
