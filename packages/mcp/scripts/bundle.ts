/** Bundles the package for publication. */
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Writes `main.js` to a folder. The bundle includes `@sluice/client`; the MCP SDK and zod stay external. */
export async function bundle(dir: string): Promise<void> {
  const build = await rolldown({
    // Comments in the output contain paths relative to this folder.
    cwd: join(import.meta.dirname, '..'),
    input: 'src/main.ts',
    platform: 'node',
    external: /^(node:|@modelcontextprotocol\/|zod$)/,
  })
  await build.write({ dir, format: 'esm', entryFileNames: 'main.js' })
  await build.close()
}
