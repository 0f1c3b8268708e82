/** `npm run pack`: packs the service into one file that npm and npx can install without a clone of the repository. */
import { run, userPath } from './lib/run.ts'

const folder = userPath('.')
const { code, output } = await run(
  'npm',
  ['pack', '--json', '--workspace', '@sluice/server', '--pack-destination', folder],
  {
    quiet: true,
  },
)
if (code !== 0) {
  console.error(output)
  process.exit(code)
}
const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n'))) as [{ filename: string }]
console.log(`${filename}\nnpx ./${filename} --rpc 1=http://localhost:8545`)
