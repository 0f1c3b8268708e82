/** The part of the SDK that signs, in a module of its own: bundlers load it with the first swap. */
export { resumeSwap, swap } from '@sluice/client'
