/** `node save-forever.ts <file>`: saves block after block into a file until it is killed. Says when it has begun. */
import { SnapshotDatabase } from '../src/store/database.ts'
import { syntheticSnapshot } from './synthetic-snapshot.ts'

const database = new SnapshotDatabase(process.argv[2]!)
const before = database.load()
for (let number = (before?.block.number ?? 0) + 1; ; number++) {
  const { chainId, block, pools } = syntheticSnapshot(number, 3_000)
  const newPools =
    number === 1 ? [...pools.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: null })) : []
  database.save({ chainId, block, extra: null }, { newPools, changedPools: pools.values(), goneIds: [] })
  if (process.stdout.writable) process.stdout.write(`${number}\n`)
}
