import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Ends the process with a word to whoever started it. */
export function fail(text: string, exitCode = 1): never {
  console.error(text)
  process.exit(exitCode)
}

/** `parseArgs`, which answers what it does not know in a line and the usage instead of a stack. */
export function commandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  exitCode = 1,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`, exitCode)
  }
}
