// Sends a request, and repeats it after temporary failures. All attempts have the same idempotency key.
import { BerthError, ConnectionError, toBerthError } from './errors.ts'

export type ClientOptions = {
  /** The address of the Berth installation, such as https://desk.example.com */
  url: string
  token: string
  /** How often a request is repeated after temporary failures. Defaults to 4. */
  retries?: number
  /** The maximum time until the response to an attempt begins. Defaults to 60 s. */
  timeoutMs?: number
  /**
   * The longest `Retry-After` that the client waits for. Defaults to 60 s. If the server asks for a longer pause, the
   * client throws the error at once, with its `retryAfterMs`.
   */
  retryAfterMsMax?: number
  /** A function that replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

export type RequestOptions = {
  /** Aborts the request, including its retries and the pauses between them. */
  signal?: AbortSignal | undefined
  /** The idempotency key of a write; random by default. Set it to repeat the write after your program has restarted. */
  idempotencyKey?: string
  /** The ETag of the resource: the change is refused with 412 if somebody else has changed the resource since. */
  ifMatch?: string
  headers?: Record<string, string>
  retries?: number
  timeoutMs?: number
  retryAfterMsMax?: number
}

export type Settings = ClientOptions

type QueryValue = string | number | boolean | Date | ReadonlyArray<string | number> | null | undefined

export type RequestCall = {
  method: string
  path: string
  query?: Record<string, QueryValue> | undefined
  json?: unknown
  form?: FormData
  options: RequestOptions
  isFile?: boolean
  /** Returns the response as unparsed text. */
  isText?: boolean
}

export type HttpExchange = { response: Response; content: unknown }

const RETRIES_DEFAULT = 4
export const TIMEOUT_MS_DEFAULT = 60_000
const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
const RETRY_AFTER_MS_MAX = 60_000
// The maximum delay of a timer. Timers with a longer delay fire at once.
const TIMER_MS_MAX = 2 ** 31 - 1

const TRANSIENT_STATUSES = [429, 502, 503, 504]
// Codes of temporary failures. `…_in_use` and `…_running`: the first attempt, or an import, is still running.
const TRANSIENT_CODES = ['no_answer', 'idempotency_key_in_use', 'import_running']

export async function sendRequest(settings: Settings, call: RequestCall): Promise<HttpExchange> {
  const { options } = call
  const url = buildUrl(settings.url, call)
  const init = { method: call.method, headers: buildHeaders(settings, call), body: encodeBody(call) }
  const retries = options.retries ?? settings.retries ?? RETRIES_DEFAULT
  const pauseMsMax = options.retryAfterMsMax ?? settings.retryAfterMsMax ?? RETRY_AFTER_MS_MAX
  for (let tried = 0; ; tried++) {
    try {
      return await sendOnce(settings, url, init, call)
    } catch (error) {
      if (tried >= retries || !(error instanceof BerthError) || !isTransient(error)) throw error
      if (error.retryAfterMs !== undefined && error.retryAfterMs > pauseMsMax) throw error
      await pause(error.retryAfterMs ?? computeBackoffMs(tried), options.signal)
    }
  }
}

async function sendOnce(
  settings: Settings,
  url: string,
  init: RequestInit,
  call: RequestCall,
): Promise<HttpExchange> {
  const { signal, timeoutMs = settings.timeoutMs ?? TIMEOUT_MS_DEFAULT } = call.options
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
    if (!response.ok) throw toBerthError(response, text)
    return { response, content: call.isText || text === '' ? text : parseBody(text, response) }
  } catch (error) {
    if (error instanceof BerthError) throw error
    signal?.throwIfAborted()
    const why = timeout.signal.aborted ? `within ${timeoutMs / 1_000} s` : `: ${describeError(error)}`
    throw new ConnectionError(
      `No answer from ${new URL(url).origin}${why.startsWith(':') ? '' : ' '}${why}`,
      error,
    )
  } finally {
    clearTimeout(timer)
  }
}

function parseBody(text: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const detail = `The answer of ${response.url} is not JSON.`
    throw new BerthError(response.status, 'unexpected_answer', { detail }, response.headers, error)
  }
}

// The message of Node's error is only “fetch failed”; the error's cause has the reason.
function describeError(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error }
  return cause?.message || message
}

const isTransient = ({ status, code }: BerthError) =>
  TRANSIENT_STATUSES.includes(status) || TRANSIENT_CODES.includes(code)

/**
 * Returns a random pause between half and all of 0.5, 1, 2, 4 … seconds, so that clients that failed together do not
 * retry together.
 */
const computeBackoffMs = (tried: number) =>
  Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** tried) * (0.5 + Math.random() / 2)

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

function buildUrl(base: string, { path, query }: RequestCall): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null)
        parameters.append(name, each instanceof Date ? each.toISOString() : String(each))
  return `${base.replace(/\/+$/, '')}${path}${parameters.size > 0 ? `?${parameters}` : ''}`
}

function buildHeaders(settings: Settings, { method, json, options }: RequestCall): Record<string, string> {
  const { ifMatch, idempotencyKey = createRandomKey() } = options
  return {
    Authorization: `Bearer ${settings.token}`,
    Accept: 'application/json',
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
    ...options.headers,
  }
}

const encodeBody = ({ json, form }: RequestCall): BodyInit | null =>
  form ?? (json === undefined ? null : JSON.stringify(json))

// Does not use randomUUID, which browsers offer only on HTTPS pages.
const createRandomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
