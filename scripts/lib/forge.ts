/** forge itself. The wrapper that npm puts on the path exits with 0 whatever forge did, so nothing here calls it. */
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { type Finished, root, run } from './run.ts'

const OS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const ARCH: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const modules = join(root, 'node_modules')

/** @throws Error on a platform that forge is not published for */
function forgeBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/forge/package.json'))
  const name = `@foundry-rs/forge-${OS[platform()]}-${ARCH[arch()]}`
  return require.resolve(`${name}/bin/forge${platform() === 'win32' ? '.exe' : ''}`)
}

/** Runs forge in a folder, contracts/ by default, where it finds the libraries that Hardhat finds. */
export function forge(
  args: readonly string[],
  {
    env = process.env,
    cwd = join(root, 'contracts'),
    quiet = false,
  }: { env?: NodeJS.ProcessEnv; cwd?: string; quiet?: boolean } = {},
): Promise<Finished> {
  const remappings = [
    `forge-std/=${modules}/@uniswap/v4-core/lib/forge-std/src/`,
    `@openzeppelin/=${modules}/@openzeppelin/`,
  ]
  return run(forgeBinary(), args, { cwd, quiet, env: { ...env, DAPP_REMAPPINGS: remappings.join('\n') } })
}
