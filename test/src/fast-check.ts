/**
 * Configures property tests to use the same cases in every run, so that results are reproducible. `LONG=1` uses new
 * cases in each run. A failure prints its seed and path, which `fc.assert(…, { seed, path })` repeats.
 */
import fc from 'fast-check'

if (!process.env.LONG) fc.configureGlobal({ seed: 1 })
