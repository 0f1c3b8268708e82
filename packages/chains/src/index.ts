export * from './address.ts'
export type * from './types.ts'
