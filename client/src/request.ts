// Sends a request, and repeats it while its failure may pass: one idempotency key for all of its tries.
import { BerthError, ConnectionError, errorOf } from './errors.ts'

export type ClientOptions = {
  /** The address of the installation: https://desk.example.com */
  url: string
  token: string
  /** How often a request is repeated if it fails for a passing reason; default 4. */
  retries?: number
  /** How long each try may take until its answer begins; default 60 s. */
  timeoutMs?: number
  /** The longest `Retry-After` that the client waits for; default 60 s. A longer one is an error at once, with its `retryAfterMs`. */
  retryAfterMsMax?: number
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

export type RequestOptions = {
  /** Ends the request, its tries and pauses. */
  signal?: AbortSignal | undefined
  /** The key of a write, instead of a random one. Set it to repeat the write after your program has restarted. */
  idempotencyKey?: string
  /** ETag of the resource: the change is refused with 412 if somebody else has changed it since. */
  ifMatch?: string
  headers?: Record<string, string>
  retries?: number
  timeoutMs?: number
  retryAfterMsMax?: number
}

export type Settings = ClientOptions

type QueryValue = string | number | boolean | Date | ReadonlyArray<string | number> | null | undefined

export type Call = {
  method: string
  path: string
  query?: Record<string, QueryValue> | undefined
  json?: unknown
  form?: FormData
  options: RequestOptions
  isFile?: boolean
  /** The answer is not parsed. */
  isText?: boolean
}

export type Sent = { response: Response; content: unknown }

const RETRIES = 4
const TIMEOUT_MS = 60_000
const PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
const RETRY_AFTER_MS_MAX = 60_000
// Timers with a longer delay fire at once.
const TIMER_MS_MAX = 2 ** 31 - 1

const PASSING_STATUSES = [429, 502, 503, 504]
// The first try is still running, or an import is.
const PASSING_CODES = ['no_answer', 'idempotency_key_in_use', 'import_running']

export async function send(settings: Settings, call: Call): Promise<Sent> {
  const { options } = call
  const url = addressOf(settings.url, call)
  const init = { method: call.method, headers: headersOf(settings, call), body: bodyOf(call) }
  const retries = options.retries ?? settings.retries ?? RETRIES
  const pauseMsMax = options.retryAfterMsMax ?? settings.retryAfterMsMax ?? RETRY_AFTER_MS_MAX
  for (let tried = 0; ; tried++) {
    try {
      return await attempt(settings, url, init, call)
    } catch (error) {
      if (tried >= retries || !(error instanceof BerthError) || !mayPass(error)) throw error
      if (error.retryAfterMs !== undefined && error.retryAfterMs > pauseMsMax) throw error
      await pause(error.retryAfterMs ?? backoffMs(tried), options.signal)
    }
  }
}

async function attempt(settings: Settings, url: string, init: RequestInit, call: Call): Promise<Sent> {
  const { signal, timeoutMs = settings.timeoutMs ?? TIMEOUT_MS } = call.options
  signal?.throwIfAborted()
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  const { fetch = globalThis.fetch } = settings
  const signals = AbortSignal.any(signal ? [signal, timeout.signal] : [timeout.signal])
  try {
    const response = await fetch(url, { ...init, signal: signals })
    clearTimeout(timer)
    if (call.isFile && response.ok) return { response, content: await response.blob() }
    const text = await response.text()
    if (!response.ok) throw errorOf(response, text)
    return { response, content: call.isText || text === '' ? text : parse(text, response) }
  } catch (error) {
    if (error instanceof BerthError) throw error
    signal?.throwIfAborted()
    const why = timeout.signal.aborted ? `within ${timeoutMs / 1_000} s` : `: ${describe(error)}`
    throw new ConnectionError(
      `No answer from ${new URL(url).origin}${why.startsWith(':') ? '' : ' '}${why}`,
      error,
    )
  } finally {
    clearTimeout(timer)
  }
}

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const detail = `The answer of ${response.url} is not JSON.`
    throw new BerthError(response.status, 'unexpected_answer', { detail }, response.headers, error)
  }
}

// Node's message is only “fetch failed”; its cause has the reason.
function describe(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error }
  return cause?.message || message
}

const mayPass = ({ status, code }: BerthError) =>
  PASSING_STATUSES.includes(status) || PASSING_CODES.includes(code)

/** Half to all of 0.5, 1, 2, 4 … seconds, so that clients which failed together do not come back together. */
const backoffMs = (tried: number) => Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** tried) * (0.5 + Math.random() / 2)

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      },
      Math.min(ms, TIMER_MS_MAX),
    )
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function addressOf(base: string, { path, query }: Call): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null)
        parameters.append(name, each instanceof Date ? each.toISOString() : String(each))
  return `${base.replace(/\/+$/, '')}${path}${parameters.size > 0 ? `?${parameters}` : ''}`
}

function headersOf(settings: Settings, { method, json, options }: Call): Record<string, string> {
  const { ifMatch, idempotencyKey = randomKey() } = options
  return {
    Authorization: `Bearer ${settings.token}`,
    Accept: 'application/json',
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
    ...options.headers,
  }
}

const bodyOf = ({ json, form }: Call): BodyInit | null =>
  form ?? (json === undefined ? null : JSON.stringify(json))

// Does not use randomUUID, which browsers offer only on https pages.
const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
