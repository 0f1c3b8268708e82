/** The part of the SDK that signs, in a file of its own that is loaded at the first signature. */
export { gasLimit, swap } from '@sluice/client'
