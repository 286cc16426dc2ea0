// Sends HTTP requests to providers: within a time and a size, without following redirects, never into a private network
// that no setting allows, and with a typed fault for every answer that is not a success.
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type ReachableNetworks, UnreachableHost } from '../../networks/reachable-networks.ts'
import { cutText, toStorableText } from '../../utilities/texts.ts'
import type { RequestOutcome } from '../request-outcomes.ts'
import { type FaultKind, isFault, ProviderFault } from './provider.ts'

export type HttpRequest = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
  /** The person whose calendar the request is about. Faults do not name the address. */
  person?: string | undefined
}
export type HttpAnswer = { status: number; headers: http.IncomingHttpHeaders; text: string }
export type Send = (request: HttpRequest) => Promise<HttpAnswer>

const TIMEOUT_MS = 30_000
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
// A page of a provider is answered within the timeout, so more connections would only run into its limits sooner.
const CONNECTIONS_MAX = 20
const RETRY_AFTER_MS_MAX = 3_600_000
const TEXT_CHARACTERS_MAX = 300
const USER_AGENT = 'Berth-Calendars/1'

/** The code of the fault of an answer that is larger than Berth reads. */
export const ANSWER_TOO_LARGE = 'answer-too-large'

export type Limits = { timeoutMs?: number; answerBytesMax?: number }

/** Called after every request. `date` is the time of the provider, from the `Date` header of its answer. */
export type ObserveRequest = (request: { outcome: RequestOutcome; date?: string | undefined }) => void

/** Sends requests over connections that stay open for the next ones. Returns every answer, whatever its status. */
export class HttpClient {
  readonly #networks: ReachableNetworks
  readonly #timeoutMs: number
  readonly #answerBytesMax: number
  readonly #observe: ObserveRequest | undefined
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX }),
  }

  constructor(
    networks: ReachableNetworks,
    { timeoutMs = TIMEOUT_MS, answerBytesMax = ANSWER_BYTES_MAX }: Limits = {},
    observe?: ObserveRequest,
  ) {
    this.#observe = observe
    this.#networks = networks
    this.#timeoutMs = timeoutMs
    this.#answerBytesMax = answerBytesMax
  }

  readonly send: Send = async (request) => {
    const controller = new AbortController()
    // Limits the total time, even if the answer arrives one byte at a time.
    const timer = setTimeout(() => controller.abort(), this.#timeoutMs)
    try {
      const answer = await this.#start(request, controller.signal).catch((error) => {
        // The provider has closed an idle connection just when it was to be used again.
        if (!(error instanceof StaleConnection)) throw error
        return this.#start(request, controller.signal, { isFresh: true })
      })
      this.#observe?.({ outcome: getOutcome(answer), date: answer.headers.date })
      return answer
    } catch (error) {
      this.#observe?.({ outcome: 'unanswered' })
      if (error instanceof ProviderFault) throw error
      if (error instanceof UnreachableHost) throw new ProviderFault('rejected', error.message)
      const reason = controller.signal.aborted
        ? `no answer within ${this.#timeoutMs / 1_000} s`
        : error instanceof Error
          ? error.message || String((error as NodeJS.ErrnoException).code)
          : String(error)
      throw new ProviderFault('unavailable', hidePerson(request, `${describeTarget(request)}: ${reason}`))
    } finally {
      clearTimeout(timer)
    }
  }

  close() {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #start(
    { method, url, headers, body }: HttpRequest,
    signal: AbortSignal,
    { isFresh = false } = {},
  ): Promise<HttpAnswer> {
    const target = new URL(url)
    if (target.protocol !== 'https:' && target.protocol !== 'http:')
      throw new ProviderFault('rejected', `${target.protocol} is neither http: nor https:`)
    // Node.js looks up names only, so an address is checked here.
    if (isIP(target.hostname.replace(/^\[|\]$/g, ''))) await this.#networks.resolve(target.hostname)
    const { request: start } = target.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const request = start(target, {
        method,
        signal,
        agent: isFresh ? false : this.#agents[target.protocol as 'https:' | 'http:'],
        headers: {
          'User-Agent': USER_AGENT,
          ...headers,
          ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
        },
        lookup: this.#lookUp,
      })
      request.once('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && !isFresh && error.code === 'ECONNRESET'
        reject(isStale ? new StaleConnection() : error)
      })
      request.once('response', (response) => {
        readText(response, this.#answerBytesMax).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          (error) => {
            request.destroy()
            reject(error)
          },
        )
      })
      request.end(body)
    })
  }

  // The connection goes to the address that was checked, without another look-up.
  readonly #lookUp: LookupFunction = (hostname, options, callback) => {
    this.#networks.resolve(hostname).then(
      (checked) =>
        options.all ? callback(null, [checked]) : callback(null, checked.address, checked.family),
      (error) => callback(error, ''),
    )
  }
}

