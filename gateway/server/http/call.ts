// A request that passed every check, as its endpoint's handler sees it. Most reads need little of it, so
// anything costly is created on first use.
import type { Readable } from 'node:stream'
import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { IF_MATCH_MAX } from '../../../shared/schemas/inputs.ts'
import type { Progress } from '../../../shared/schemas/progress.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import type { Token } from '../../auth/tokens.ts'
import type { DispatchOptions, Origin } from '../../queue/dispatch.ts'
import { type LimitedReads, readAs } from '../../reads/limits/building-limits.ts'
import type { PersonalUse } from '../../reads/limits/personal-limits.ts'
import { type Context, requireToken } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { plainETag } from './middleware/compress.ts'
import { readIdempotency } from './middleware/idempotency.ts'
import type { Input } from './middleware/validate.ts'

type CalledEndpoint = {
  method: string
  ability: Ability | null
  isLong?: boolean
  personal?: PersonalUse
}

/** What the caller gets: an unchanged outcome, or an answer that the endpoint makes itself. */
export type Answer = {
  status: number
  body: string | Readable | null
  refused?: RefusalCode | undefined
  replayed?: true
  headers?: Record<string, string>
  contentType?: string | undefined
  /** Gets an ETag if it is finished and not too long: known clients poll. */
  hasETag?: boolean
  /** The ETag, if it is not the hash of the whole text. */
  etag?: string
}

export type Call<Params = unknown, Query = unknown, Body = unknown> = RequestCall & {
  params: Params
  query: Query
  body: Body
}

export class RequestCall {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly services: Services
  readonly ctx: Context
  readonly #endpoint: CalledEndpoint
  #signal: AbortSignal | undefined
  progress: Progress | undefined

  constructor(ctx: Context, endpoint: CalledEndpoint, input: Input, services: Services) {
    this.params = input.params
    this.query = input.query
    this.body = input.body
    this.services = services
    this.ctx = ctx
    this.#endpoint = endpoint
  }

  get baseUrl(): string {
    return this.ctx.state.baseUrl
  }

  /** The resource must have one of these ETags; undefined if any will do. */
  get ifMatch(): string[] | undefined {
    return readIfMatch(this.ctx)
  }

  get now(): string {
    return instantOf(this.ctx.state.receivedMs)
  }

  /** Aborted when the client disconnects before it has its answer. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.ctx)
    return this.#signal
  }

  get token(): Token {
    return requireToken(this.ctx)
  }

  get wantsAsync(): boolean {
    return this.#endpoint.isLong === true && /\brespond-async\b/i.test(this.ctx.get('Prefer'))
  }

  /** Runs a read that sees the caller's own writes, and only what exists for the token. `work` may run twice. */
  read<Result>(work: (connections: LimitedReads) => Promise<Result>): Promise<Result> {
    return readAs(this.services.reads, this.token, work, this.#endpoint.personal)
  }

  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<ReplyOf<Name>>> {
    const onProgress = (progress: Progress) => {
      this.progress = progress
    }
    // Only writes use a key: an export that a caller waits for is always made anew, because its file is
    // deleted once it was sent.
    const origin = this.#origin(input, this.#endpoint.method !== 'GET')
    return this.services.dispatcher.dispatch(name, input, origin, { onProgress, ...options })
  }

  async accept<Name extends AcceptedJobName>(name: Name, input: InputOf<Name>): Promise<Answer> {
    const { ability } = this.#endpoint
    // Any token with this ability can see the job.
    if (ability === null) throw new Error('A long-running endpoint must require an ability')
    return this.services.dispatcher.accept(name, input, this.#origin(input, true), ability)
  }

  #origin(input: object, hasKey: boolean): Origin {
    const { requestId, baseUrl, upload } = this.ctx.state
    const { token } = this
    // The same file means the same content, whatever its name and the id that it is stored under.
    const compared = upload ? { ...input, file_id: upload.sha256, filename: undefined } : input
    return {
      ...originOf(token),
      requestId,
      baseUrl,
      receivedAt: this.now,
      idempotency: hasKey ? readIdempotency(this.ctx, this.params, compared) : null,
    }
  }
}

/** What the writes of a token carry: who it is, and what exists for it. */
export function originOf({
  id,
  name,
  buildingIds,
  userId,
}: Token): Pick<Origin, 'actor' | 'buildingIds' | 'userId'> {
  return {
    actor: { type: 'token', id, name },
    ...(buildingIds === null ? {} : { buildingIds }),
    ...(userId === null ? {} : { userId }),
  }
}

/** Aborted when the caller disconnects before the answer is sent, or has done so already. */
export function signalOf(ctx: Context): AbortSignal {
  const { res } = ctx
  const controller = new AbortController()
  const abort = () => {
    if (!res.writableFinished) controller.abort()
  }
  if (res.closed) abort()
  else res.once('close', abort)
  return controller.signal
}

// Every form that an ETag of our states can have, and what may follow it; nothing else ever matches.
const STRONG_ETAG = /^("[\w-]{27})(?:\.[\w.]+)?"$/

// Undefined with `*` too, because what does not exist is 404 anyway. Weak ETags never match (RFC 9110, 13.1.1).
function readIfMatch({ headers }: Pick<Context, 'headers'>): string[] | undefined {
  const header = headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  const etags = header.split(',').flatMap((each) => {
    const [, state] = STRONG_ETAG.exec(plainETag(each.trim())) ?? []
    return state === undefined ? [] : `${state}"`
  })
  return [...new Set(etags)].slice(0, IF_MATCH_MAX)
}
