/**
 * `npm run snapshot`: copies the saved state of a chain from and to the service's data directory. `export` writes it to
 * a file, even while the service runs. `import` places a file where the service loads it at its next start. `show`
 * describes a file. `pools` writes a list of a chain's pools without their state, as input of `npm run serve --
 * --pools`.
 */
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultDataDir } from '@sluice/api'
import { loadRegistry, makeDirectory } from '@sluice/chains'
import { copySnapshot, exportPools, loadSnapshot, MarketError, writePoolList } from '@sluice/liquidity'
import { userDirectories, userPath } from './lib/run.ts'

const USAGE = `usage: npm run snapshot -- export <chainId> <file>
       npm run snapshot -- import <file>
       npm run snapshot -- show <file>
       npm run snapshot -- pools <chainId> <file>
DATA_DIR names the service's directory; default: as for the service.`

const [task, ...rest] = process.argv.slice(2)

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  async export() {
    const [chainId, file] = taskArguments(2)
    const { block } = await copySnapshot(databasePath(chainId!), userPath(file!))
    console.log(`${file}: chain ${chainId} at block ${block.number}`)
  },

  async import() {
    const [file] = taskArguments(1)
    const { chainId, block } = await loadSnapshot(userPath(file!))
    const path = databasePath(String(chainId))
    if (existsSync(path)) fail(`${path} is there already: stop the service and remove it first`)
    makeDirectory(join(path, '..'))
    await copySnapshot(userPath(file!), path)
    console.log(`${path}: chain ${chainId} at block ${block.number}`)
  },

  async show() {
    const [file] = taskArguments(1)
    const { chainId, block, pools } = await loadSnapshot(userPath(file!))
    console.log(`chain ${chainId}, block ${block.number} ${block.hash}, ${pools.size} pools`)
    const families = Map.groupBy(pools.values(), ({ family }) => family)
    for (const [family, group] of [...families].sort()) console.log(`  ${family}: ${group.length}`)
  },

  async pools() {
    const [chainId, file] = taskArguments(2)
    const chain = loadRegistry({ chainsDir: userDirectories().CHAINS_DIR }).chain(Number(chainId))
    if (!chain) fail(`chainId: there is no chain ${chainId}`)
    const list = exportPools(databasePath(chainId!), chain)
    const bytes = writePoolList(list)
    writeFileSync(userPath(file!), bytes)
    const families = Map.groupBy(list.deployments, ({ family }) => family)
    console.log(`${file}: pools of chain ${chainId} at block ${list.block}, ${bytes.length} bytes`)
    for (const [family, group] of [...families].sort())
      console.log(`  ${family}: ${group.reduce((sum, { pools }) => sum + pools.length, 0)}`)
    console.log(`--pools '${file}#sha256=${createHash('sha256').update(bytes).digest('hex')}'`)
  },
}

const run = tasks[task ?? ''] ?? (() => fail(USAGE))
try {
  await run()
} catch (error) {
  const isFileError = error instanceof Error && 'syscall' in error
  if (!isFileError && !(error instanceof MarketError)) throw error
  fail((error as Error).message)
}

/** Returns the arguments of a task; ends the process if their number is wrong. */
function taskArguments(count: number): readonly string[] {
  return rest.length === count ? rest : fail(USAGE)
}

function databasePath(chainId: string): string {
  if (!/^[1-9]\d{0,15}$/.test(chainId)) fail(`chainId: ${chainId} is not a chain id`)
  return join(userDirectories().DATA_DIR ?? defaultDataDir(process.env), `${chainId}.sqlite`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
