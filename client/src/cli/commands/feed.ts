// Prints the change feed, and sends its changes to a program on this computer, the way the server sends webhooks.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Client } from '../../client.ts'
import { SAMPLES, WEBHOOK_TYPES } from '../../generated/samples.ts'
import type { Change } from '../../generated/schemas.ts'
import { signWebhook } from '../../webhooks.ts'
import { type Command, type CommandInput, UsageError } from '../terminal/command.ts'
import { connectToServer, loadConfig, saveConfig } from '../terminal/config.ts'
import { print, printNote, toPrintable } from '../terminal/terminal.ts'
import { formatTime } from '../terminal/times.ts'

// Retries without limit, so that following the feed continues after a restart of the server.
const UNLIMITED_RETRIES = { retries: Number.POSITIVE_INFINITY, retryAfterMsMax: Number.POSITIVE_INFINITY }
const DELIVERY_MS_MAX = 10_000

type Resource = Change['type']
export const RESOURCE_TYPES = [...new Set(WEBHOOK_TYPES.map((type) => type.split('.')[0] ?? ''))].filter(
  (type) => type !== 'webhook',
)

export const changesCommand: Command = {
  name: 'changes',
  summary: 'Prints what changes: bookings, events, people, places.',
  text: `Without a cursor it starts now. With --json, each change is one line.`,
  options: {
    follow: { text: 'Waits for more, until you press Ctrl-C.' },
    types: { value: 'LIST', text: `Only these, separated by commas: ${RESOURCE_TYPES.join(', ')}.` },
    after: { value: 'CURSOR', text: 'Continues after this cursor, which the command prints at its end.' },
    'cursor-file': { value: 'FILE', text: 'Reads the cursor from this file, and keeps it there.' },
  },
  examples: [
    'berth changes --follow',
    'berth changes --follow --types booking --json --cursor-file cursor.txt',
  ],
  async run(given) {
    const file = given.option('cursor-file')
    const types = readResources(given.option('types'))
    const after = given.option('after') || (file && readCursor(file)) || undefined
    const isEndless = given.flag('follow')
    const feed = connectToServer(given, isEndless ? UNLIMITED_RETRIES : {}).changes.follow({
      after,
      types,
      waitSeconds: isEndless ? 25 : 0,
      signal: given.signal,
    })
    for await (const { data, next } of feed) {
      for (const change of data) print(given.flag('json') ? JSON.stringify(change) : describeChange(change))
      if (file) writeFileSync(file, `${next}\n`)
      if (isEndless || data.length > 0) continue
      if (!file) printNote(`To continue: berth changes --after ${next}`)
      return
    }
  },
}

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Sends changes to a program on this computer, signed as webhooks are.',
  text: 'Your server needs no public address: the command follows the change feed. Each change is sent once; the secret stays the same.',
  options: {
    'forward-to': { value: 'URL', text: 'Where to send: http://localhost:8080/hook' },
    types: { value: 'LIST', text: 'Such as booking.created,event.* and * for all (default).' },
    after: { value: 'CURSOR', text: 'Sends what has changed since then, too.' },
  },
  examples: ['berth listen --forward-to http://localhost:8080/hook --types booking.*'],
  async run(given) {
    const url = given.option('forward-to')
    if (!url || !URL.canParse(url)) throw new UsageError('--forward-to needs the address of your program.')
    const patterns = (given.option('types') ?? '*').split(',').map((each) => each.trim())
    for (const pattern of patterns)
      if (!WEBHOOK_TYPES.some((type) => matchesPatterns(type, [pattern])))
        throw createUnknownTypeError(pattern)
    const secret = storeSecret({ forwardTo: url })
    const berth = connectToServer(given, UNLIMITED_RETRIES)
    printNote(`Secret: ${secret}`)
    for await (const { data, next } of followChanges(berth, given)) {
      for (const change of data) {
        const message = toMessage(change)
        if (matchesPatterns(message.type, patterns)) await deliver(url, secret, message)
      }
      if (data.length === 0) printNote(`Listening. Cursor: ${next}`)
    }
  },
}

/** Yields the first response, and later responses that contain changes. */
async function* followChanges(berth: Client, given: CommandInput) {
  let isFirst = true
  for await (const answer of berth.changes.follow({ after: given.option('after'), signal: given.signal })) {
    if (isFirst || answer.data.length > 0) yield answer
    isFirst = false
  }
}

