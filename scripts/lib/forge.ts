/** Runs the forge binary directly, because npm's wrapper always exits with 0. */
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { type CommandResult, root, run } from './run.ts'

const OS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const ARCH: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const modules = join(root, 'node_modules')

/**
 * Returns the path of the binary.
 *
 * @throws Error on a platform without a forge package
 */
function forgeBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/forge/package.json'))
  const name = `@foundry-rs/forge-${OS[platform()]}-${ARCH[arch()]}`
  return require.resolve(`${name}/bin/forge${platform() === 'win32' ? '.exe' : ''}`)
}

/** Runs forge in a folder, contracts/ by default, with Hardhat's library paths. */
export function forge(
  args: readonly string[],
  {
    env = process.env,
    cwd = join(root, 'contracts'),
    quiet = false,
  }: { env?: NodeJS.ProcessEnv; cwd?: string; quiet?: boolean } = {},
): Promise<CommandResult> {
  const remappings = [
    `forge-std/=${modules}/@uniswap/v4-core/lib/forge-std/src/`,
    `@openzeppelin/=${modules}/@openzeppelin/`,
  ]
  return run(forgeBinary(), args, { cwd, quiet, env: { ...env, DAPP_REMAPPINGS: remappings.join('\n') } })
}
