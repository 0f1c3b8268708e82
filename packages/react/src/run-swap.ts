/** Re-exports the signing part of the SDK from a separate module, so that bundlers can load it lazily. */
export { resumeSwap, swap } from '@sluice/client'
