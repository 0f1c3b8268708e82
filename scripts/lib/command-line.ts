/** Command line parsing for scripts. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Prints a message and ends the process. */
export function fail(text: string, exitCode = 1): never {
  console.error(text)
  process.exit(exitCode)
}

/**
 * Calls `parseArgs`. Prints the usage for `--help`, and reports an invalid command line with one line and the usage
 * instead of a stack.
 */
export function commandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  exitCode = 1,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`, exitCode)
  }
}
