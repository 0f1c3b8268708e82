/** Deploys the routers of the gas benchmark on one local chain. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxUint256 } from 'viem'
import { startNode } from './node.ts'
import { floor, swapRouter02, universalRouter, v2Router02 } from './peers.ts'
import { sluiceRouters } from './sluice.ts'
import { buildWorld } from './world.ts'

export async function startRouters() {
  const deployments = mkdtempSync(join(tmpdir(), 'sluice-gas-'))
  const node = await startNode()
  const stop = async () => {
    await node.anvil.stop()
    rmSync(deployments, { recursive: true, force: true })
  }
  try {
    const world = await buildWorld(node)
    const routers = [
      ...(await sluiceRouters(node, world, deployments)),
      await universalRouter(node, world),
      await swapRouter02(node, world),
      await v2Router02(node, world),
      floor(node, world),
    ]
    // The user approves every router without limit, before the measured transactions.
    for (const spender of new Set(routers.map((router) => router.spender)))
      for (const token of [world.a, world.b, world.c, world.weth])
        await node.write(world.tokenAbi, token, 'approve', [spender, maxUint256], node.user)
    return { node, world, routers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
