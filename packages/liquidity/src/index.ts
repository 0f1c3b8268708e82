export * from './family.ts'
export type * from './snapshot.ts'
