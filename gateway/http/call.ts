// A request that passed every check, as its endpoint's handler sees it. Most reads need little of it, so
// anything costly is created on first use.

import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import { instantOf } from '../../shared/utilities/date-times.ts'
import type { LimitedReads } from '../data/building-limits.ts'
import { readAs } from '../data/read-as.ts'
import type { DispatchOptions, Origin } from '../jobs/dispatch.ts'
import { type Context, requireToken, type Upload } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { readIfMatch } from './etags.ts'
import type { Answer, Call, Endpoint } from './kit/endpoint.ts'
import { readIdempotency } from './middleware/idempotency.ts'
import type { Input } from './middleware/validate.ts'

export class RequestCall implements Call {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly services: Services
  readonly #ctx: Context
  readonly #endpoint: Endpoint
  #signal: AbortSignal | undefined
  #progress: Progress | undefined

  constructor(ctx: Context, endpoint: Endpoint, input: Input, services: Services) {
    this.params = input.params
    this.query = input.query
    this.body = input.body
    this.services = services
    this.#ctx = ctx
    this.#endpoint = endpoint
  }

  get baseUrl(): string {
    return this.#ctx.state.baseUrl
  }

  get path(): string {
    return this.#ctx.path
  }

  get search(): string {
    return this.#ctx.querystring
  }

  get ifMatch(): string[] | undefined {
    return readIfMatch(this.#ctx)
  }

  get now(): string {
    return instantOf(this.#ctx.state.receivedMs)
  }

  get ip(): string {
    return this.#ctx.ip
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#ctx)
    return this.#signal
  }

  get tokenId(): number {
    return requireToken(this.#ctx).id
  }

  get buildingIds(): number[] | null {
    return requireToken(this.#ctx).buildingIds
  }

  get signingKey(): Buffer {
    return requireToken(this.#ctx).signingKey
  }

  get upload(): Upload | undefined {
    return this.#ctx.state.upload
  }

  get progress(): Progress | undefined {
    return this.#progress
  }

  get wantsAsync(): boolean {
    return this.#endpoint.isLong === true && /\brespond-async\b/i.test(this.#ctx.get('Prefer'))
  }

  read<Result>(work: (connections: LimitedReads) => Promise<Result>): Promise<Result> {
    return readAs(this.services.reads, requireToken(this.#ctx), work)
  }

  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<ReplyOf<Name>>> {
    const onProgress = (progress: Progress) => {
      this.#progress = progress
    }
    // Only writes use a key: an export that a caller waits for is always made anew, because its file is
    // deleted once it was sent.
    const origin = this.#origin(input, this.#endpoint.method !== 'GET')
    return this.services.dispatcher.dispatch(name, input, origin, { onProgress, ...options })
  }

  async accept<Name extends AcceptedJobName>(name: Name, input: InputOf<Name>): Promise<Answer> {
    const { dispatcher } = this.services
    const { ability } = this.#endpoint
    // Any token with this ability can see the job.
    if (ability === null) throw new Error('A long-running endpoint must require an ability')
    return dispatcher.accept(name, input, this.#origin(input, true), ability)
  }

  #origin(input: object, hasKey: boolean): Origin {
    const { requestId, baseUrl, upload } = this.#ctx.state
    const { id, name, buildingIds } = requireToken(this.#ctx)
    // The same file means the same content, whatever its name and the id that it is stored under.
    const compared = upload ? { ...input, file_id: upload.sha256, filename: undefined } : input
    return {
      actor: { type: 'token', id, name },
      ...(buildingIds === null ? {} : { buildingIds }),
      requestId,
      baseUrl,
      receivedAt: this.now,
      idempotency: hasKey ? readIdempotency(this.#ctx, this.params, compared) : null,
    }
  }
}

/**
 * Aborted when the caller disconnects before the answer is sent; at once if the caller has already
 * disconnected.
 */
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
