// A request that has passed every check, as the handler of its endpoint receives it. Most reads need little
// of the request, so costly values are created on first use.
import type { Readable } from 'node:stream'
import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { IF_MATCH_ETAGS_MAX } from '../../../shared/schemas/inputs.ts'
import type { Progress } from '../../../shared/schemas/progress.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import type { Token } from '../../auth/tokens.ts'
import type { AttemptOrigin, DispatchOptions } from '../../queue/dispatch.ts'
import { type LimitedReads, readAsToken } from '../../reads/limits/building-limits.ts'
import type { PersonalUse } from '../../reads/limits/personal-limits.ts'
import { type Context, requireToken } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { toUncompressedETag } from './middleware/compress.ts'
import { readIdempotency } from './middleware/idempotency.ts'
import type { RequestInput } from './middleware/validate.ts'

type CalledEndpoint = {
  method: string
  ability: Ability | null
  isLong?: boolean
  personal?: PersonalUse
}

/** The response to the caller: a worker's outcome, or a response that the endpoint creates itself. */
export type Answer = {
  status: number
  body: string | Readable | null
  refused?: RefusalCode | undefined
  replayed?: true
  headers?: Record<string, string>
  contentType?: string | undefined
  /** Whether a finished response that is not too long gets an ETag. Set for endpoints that clients are known
   * to poll. */
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

  constructor(ctx: Context, endpoint: CalledEndpoint, input: RequestInput, services: Services) {
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

  /** Returns the ETags of the If-Match header, one of which the resource must have. Returns undefined if any
   * ETag is accepted. */
  get ifMatch(): string[] | undefined {
    return readIfMatch(this.ctx)
  }

  get now(): string {
    return formatInstant(this.ctx.state.receivedMs)
  }

  /** Aborted when the client disconnects before it has the response. */
  get signal(): AbortSignal {
    this.#signal ??= createAbortSignal(this.ctx)
    return this.#signal
  }

  get token(): Token {
    return requireToken(this.ctx)
  }

  get wantsAsync(): boolean {
    return this.#endpoint.isLong === true && /\brespond-async\b/i.test(this.ctx.get('Prefer'))
  }

  /**
   * Runs a read that sees the caller's own writes, and only what the token may see. `work` may run twice, so it must be
   * safe to repeat.
   */
  read<Result>(work: (connections: LimitedReads) => Promise<Result>): Promise<Result> {
    return readAsToken(this.services.reads, this.token, work, this.#endpoint.personal)
  }

  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<ReplyOf<Name>>> {
    const onProgress = (progress: Progress) => {
      this.progress = progress
    }
    // Only writes use an idempotency key. An export whose caller waits is always created again, because its
    // file is deleted after it is sent.
    const origin = this.#origin(input, this.#endpoint.method !== 'GET')
    return this.services.dispatcher.dispatch(name, input, origin, { onProgress, ...options })
  }

  async accept<Name extends AcceptedJobName>(name: Name, input: InputOf<Name>): Promise<Answer> {
    const { ability } = this.#endpoint
    // Accepts a job. Any token with the endpoint's ability can see the job.
    if (ability === null) throw new Error('A long-running endpoint must require an ability')
    return this.services.dispatcher.accept(name, input, this.#origin(input, true), ability)
  }

  #origin(input: object, hasKey: boolean): AttemptOrigin {
    const { requestId, baseUrl, upload } = this.ctx.state
    const { token } = this
    // Compares uploads by their content, ignoring their names and stored ids.
    const compared = upload ? { ...input, file_id: upload.sha256, filename: undefined } : input
    return {
      ...findAttemptOrigin(token),
      requestId,
      baseUrl,
      receivedAt: this.now,
      idempotency: hasKey ? readIdempotency(this.ctx, this.params, compared) : null,
    }
  }
}

/** Returns to whom the token's writes are attributed, and to which buildings the writes are limited. */
export function findAttemptOrigin({
  id,
  name,
  buildingIds,
  userId,
}: Token): Pick<AttemptOrigin, 'actor' | 'buildingIds' | 'userId'> {
  return {
    actor: { type: 'token', id, name },
    ...(buildingIds === null ? {} : { buildingIds }),
    ...(userId === null ? {} : { userId }),
  }
}

/**
 * Returns a signal that is aborted when the caller disconnects before the response is sent, or has already
 * disconnected.
 */
export function createAbortSignal(ctx: Context): AbortSignal {
  const { res } = ctx
  const controller = new AbortController()
  const abort = () => {
    if (!res.writableFinished) controller.abort()
  }
  if (res.closed) abort()
  else res.once('close', abort)
  return controller.signal
}

// Matches every form of Berth's ETags, and the suffixes that may follow. No other ETag ever matches a
// resource.
const STRONG_ETAG = /^("[\w-]{27})(?:\.[\w.]+)?"$/

// Reads the If-Match header. Also returns undefined for `*`, because a resource that does not exist is
// answered with 404 anyway. Weak ETags never match (RFC 9110, section 13.1.1).
function readIfMatch({ headers }: Pick<Context, 'headers'>): string[] | undefined {
  const header = headers['if-match']
  if (header === undefined || header.trim() === '*') return undefined
  const etags = header.split(',').flatMap((each) => {
    const [, state] = STRONG_ETAG.exec(toUncompressedETag(each.trim())) ?? []
    return state === undefined ? [] : `${state}"`
  })
  return [...new Set(etags)].slice(0, IF_MATCH_ETAGS_MAX)
}