export const triggerCommand: Command = {
  name: 'trigger',
  summary:
    'Sends a sample event to your program, signed as webhooks are. The server is not asked, and nothing is changed.',
  takes: ['TYPE'],
  text: `Types: ${RESOURCE_TYPES.map((type) => `${type}.created`).join(', ')} … and webhook.test.`,
  options: {
    'forward-to': { value: 'URL', text: 'Where to send; default: as the last `berth listen`.' },
  },
  examples: [
    'berth trigger booking.created',
    'berth trigger user.deactivated --forward-to http://localhost:8080/hook',
  ],
  async run(given) {
    const [type = ''] = given.positionals
    if (!WEBHOOK_TYPES.includes(type)) throw createUnknownTypeError(type)
    const url = given.option('forward-to') || loadConfig().forwardTo
    if (!url || !URL.canParse(url)) throw new UsageError('--forward-to needs the address of your program.')
    const secret = storeSecret({})
    const isDelivered = await deliver(url, secret, createSample(type))
    if (!isDelivered)
      throw new Error(`Your program did not take it. It must verify with this secret: ${secret}`)
  },
}

const createUnknownTypeError = (type: string) =>
  new UsageError(`“${type}” is no type of event. Write booking.created or user.updated, say.`)

function readResources(list: string | undefined): Resource[] | undefined {
  const types = list?.split(',').map((each) => each.trim())
  for (const type of types ?? [])
    if (!RESOURCE_TYPES.includes(type))
      throw new UsageError(`--types takes some of ${RESOURCE_TYPES.join(', ')}.`)
  return types as Resource[] | undefined
}

function readCursor(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function describeChange({ timestamp, type, action, id, actor, data, previous }: Change): string {
  const resource = (data ?? previous) as {
    name?: string
    bookable?: { name: string }
    user?: { name: string }
  } | null
  const name = resource?.name ?? [resource?.bookable?.name, resource?.user?.name].filter(Boolean).join(', ')
  return toPrintable(`${formatTime(timestamp)}  ${type}.${action}  ${id}  ${name}  (by ${actor.name})`)
}

function matchesPatterns(type: string, patterns: string[]): boolean {
  const [resource] = type.split('.')
  return patterns.some((pattern) => ['*', `${resource}.*`, type].includes(pattern))
}

type Message = { type: string; sequence: number; id: number; timestamp: string; [member: string]: unknown }

/** Returns the body of a webhook, with its members in the server's order. */
const toMessage = ({
  type,
  timestamp,
  sequence,
  action,
  id,
  actor,
  request_id,
  data,
  previous,
}: Change): Message => ({
  type: `${type}.${action}`,
  timestamp,
  sequence,
  action,
  id,
  actor,
  request_id,
  data,
  previous,
})

function createSample(type: string): Message {
  const [resource = '', action = ''] = type.split('.')
  const sample = SAMPLES[resource] ?? null
  const isTest = resource === 'webhook'
  const isNew = isTest || action === 'created'
  return {
    type,
    timestamp: new Date().toISOString().replace('Z', '000Z'),
    sequence: isTest ? 0 : Math.floor(Date.now() / 1_000),
    action,
    id: (sample as { id?: number } | null)?.id ?? 1,
    actor: isTest ? null : { type: 'token', id: 1, name: 'berth trigger' },
    request_id: isTest ? null : randomBytes(16).toString('hex'),
    data: action === 'deleted' ? null : sample,
    previous: isNew ? null : sample,
  }
}

function storeSecret(changes: { forwardTo?: string }): string {
  const secret = loadConfig().secret ?? `whsec_${randomBytes(24).toString('base64')}`
  saveConfig({ ...changes, secret })
  return secret
}

/** Delivers a message and prints the result. Returns true if the program accepted it: 2xx within 10 s. */
async function deliver(url: string, secret: string, message: Message): Promise<boolean> {
  const body = JSON.stringify(message)
  const startedMs = performance.now()
  const say = (result: string) =>
    print(`${message.type}  ${message.id}  ${result}  ${Math.round(performance.now() - startedMs)} ms`)
  // The same change always gets the same message id, as on the server.
  const seed = `${message.type} ${message.id} ${message.sequence} ${message.timestamp}`
  const id = `msg_${createHash('sha256').update(seed).digest('hex').slice(0, 32)}`
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(DELIVERY_MS_MAX),
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Berth-Webhooks/1',
        ...(await signWebhook({ id, body, secret })),
      },
      body,
    })
    await response.body?.cancel()
    say(String(response.status))
    return response.ok
  } catch (error) {
    const { message: text, cause } = error as Error & { cause?: Error }
    say(`failed: ${cause?.message || text}`)
    return false
  }
}
