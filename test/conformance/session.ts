// A run of the kit against a server. Sends requests, records them for the report, and finally deletes the created data.
import { type Json, type Shape, show } from './shapes.ts'

export type Target = {
  /** The {base_url} of the interface. */
  url: string
  /** A token with all four abilities. */
  token: string
  /** A token with only the ability `read`. If absent, the limits of abilities are not checked. */
  readToken?: string | undefined
  /**
   * A token with all four abilities that is limited to buildings. If absent, the limits of such tokens are not checked.
   */
  limitedToken?: string | undefined
  /** The floor plan of the first location with a flexible desk. If absent, only the documented size is checked. */
  plan?: Uint8Array | undefined
}

export type SessionRequest = {
  method: string
  path: string
  body?: unknown
  token?: string | null
  form?: FormData
}
export type Exchange = {
  sent: SessionRequest
  status: number
  headers: Headers
  bytes: Uint8Array
  text: string
  json: Json | undefined
}
type Options = Pick<SessionRequest, 'token' | 'form'> & { headers?: Record<string, string> }

/** A rule that the server breaks: the expected and the actual value. */
export class DeviationError extends Error {
  readonly expected: string
  readonly got: string
  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
  }
}

/** Thrown if the server has no data with which the rule can be checked. */
export class SkippedError extends Error {}

export class Session {
  readonly target: Target
  readonly #left: Array<{ what: string; remove: () => Promise<Exchange> }> = []
  readonly #kept: string[] = []
  exchanges: Exchange[] = []

  constructor(target: Target) {
    this.target = { ...target, url: target.url.replace(/\/$/, '') }
  }

  async ask(line: string, body?: unknown, options: Options = {}): Promise<Exchange> {
    const [method = '', path = ''] = line.split(' ')
    const token = options.token === undefined ? this.target.token : options.token
    const response = await fetch(`${this.target.url}/api/v1/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      body: options.form ?? (body === undefined ? null : JSON.stringify(body)),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const exchange = {
      sent: { method, path, body },
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: parse(text),
    }
    this.exchanges.push(exchange)
    return exchange
  }

  /** Expects a read to return 200 with this shape. */
  async read(path: string, shape: Shape): Promise<Json | undefined> {
    return this.answered(await this.ask(`GET ${path}`), 200, shape)
  }

  answered({ status, json, text }: Exchange, expected: number, shape?: Shape): Json | undefined {
    if (status !== expected)
      throw new DeviationError(`status ${expected}`, `${status}: ${text.slice(0, 300)}`)
    const problems = shape?.(json, 'body') ?? []
    if (problems.length > 0)
      throw new DeviationError('the fields of the interface', problems.slice(0, 5).join('; '))
    return json
  }

  /** Accepts any 4xx status, because the interface does not specify which. */
  refused({ status, text }: Exchange, why: string): void {
    if (status < 400 || status > 499)
      throw new DeviationError(`4xx: ${why}`, `${status}: ${text.slice(0, 300)}`)
  }

  must(holds: boolean, expected: string, got: Json | undefined): void {
    if (!holds) throw new DeviationError(expected, show(got))
  }

  /** Registers a created resource that is deleted after all checks. */
  deleteLater(what: string, remove: () => Promise<Exchange>): void {
    this.#left.push({ what, remove })
  }

  /** Reports a created resource that cannot be deleted. */
  leaves(what: string): void {
    this.#kept.push(what)
  }

  /** Deletes the created resources, and returns those that could not be deleted. */
  async deleteCreated(): Promise<string[]> {
    const kept = [...this.#kept]
    for (const { what, remove } of this.#left.reverse()) {
      const { status } = await remove()
      if (status >= 400 && status !== 404) kept.push(`${what} (${status})`)
    }
    return kept
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
