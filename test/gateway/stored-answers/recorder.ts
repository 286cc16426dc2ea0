// Sends requests and records the answers: the status, the headers that a client may read and the body to the byte, with
// what differs from run to run taken out.
import type { Knex } from 'knex'
import { type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { type Answered, type Asked, Client } from '../../support/http/http.ts'
import { sendRaw } from '../../support/http/raw-http.ts'

export type Ask = {
  /** A request with a token of all abilities, below /api/v1. Requests that look the same need a note. */
  (line: string, options?: Asked & { note?: string }): Promise<Answered>
  /** The same with a token of these abilities, or with none. */
  as(...abilities: Ability[]): (line: string, options?: Asked & { note?: string }) => Promise<Answered>
  /** Bytes to the port, for what no client would send. */
  raw(name: string, ...parts: string[]): Promise<void>
  database: Knex
}

export type Recorded = { request: string; status: number; headers: Record<string, string>; body: string }

// Of this run, of the connection, or said by the body.
const LEFT_OUT = new Set(['date', 'keep-alive', 'connection', 'content-length'])
const REQUEST_ID = 'stored-answers'

export async function createRecorder(url: string, database: Knex) {
  const recorded: Recorded[] = []
  const secretOf = async (abilities: Ability[]) =>
    (await createToken(database, { name: 'stored', abilities, createdBy: 'test' })).token
  const everything = await secretOf(['read', 'user-write', 'object-write', 'booking-write'])

  const askWith =
    (secret: () => Promise<string | undefined>) =>
    async (line: string, { note, headers, ...asked }: Asked & { note?: string } = {}) => {
      const [method = '', path = ''] = line.split(/ (.*)/s)
      const answered = await new Client(url, await secret()).ask(path, {
        ...asked,
        method,
        // Known clients of this interface ask for no compression.
        headers: { 'X-Request-Id': REQUEST_ID, 'Accept-Encoding': 'identity', ...headers },
      })
      const request = note === undefined ? line : `${line} (${note})`
      record(request, answered)
      return answered
    }

  function record(request: string, answered: Answered) {
    if (recorded.some((each) => each.request === request)) throw new Error(`${request} needs a note`)
    recorded.push({
      request: stable(request),
      status: answered.status,
      headers: headersOf(answered),
      body: bodyOf(answered),
    })
  }

  const ask: Ask = Object.assign(
    askWith(async () => everything),
    {
      as: (...abilities: Ability[]) =>
        askWith(async () => (abilities.length > 0 ? secretOf(abilities) : undefined)),
      async raw(name: string, ...parts: string[]) {
        const { hostname } = new URL(url)
        const bytes = parts.map((part) => part.replace('<host>', hostname).replace('<token>', everything))
        record(name, await sendRaw(url, bytes))
      },
      database,
    },
  )
  return { ask, recorded }
}

function headersOf({ status, headers }: Answered): Record<string, string> {
  const kept = [...headers].filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const isCounted = name === 'ratelimit' || (name === 'retry-after' && status === 429)
      return [name, isCounted ? value.replace(/\d+/g, 'N') : stable(value)]
    }),
  )
}

function bodyOf({ headers, text }: Answered): string {
  const type = headers.get('Content-Type') ?? ''
  if (type.includes('spreadsheet')) return '(a spreadsheet)'
  const body = stable(text)
  // An entry is a block of lines.
  return body.includes('\n') ? JSON.stringify(body) : body
}

/** Ids and signatures that were made just now, and when something was done by the database's clock. */
function stable(text: string): string {
  return (
    text
      .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g, (id) =>
        id.startsWith('00000000-') ? id : '<uuid>',
      )
      .replace(/signature=[\w.]+/g, 'signature=<signature>')
      .replace(/\.\d{10}\.[\da-f]{16}"/g, '.<signature>"')
      .replace(/"(created_at|finished_at)":"[^"]+"/g, '"$1":"<timestamp>"')
      // A job that failed stays where it was, of which it tells beside its work.
      .replace(/"state":"failed","progress":(?!100)\d+/g, '"state":"failed","progress":"<less than 100>"')
  )
}
