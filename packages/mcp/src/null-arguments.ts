/** Accepts null for absent arguments of tool calls, because many models and clients send null. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/**
 * Makes a server treat null arguments as absent. A call whose `arguments` are null counts as a call without arguments.
 * Must be called before `connect`.
 */
export function acceptNullArguments(server: McpServer): void {
  const { connect } = server
  server.connect = async (transport) => {
    await connect.call(server, transport)
    // Wraps the transport, because the SDK validates a message before it calls the handler of a tool.
    const { onmessage } = transport
    transport.onmessage = (message, extra) => onmessage?.(withoutNullArguments(message), extra)
  }
}

function withoutNullArguments<M extends JSONRPCMessage>(message: M): M {
  if (!('method' in message) || message.method !== 'tools/call') return message
  const { arguments: args, ...params } = Object(message.params) as { readonly arguments?: unknown }
  if (args === null) return { ...message, params }
  if (typeof args !== 'object' || Array.isArray(args)) return message
  const presentEntries = Object.entries(args).filter(([, value]) => value !== null)
  return { ...message, params: { ...params, arguments: Object.fromEntries(presentEntries) } }
}
