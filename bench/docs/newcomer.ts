/**
 * `npm run bench -- docs newcomer [node]`: follows the README and the first guides literally in a fresh clone. Measures
 * two times: to the first quote on the local chain, including the installation, and to the first quote from a node with
 * the recorded Ethereum state. Uses the given Node.js; by default, the first one in PATH outside of the repository.
 * Results in `results/newcomer.json`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@sluice/devnet'
import { startEthereum } from '../lib/ethereum.ts'
import { record, rounded } from '../record.ts'

const root = join(import.meta.dirname, '../..')
const MAX_START_MS = 20 * 60_000
const MAX_QUOTE_MS = 120_000
/** Tokens of the quote: wrapped ether and USDC on Ethereum. */
const PAIR = {
  src: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  dst: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
}

const dir = mkdtempSync(join(tmpdir(), 'sluice-newcomer-'))
const clone = join(dir, 'sluice')
/** Folders of the user's PATH, without those that npm has added. */
const pathFolders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
const [nodePath] = process.argv.slice(2)
if (nodePath !== undefined) pathFolders.unshift(dirname(nodePath))
const userEnv = { ...process.env, PATH: pathFolders.join(delimiter), CI: '', NODE_COMPILE_CACHE: '' }
/** Processes of commands that have not ended. */
const runningCommands = new Set<ChildProcess>()

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const COMMANDS = ['npm start', 'npm run serve']
for (const command of COMMANDS)
  if (!readme.includes(command)) throw new Error(`README.md does not contain the command ${command}`)

try {
  const begin = performance.now()
  execFileSync('git', ['clone', '--quiet', root, clone])
  const local = await firstLocalQuote(begin)
  const ownQuote = await firstOwnQuote()
  const node = execFileSync('node', ['--version'], { env: userEnv, encoding: 'utf8' }).trim()
  record('newcomer', { userNode: node, ...local, ...ownQuote })
} finally {
  for (const child of runningCommands) killGroup(child)
  rmSync(dir, { recursive: true, force: true })
}
process.exit()

/** Runs `npm start` and the first command of the quote guide. */
async function firstLocalQuote(begin: number) {
  const port = await freePort()
  const child = startNpm(['start'], { PORT: String(port) })
  await waitForOutput(child, 'Ctrl-C stops everything')
  const startedMs = performance.now() - begin
  const { tokens } = JSON.parse(readFileSync(join(clone, '.devnet/devnet.json'), 'utf8'))
  const [, block] = /```bash\n(.*?)```/s.exec(readFileSync(join(clone, 'docs/guides/quote.md'), 'utf8'))!
  const variables = { SLUICE_URL: `http://localhost:${port}`, CHAIN: '31337' }
  const env = { ...userEnv, ...variables, WETH: tokens.WETH.address, USDC: tokens.USDC.address }
  const startedAt = performance.now()
  const answer = JSON.parse(execFileSync('bash', ['-euo', 'pipefail', '-c', block!], { env, encoding: 'utf8' }))
  if (!(BigInt(answer.toAmount ?? 0) > 0n)) throw new Error(`the first quote is ${JSON.stringify(answer)}`)
  const quoteMs = performance.now() - startedAt
  killGroup(child)
  return {
    localChainReadySeconds: rounded(startedMs / 1_000),
    localFirstQuoteSeconds: rounded((startedMs + quoteMs) / 1_000),
    localQuoteMs: rounded(quoteMs, 0),
  }
}

/** Runs `npm run serve` in the installed clone, with a node that has the recorded Ethereum state. */
async function firstOwnQuote() {
  const mainnet = await startEthereum()
  try {
    const port = await freePort()
    const variables = {
      RPC_URL_1: mainnet.url,
      CHAINS: '1',
      DEPLOYMENTS_DIR: mainnet.env.DEPLOYMENTS_DIR,
      DATA_DIR: '',
      PORT: String(port),
    }
    const begin = performance.now()
    const child = startNpm(['run', 'serve'], variables)
    const url = `http://localhost:${port}/quote/1?${new URLSearchParams({ ...PAIR, amount: String(10n ** 18n) })}`
    while (performance.now() - begin < MAX_QUOTE_MS) {
      const answer = await fetch(url).catch(() => undefined)
      if (answer?.ok) break
      await sleep(100)
    }
    const quoteMs = performance.now() - begin
    if (quoteMs >= MAX_QUOTE_MS) throw new Error('the service over a custom RPC gave no quote in time')
    killGroup(child)
    return { ownRpcFirstQuoteSeconds: rounded(quoteMs / 1_000) }
  } finally {
    await mainnet.stop()
  }
}

/** Starts an npm command in its own process group, so that the whole group can be ended. */
function startNpm(args: readonly string[], variables: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn('npm', [...args], { cwd: clone, env: { ...userEnv, ...variables }, detached: true })
  runningCommands.add(child)
  return child
}

function waitForOutput(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(
      () => reject(new Error(`"${text}" was not printed in time: ${output.slice(-2_000)}`)),
      MAX_START_MS,
    )
    child.once('exit', (code) => reject(new Error(`the command ended with ${code}: ${output.slice(-2_000)}`)))
    const onChunk = (chunk: Buffer) => {
      output += chunk
      if (!output.includes(text)) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', onChunk)
    child.stderr?.on('data', onChunk)
  })
}

function killGroup(child: ChildProcess): void {
  runningCommands.delete(child)
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
