export * from './anvil.ts'
