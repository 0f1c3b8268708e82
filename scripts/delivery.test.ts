/** Checks the names in the Dockerfile and the workflow against the tree, without a container engine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const linesOf = (file: string) =>
  read(file)
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
const { scripts, engines } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
}

describe('Dockerfile', () => {
  const instructions = linesOf('Dockerfile').map((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line)!
    return { name: name!, rest: rest! }
  })
  const all = (name: string) => instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
  const last = (name: string) => instructions.findLastIndex((instruction) => instruction.name === name)
  const stages = all('FROM').flatMap((from) => / AS (\S+)$/.exec(from)?.[1] ?? [])

  test('copies existing files, from existing stages', () => {
    expect(all('COPY').length).toBeGreaterThan(0)
    for (const copy of all('COPY')) {
      const from = /--from=(\S+)/.exec(copy)?.[1]
      if (from) expect(stages).toContain(from)
      else {
        const sources = copy.split(' ').filter((word) => !word.startsWith('--'))
        for (const source of sources.slice(0, -1)) {
          expect(existsSync(join(root, source)), source).toBe(true)
        }
      }
    }
  })

  test('runs existing files, with a Node that runs TypeScript, and not as root', () => {
    expect(all('RUN')[0]).toContain('node scripts/bootstrap.mjs build')
    expect(existsSync(join(root, 'scripts/bootstrap.mjs'))).toBe(true)
    // All stages have one base image, which users can pin with a build argument.
    expect(all('ARG')).toEqual(['NODE_IMAGE=node:24-slim'])
    for (const from of all('FROM')) expect(from).toMatch(/^\$\{NODE_IMAGE\}( AS \w+)?$/)
    expect(all('USER')).toEqual(['node'])
    expect(last('USER')).toBeGreaterThan(last('FROM'))
    expect(last('ENTRYPOINT')).toBeGreaterThan(last('USER'))
    // The only folder that the user may write to. The rest belongs to root.
    expect(all('COPY').filter((copy) => copy.includes('--chown'))).toEqual([
      '--from=install --chown=node:node /data /data',
    ])
  })
})

test.each(readdirSync(join(root, '.github/workflows')))('%s runs existing commands', (name) => {
  const text = read(`.github/workflows/${name}`)
  const commands = [...text.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command!)
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    const script = /^npm (?:run )?([\w:-]+)(?: -- .+)?$/.exec(command)?.[1]
    const task = scripts[script!]?.match(/^node scripts\/bootstrap\.mjs ([\w-]+)$/)?.[1]
    expect(existsSync(join(root, `scripts/${task}.ts`)), command).toBe(true)
  }
  for (const [, action] of text.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
  const oldest = Number(/\d+/.exec(engines.node)![0])
  const versions = [...text.matchAll(/^ +node(?:-version)?: \[?([\d, ]+)\]?$/gm)].flatMap(([, list]) =>
    list!.split(',').map(Number),
  )
  expect(Math.min(...versions)).toBe(oldest)
})
