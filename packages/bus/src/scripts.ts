/**
 * Lua scripts for Redis. Each script is atomic. A script that writes a state is fenced: it does nothing unless the
 * caller holds the lease of the chain.
 */
import { createHash } from 'node:crypto'
import type { Argument, Connection } from './connection.ts'

/** Maximum arguments per call of `unpack`, which Lua's stack limits. Even, because fields and values alternate. */
const MAX_UNPACK_ARGUMENTS = 4_000

/** Ends a script if the caller does not hold the lease. */
const FENCE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'LOST'} end`

/** Separator between the texts of a write. JSON escapes this character, so no text contains it. */
export const SEPARATOR = '\u001f'

/**
 * Lua function that runs a command over the `n` items of a list after index `at`, in slices, and advances `at` by `n`.
 */
const EACH_FUNCTION = `
  local function each(command, key, list, n)
    local i = 0
    while i < n do
      local k = math.min(${MAX_UNPACK_ARGUMENTS}, n - i)
      redis.call(command, key, unpack(list, at + i + 1, at + i + k))
      i = i + k
    end
    at = at + n
  end`

/** Lua code that splits the last argument of `write` into the list `texts`, and starts at its first item. */
const SPLIT_TEXTS = `
  local texts, from, all = {}, 1, ARGV[13]
  while from <= #all do
    local cut = string.find(all, '${SEPARATOR}', from, true) or #all + 1
    texts[#texts + 1] = string.sub(all, from, cut - 1)
    from = cut + 1
  end
  local at = 0`

/**
 * Applies the difference between two states to the pools and pairs, and appends an entry with it to the stream.
 *
 * KEYS lease head pools entries pairs
 *
 * ARGV token leaseMs expectedTag tag block stands payload keepMs nSet nGone nAdded nRemoved, then the texts (field
 * value)* field* pair* pair* in one argument, joined by `SEPARATOR`
 */
const write = `
  ${FENCE}
  local head = redis.call('HMGET', KEYS[2], 'tag', 'id', 'size', 'pairs')
  if head[1] ~= ARGV[3] then return {'CHANGED'} end
  if redis.call('HLEN', KEYS[3]) ~= tonumber(head[3]) then return {'DAMAGED'} end
  if redis.call('SCARD', KEYS[5]) ~= tonumber(head[4]) then return {'DAMAGED'} end
  ${SPLIT_TEXTS}
  ${EACH_FUNCTION}
  each('HSET', KEYS[3], texts, tonumber(ARGV[9]) * 2)
  each('HDEL', KEYS[3], texts, tonumber(ARGV[10]))
  each('SADD', KEYS[5], texts, tonumber(ARGV[11]))
  each('SREM', KEYS[5], texts, tonumber(ARGV[12]))
  local size = redis.call('HLEN', KEYS[3])
  local now = redis.call('TIME')
  local oldest = string.format('%.0f', now[1] * 1000 - ARGV[8])
  local id = redis.call('XADD', KEYS[4], 'MINID', '~', oldest, '*', 'prev', head[2], 'tag', ARGV[4], 'block', ARGV[5], 'stands', ARGV[6], 'size', size, 'told', ARGV[7])
  redis.call('HSET', KEYS[2], 'tag', ARGV[4], 'id', id, 'block', ARGV[5], 'stands', ARGV[6], 'size', size, 'pairs', redis.call('SCARD', KEYS[5]), 'beat', now[1] .. '.' .. now[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {'OK', id}`

/**
 * Replaces the generation of pools in the head by a new one, and the pairs by new ones, which were both written before.
 * A generation is a hash with the fields of all pools. Takes the same time for any number of pools and pairs, because
 * no lease of any chain can be renewed meanwhile.
 *
 * KEYS lease head pools oldPools entries pairs newPairs
 *
 * ARGV token generation tag block stands size oldMs nPairs
 */
const flip = `
  ${FENCE}
  if redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[6]) then return {'DAMAGED'} end
  local pairCount = tonumber(ARGV[8])
  if redis.call('SCARD', KEYS[7]) ~= pairCount then return {'DAMAGED'} end
  local id = redis.call('XADD', KEYS[5], '*', 'prev', 'none', 'tag', ARGV[3], 'block', ARGV[4], 'stands', ARGV[5], 'size', ARGV[6], 'told', '')
  local now = redis.call('TIME')
  redis.call('HSET', KEYS[2], 'gen', ARGV[2], 'tag', ARGV[3], 'id', id, 'block', ARGV[4], 'stands', ARGV[5], 'size', ARGV[6], 'pairs', pairCount, 'beat', now[1] .. '.' .. now[2])
  redis.call('PERSIST', KEYS[3])
  if KEYS[4] ~= KEYS[3] then redis.call('PEXPIRE', KEYS[4], ARGV[7]) end
  redis.call('UNLINK', KEYS[6])
  if pairCount > 0 then
    redis.call('RENAME', KEYS[7], KEYS[6])
    redis.call('PERSIST', KEYS[6])
  end
  return {'OK', id}`

/** Renews the lease, and confirms the head if it is current. KEYS lease head, ARGV token leaseMs isCurrent */
const renew = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  if ARGV[3] == '1' and redis.call('EXISTS', KEYS[2]) == 1 then
    local now = redis.call('TIME')
    redis.call('HSET', KEYS[2], 'beat', now[1] .. '.' .. now[2])
  end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`

/** Releases the lease. KEYS lease, ARGV token */
const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/**
 * Stores a fact, unless a newer measurement is stored, or the number of facts has reached its maximum.
 *
 * KEYS facts factChanges, ARGV key measuredMs value max
 */
const fact = `
  local old = redis.call('HGET', KEYS[1], ARGV[1])
  if old and tonumber(string.match(old, '^%d+')) >= tonumber(ARGV[2]) then return 0 end
  if not old and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
  local value = ARGV[2] .. ' ' .. ARGV[3]
  redis.call('HSET', KEYS[1], ARGV[1], value)
  redis.call('XADD', KEYS[2], 'MAXLEN', '~', 10000, '*', 'key', ARGV[1], 'value', value)
  return 1`

const scripts = { write, flip, renew, release, fact }
type ScriptName = keyof typeof scripts

const hashByName = Object.fromEntries(
  Object.entries(scripts).map(([name, text]) => [name, createHash('sha1').update(text).digest('hex')]),
) as Record<ScriptName, string>

/**
 * Runs a script by its hash. If Redis does not know the script, for example because it was emptied, sends the script's
 * text.
 */
export async function runScript<T>(
  connection: Connection,
  name: ScriptName,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<T> {
  const scriptArguments = [keys.length, ...keys, ...args]
  try {
    return await connection.call<T>('EVALSHA', hashByName[name], ...scriptArguments)
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return connection.call<T>('EVAL', scripts[name], ...scriptArguments)
  }
}