class StaleConnection extends Error {}

async function readText(response: http.IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > bytesMax)
      throw new ProviderFault(
        'rejected',
        `The answer has more than ${bytesMax} bytes, the maximum allowed.`,
        {
          code: ANSWER_TOO_LARGE,
        },
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Leaves out the query, which may contain tokens. */
function describeTarget({ method, url }: HttpRequest): string {
  const { host, pathname } = new URL(url)
  return `${method} ${host}${pathname}`
}

// Faults are logged, and shown on pages.
function hidePerson({ person }: HttpRequest, text: string): string {
  if (person === undefined) return text
  const spellings = [encodeURIComponent(person), person].map((each) => each.replace(/[^\w]/g, '\\$&'))
  return text.replace(new RegExp(spellings.join('|'), 'gi'), 'PERSON')
}

/** The reasons with which Google asks for fewer requests, even in a 403. They concern all calendars that Berth reaches. */
export const THROTTLED_REASONS = [
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
  'calendarLimitsExceeded',
]

const isThrottled = ({ status, headers, text }: HttpAnswer): boolean =>
  status === 429 ||
  (status === 503 && headers['retry-after'] !== undefined) ||
  (status === 403 && THROTTLED_REASONS.some((reason) => text.includes(`"${reason}"`)))

function getOutcome(answer: HttpAnswer): RequestOutcome {
  if (isThrottled(answer)) return 'throttled'
  if (answer.status >= 500) return 'failed'
  return answer.status >= 400 ? 'refused' : 'done'
}

const FAULT_OF_STATUS: Record<number, FaultKind> = {
  401: 'credentials_refused',
  403: 'forbidden',
  404: 'not_found',
  408: 'unavailable',
  409: 'exists',
  410: 'gone',
  412: 'conflict',
  423: 'unavailable',
}

/** What a provider says about a failure in the body of its answer. */
export type FaultBody = {
  kind?: FaultKind
  code?: string
  text?: string
  permission?: string
  isOfProvider?: boolean
}

/** Returns the fault of an answer that is not a success. `readBody` reads what the provider says about it. */
export function createFault(
  request: HttpRequest,
  answer: HttpAnswer,
  readBody: (answer: HttpAnswer) => FaultBody,
): ProviderFault {
  const { status, headers } = answer
  const said = readBody(answer)
  const kind =
    said.kind ??
    (isThrottled(answer) ? 'throttled' : undefined) ??
    FAULT_OF_STATUS[status] ??
    (status >= 500 ? 'unavailable' : 'rejected')
  // Faults are stored as JSON. Postgres refuses JSON that contains a NUL character or half of a surrogate pair.
  const text = toStorableText(hidePerson(request, [said.code, said.text].filter(Boolean).join(': ')))
  const target = hidePerson(request, describeTarget(request))
  return new ProviderFault(kind, `${target}: ${status} ${cutText(text, TEXT_CHARACTERS_MAX)}`.trim(), {
    status,
    ...(said.code && { code: said.code }),
    ...(kind === 'throttled' && { retryAfterMs: parseRetryAfter(headers['retry-after']) }),
    ...(said.isOfProvider && { isOfProvider: true }),
    ...(kind === 'forbidden' && said.permission && { permission: said.permission }),
  })
}

/**
 * Reads Retry-After, in seconds or as a date (RFC 9110). A provider cannot ask for more than an hour. Returns undefined if the
 * provider does not say how long to wait.
 */
export function parseRetryAfter(value: string | undefined, nowMs = Date.now()): number | undefined {
  const seconds = Number(value)
  const ms = value && Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value ?? '') - nowMs
  if (Number.isNaN(ms)) return undefined
  return Math.min(Math.max(ms, 1_000), RETRY_AFTER_MS_MAX)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the JSON of a successful answer. */
export function readJson<Value>({ text, status }: HttpAnswer): Value {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null)
    throw new ProviderFault('unavailable', `The answer with status ${status} is not JSON.`, { status })
  return value as Value
}

/** Does what `work` does, except that one kind of fault is an answer. */
export async function orElse<Value, Other>(
  work: Promise<Value>,
  kinds: FaultKind[],
  other: (fault: ProviderFault) => Other | Promise<Other>,
): Promise<Value | Other> {
  try {
    return await work
  } catch (error) {
    if (isFault(error, ...kinds)) return await other(error)
    throw error
  }
}
