/**
 * Property tests draw the same cases in every run, so that a change is judged by itself and not by the draw. `LONG=1` draws
 * anew each time. A failure prints its seed and path, which `fc.assert(…, { seed, path })` runs again.
 */
import fc from 'fast-check'

if (!process.env.LONG) fc.configureGlobal({ seed: 1 })
