// One run against a server: it sends requests, records them for the report, and knows what it must delete afterwards.
import { type Json, type Shape, show } from './shapes.ts'

export type Target = {
  /** {base_url} of the interface. */
  url: string
  /** A token of all four abilities. */
  token: string
  /** One of the ability `read` alone; without it what abilities forbid is not checked. */
  readToken?: string | undefined
  /** One of all four abilities, limited to buildings; without it what such tokens must not see is not checked. */
  limitedToken?: string | undefined
  /** The floor plan of the first location with a flexible desk; without it only its size is checked. */
  plan?: Uint8Array | undefined
}

export type Sent = { method: string; path: string; body?: unknown; token?: string | null; form?: FormData }
export type Exchange = {
  sent: Sent
  status: number
  headers: Headers
  bytes: Uint8Array
  text: string
  json: Json | undefined
}
type Options = Pick<Sent, 'token' | 'form'> & { headers?: Record<string, string> }

/** A rule that does not hold: what was expected, and what came. */
export class Deviation extends Error {
  readonly expected: string
  readonly got: string
  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
  }
}

/** There is nothing at this server to check the rule with. */
export class Skipped extends Error {}

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

  /** A read that must be answered with 200 and this. */
  async read(path: string, shape: Shape): Promise<Json | undefined> {
    return this.answered(await this.ask(`GET ${path}`), 200, shape)
  }

  answered({ status, json, text }: Exchange, expected: number, shape?: Shape): Json | undefined {
    if (status !== expected) throw new Deviation(`status ${expected}`, `${status}: ${text.slice(0, 300)}`)
    const problems = shape?.(json, 'body') ?? []
    if (problems.length > 0)
      throw new Deviation('the fields of the interface', problems.slice(0, 5).join('; '))
    return json
  }

  /** The interface does not say with which status: any of 4xx will do. */
  refused({ status, text }: Exchange, why: string): void {
    if (status < 400 || status > 499) throw new Deviation(`4xx: ${why}`, `${status}: ${text.slice(0, 300)}`)
  }

  must(holds: boolean, expected: string, got: Json | undefined): void {
    if (!holds) throw new Deviation(expected, show(got))
  }

  /** What was made, and is taken away when all is checked. */
  owes(what: string, remove: () => Promise<Exchange>): void {
    this.#left.push({ what, remove })
  }

  /** What was made and cannot be taken away. */
  leaves(what: string): void {
    this.#kept.push(what)
  }

  /** What could not be taken away. */
  async takeAway(): Promise<string[]> {
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
