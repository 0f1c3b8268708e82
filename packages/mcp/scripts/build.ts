/** Build step: writes the package to `dist/` as JavaScript, because Node does not strip types under `node_modules`. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
await bundle(dist)
cpSync(join(root, '../../LICENSE'), join(dist, 'LICENSE'))
