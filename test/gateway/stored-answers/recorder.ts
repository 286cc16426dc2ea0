// Sends requests and records the answers: the status, the headers that a client may read, and the exact body.
// Replaces values that differ in each run.
import type { Knex } from 'knex'
import { type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { type ApiAnswer, Client, type RequestOptions } from '../../support/http/http.ts'
import { sendRaw } from '../../support/http/raw-http.ts'

export type Ask = {
  /** Sends a request below /api/v1 with a token of all abilities. Two requests that look the same need a note
   * to distinguish them. */
  (line: string, options?: RequestOptions & { note?: string }): Promise<ApiAnswer>
  /** Sends requests with a token of the given abilities, or without a token. */
  as(
    ...abilities: Ability[]
  ): (line: string, options?: RequestOptions & { note?: string }) => Promise<ApiAnswer>
  /** Sends raw bytes to the port, for requests that no client would send. */
  raw(name: string, ...parts: string[]): Promise<void>
  database: Knex
}

export type RecordedAnswer = {
  request: string
  status: number
  headers: Record<string, string>
  body: string
}

// Headers that depend on the run or the connection, or repeat information in the body.
const OMITTED_HEADERS = new Set(['date', 'keep-alive', 'connection', 'content-length'])
const REQUEST_ID = 'stored-answers'

export async function createRecorder(url: string, database: Knex) {
  const recorded: RecordedAnswer[] = []
  const secretOf = async (abilities: Ability[]) =>
    (await createToken(database, { name: 'stored', abilities, createdBy: 'test' })).token
  const everything = await secretOf(['read', 'user-write', 'object-write', 'booking-write'])

  const askWith =
    (secret: () => Promise<string | undefined>) =>
    async (line: string, { note, headers, ...asked }: RequestOptions & { note?: string } = {}) => {
      const [method = '', path = ''] = line.split(/ (.*)/s)
      const answered = await new Client(url, await secret()).ask(path, {
        ...asked,
        method,
        // Requests no compression, like the known clients of the interface.
        headers: { 'X-Request-Id': REQUEST_ID, 'Accept-Encoding': 'identity', ...headers },
      })
      const request = note === undefined ? line : `${line} (${note})`
      record(request, answered)
      return answered
    }

  function record(request: string, answered: ApiAnswer) {
    if (recorded.some((each) => each.request === request)) throw new Error(`${request} needs a note`)
    recorded.push({
      request: replaceVaryingValues(request),
      status: answered.status,
      headers: selectHeaders(answered),
      body: formatBody(answered),
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

function selectHeaders({ status, headers }: ApiAnswer): Record<string, string> {
  const kept = [...headers].filter(([name]) => !OMITTED_HEADERS.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const isCounted = name === 'ratelimit' || (name === 'retry-after' && status === 429)
      return [name, isCounted ? value.replace(/\d+/g, 'N') : replaceVaryingValues(value)]
    }),
  )
}

function formatBody({ headers, text }: ApiAnswer): string {
  const type = headers.get('Content-Type') ?? ''
  if (type.includes('spreadsheet')) return '(a spreadsheet)'
  const body = replaceVaryingValues(text)
  // Encodes bodies with line breaks, because an entry is a block of lines.
  return body.includes('\n') ? JSON.stringify(body) : body
}

/** Replaces new ids, signatures and timestamps, which differ in each run. */
function replaceVaryingValues(text: string): string {
  return (
    text
      .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g, (id) =>
        id.startsWith('00000000-') ? id : '<uuid>',
      )
      .replace(/signature=[\w.]+/g, 'signature=<signature>')
      .replace(/\.\d{10}\.[\da-f]{16}"/g, '.<signature>"')
      .replace(/"(created_at|finished_at)":"[^"]+"/g, '"$1":"<timestamp>"')
      // Removes the progress of a failed job, which depends on when the job failed.
      .replace(/"state":"failed","progress":(?!100)\d+/g, '"state":"failed","progress":"<less than 100>"')
  )
}
