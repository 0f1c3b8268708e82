/**
 * Entry point of `sluice-mcp`. Serves stdio, or HTTP with `--http`. Logs go to stderr, because stdout carries the
 * protocol.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type Options, parseCommandLine, USAGE } from './arguments.ts'
import { listen } from './http.ts'
import { serverFactory, version } from './server.ts'

/** Maximum size of a message on stdin. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Exit code for a mistake in the command line. */
const USAGE_ERROR = 2

const commandLine = parseCommandLine(process.argv.slice(2), process.env)
if ('mistake' in commandLine) {
  console.error(`sluice-mcp: ${commandLine.mistake}\n\n${USAGE}`)
  process.exitCode = USAGE_ERROR
} else if ('show' in commandLine) console.log(commandLine.show === 'help' ? USAGE : version)
else if (commandLine.options.http) await serveHttp(commandLine.options, commandLine.options.http)
else await serveStdio(commandLine.options)

/** Serves one client until stdin ends and all its requests are answered. */
async function serveStdio(options: Options): Promise<void> {
  const mcp = serverFactory(options)()
  mcp.server.onerror = (error) => console.error(`sluice-mcp: ${error.message}`)
  // The SDK closes the server only after a message above the size limit, because it cannot parse the rest of stdin
  // then.
  mcp.server.onclose = () => process.exit(1)
  // An error on stdout means that the client has closed the pipe.
  process.stdout.on('error', () => process.exit(0))
  await mcp.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }))
  console.error(`sluice-mcp ${version}: serving stdio for ${options.service}`)
}

async function serveHttp(options: Options, http: NonNullable<Options['http']>): Promise<void> {
  const { url, close } = await listen(http, serverFactory(options)).catch((error: Error) => {
    console.error(`sluice-mcp: failed to listen: ${error.message}`)
    process.exit(1)
  })
  console.error(`sluice-mcp ${version}: serving ${url} for ${options.service}`)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => close().then(() => process.exit(0)))
}
