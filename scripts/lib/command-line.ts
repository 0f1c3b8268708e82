/** Command line parsing for scripts. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Prints a message and ends the process. */
export function fail(text: string, exitCode = 1): never {
  console.error(text)
  process.exit(exitCode)
}

/**
 * Parses the command line with `parseArgs`. With `--help` or `-h`, prints the usage and ends the process. An invalid
 * command line ends the process with an error line and the usage.
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
