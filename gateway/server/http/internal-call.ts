// Calls endpoints of the API from inside the gateway, on behalf of a request that already has a token. Abilities, the
// person of the token, fields, buildings and idempotency keys are checked as for an HTTP request, and the responses are
// the same.
import type { Problem } from '../../../shared/messages/refusal.ts'
import { createProblemBody, Refusal } from '../../../shared/messages/refusal.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import { type Context, requireToken } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import type { Answer } from './call.ts'
import { type Endpoint, listRequiredAbilities } from './endpoint.ts'
import { findTokenRefusal } from './middleware/authenticate.ts'
import { recordFailure } from './middleware/errors.ts'
import { API_PREFIX, createCall } from './router.ts'

type QueryValue = string | number | readonly string[] | undefined

export type InternalRequest = {
  params?: Record<string, number>
  query?: Record<string, QueryValue>
  body?: unknown
  /** The idempotency key of a write. */
  key?: string | undefined
}

/** Thrown if the endpoint refused the call. Contains the problem document that a client would get. */
export class InternalCallRefusal extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export class InternalClient {
  readonly ctx: Context
  readonly services: Services
  readonly #endpoints: ReadonlyMap<string, Endpoint>

  constructor(ctx: Context, endpoints: ReadonlyMap<string, Endpoint>, services: Services) {
    this.ctx = ctx
    this.services = services
    this.#endpoints = endpoints
  }

  /** The id of the token's owner; undefined if the token has no owner. */
  get ownerId(): number | undefined {
    return requireToken(this.ctx).userId ?? undefined
  }

  /** Returns whether the token may use all of the named endpoints. */
  allows(names: readonly string[]): boolean {
    return names.every((name) => this.#refusalOf(this.#find(name)) === undefined)
  }

  /** Throws the refusal of the first named endpoint that the token may not use. */
  requireAccess(names: readonly string[]) {
    for (const name of names) this.#requireUse(this.#find(name))
  }

  /** Calls a GET endpoint, and returns the `data` of its response; undefined if the response has no body. */
  async get<Data>(name: string, request: InternalRequest = {}): Promise<Data> {
    return (await this.#call(name, request)).data as Data
  }

  /** Calls a listing endpoint, and returns one page of the listing. */
  async list<Item>(
    name: string,
    request: InternalRequest & { limit: number },
  ): Promise<{ items: Item[]; hasMore: boolean }> {
    const query = { ...request.query, limit: request.limit }
    const { data, answer } = await this.#call(name, { ...request, query })
    return { items: data as Item[], hasMore: answer.headers?.Link !== undefined }
  }

  /** Returns the problem document that a client gets for this failure. Logs failures that are our own bugs. */
  toProblem(error: unknown, ctx = this.ctx): Problem {
    if (error instanceof InternalCallRefusal) return error.problem
    return parseJsonText(createProblemBody(recordFailure(error, ctx, this.services), ctx.state))
  }

  async #call(name: string, request: InternalRequest): Promise<{ data: unknown; answer: Answer }> {
    const endpoint = this.#find(name)
    const ctx = this.#contextOf(endpoint, request)
    try {
      this.#requireUse(endpoint)
      const answer = await endpoint.handle(createCall(ctx, endpoint, this.services))
      if (!answer) throw new Refusal('not_found', endpoint.missing)
      const text = answer.body
      if (text !== null && typeof text !== 'string') throw new Error(`${name} answers with a stream`)
      const body = text === null || text === '' ? {} : JSON.parse(text)
      if (answer.refused) throw new InternalCallRefusal(body)
      return { data: body.data, answer }
    } catch (error) {
      throw error instanceof InternalCallRefusal ? error : new InternalCallRefusal(this.toProblem(error, ctx))
    }
  }

  #requireUse(endpoint: Endpoint) {
    const refusal = this.#refusalOf(endpoint)
    if (refusal) throw refusal
  }

  #refusalOf(endpoint: Endpoint): Refusal | undefined {
    const token = requireToken(this.ctx)
    return findTokenRefusal(token, listRequiredAbilities(endpoint, token.userId !== null), endpoint.personal)
  }

  #find(name: string): Endpoint {
    const endpoint = this.#endpoints.get(name)
    if (!endpoint) throw new Error(`There is no endpoint ${name}`)
    return endpoint
  }

  /** Creates a separate context for this endpoint from the context of the HTTP request. */
  #contextOf({ method, path }: Endpoint, { params = {}, query = {}, body, key }: InternalRequest): Context {
    const { app, req, res, state } = this.ctx
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
    const inner = Object.create(req, {
      method: { value: method },
      url: { value: `${API_PREFIX}${address}?${formatQuery(query)}` },
      headers: { value: key === undefined ? {} : { 'idempotency-key': key } },
    })
    const ctx = app.createContext(inner, res) as unknown as Context
    const { requestId, receivedMs, baseUrl, token, allowance } = state
    ctx.state = { requestId, receivedMs, baseUrl, token, allowance, route: API_PREFIX + path }
    ctx.params = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
    ctx.request.body = body as Context['request']['body']
    return ctx
  }
}

function formatQuery(query: Record<string, QueryValue>): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined) text.append(name, String(each))
  return text.toString()
}
