// Defines what an endpoint is. Each endpoint is declared once; the router, the OpenAPI document and the docs
// page are made from it.
import type { Readable } from 'node:stream'
import type * as yup from 'yup'
import {
  type AcceptedJobName,
  type InputOf,
  type JobName,
  jobs,
  type Outcome,
  type ReplyOf,
} from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import type { AnswerContract } from '../../../shared/schemas/answers.ts'
import { object } from '../../../shared/schemas/fields.ts'
import { answerOf } from '../../../shared/schemas/job.ts'
import type { Progress } from '../../../shared/schemas/progress.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import type { LimitedReads } from '../../data/building-limits.ts'
import type { DispatchOptions } from '../../jobs/dispatch.ts'
import type { Upload } from '../../services/context.ts'
import type { Services } from '../../services/services.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const noFields = object({})
export type NoFields = typeof noFields
export type Schema = yup.AnySchema

/** A request that passed every check, as a handler sees it. */
export type Call<Params = unknown, Query = unknown, Body = unknown> = {
  params: Params
  query: Query
  body: Body
  baseUrl: string
  /** The path and query as the client sent them. */
  path: string
  search: string
  /** The resource must have one of these ETags; undefined if any will do. */
  ifMatch: string[] | undefined
  /** When the request arrived. */
  now: string
  /** The address that the request came from. */
  ip: string
  /** Aborted when the client disconnects before it has its answer. */
  signal: AbortSignal
  services: Services
  tokenId: number
  /** The only buildings that exist for the token; null means all. */
  buildingIds: number[] | null
  /** Signs addresses that stand for the token. */
  signingKey: Buffer
  /** The file of a form, if the endpoint takes one. */
  upload: Upload | undefined
  /** The progress of long work; undefined before it starts. */
  progress: Progress | undefined
  /**
   * Reads from a server that has everything this caller has been told, and only what exists for the caller;
   * `work` may run twice.
   */
  read<Result>(work: (connections: LimitedReads) => Promise<Result>): Promise<Result>
  /** Hands a write to the workers and waits for its outcome. */
  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<Outcome<ReplyOf<Name>>>
  /** Hands work to the workers without waiting, for Prefer: respond-async. */
  accept<Name extends AcceptedJobName>(name: Name, input: InputOf<Name>): Promise<Answer>
  wantsAsync: boolean
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

export type Endpoint = {
  method: Method
  path: string
  /** Null if any token will do. */
  ability: Ability | null
  /** Required in addition to `ability`, if the endpoint exposes personal data. */
  alsoNeeds?: Ability
  /** Needs no token: anyone who knows the address may read it. */
  isOpen?: boolean
  /** What a person would call the method of a client. */
  name: string
  tag: string
  summary: string
  description?: string
  params: Schema
  query: Schema
  body?: Schema
  answer: AnswerContract
  /** Its answers have an ETag, so 304 is one of them. */
  hasETag?: boolean
  /** A write whose answers have the ETag that the resource's GET returns from then on. */
  hasETagAfter?: boolean
  /** Honours If-Match, so 412 is one of its answers. */
  takesIfMatch?: boolean
  /** The refusal codes of this endpoint, in addition to those that every endpoint has. */
  refusals: RefusalCode[]
  /** The detail of the 404 if nothing has the path's id. */
  missing: Message
  /** Takes a form with a file instead of JSON. */
  takesFile?: boolean
  /** Answers with a file to download. */
  sendsFile?: boolean
  /** Redirects a browser that has no token. */
  redirectsBrowsers?: boolean
  /** May take long: honours Prefer: respond-async, and keeps a waiting connection alive. */
  isLong?: boolean
  /** A GET that causes work, which HEAD would do in vain. */
  withoutHead?: boolean
  handle(call: Call): Promise<Answer>
}

/** All abilities that a token needs for the endpoint. */
export const abilitiesOf = ({ ability, alsoNeeds }: Pick<Endpoint, 'ability' | 'alsoNeeds'>): Ability[] =>
  [ability, alsoNeeds].filter((each) => each != null)

export type EndpointSpec<Params extends Schema, Query extends Schema, Body extends Schema> = {
  path: string
  ability: Ability | null
  alsoNeeds?: Ability
  isOpen?: boolean
  name: string
  tag: string
  summary: string
  description?: string
  params?: Params
  query?: Query
  body?: Body
  refusals?: RefusalCode[]
  missing?: Message
  takesIfMatch?: boolean
  takesFile?: boolean
  sendsFile?: boolean
  redirectsBrowsers?: boolean
  isLong?: boolean
  withoutHead?: boolean
}

export type CallOf<Params extends Schema, Query extends Schema, Body extends Schema> = Call<
  yup.InferType<Params>,
  yup.InferType<Query>,
  yup.InferType<Body>
>

/**
 * Declares a read: one statement whose finished text is the answer; undefined means that the resource does
 * not exist.
 */
export function read<Params extends Schema = NoFields, Query extends Schema = NoFields>(
  spec: Omit<EndpointSpec<Params, Query, NoFields>, 'body'> & {
    answer: AnswerContract
    find(call: CallOf<Params, Query, NoFields>, connections: LimitedReads): Promise<string | undefined>
  },
): Endpoint {
  const { find, ...rest } = spec
  return completeEndpoint({
    ...rest,
    method: 'GET',
    hasETag: true,
    async handle(call) {
      const body = await call.read((connections) =>
        find(call as CallOf<Params, Query, NoFields>, connections),
      )
      if (body === undefined) throw new Refusal('not_found', spec.missing ?? message`Not found.`)
      const { status, contentTypes = [] } = spec.answer
      return { status, body, contentType: contentTypes[0], hasETag: true }
    },
  })
}

/** Declares a write: its input goes to the workers as a job, and the outcome is the answer. */
export function write<
  Name extends JobName,
  Params extends Schema = NoFields,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  spec: EndpointSpec<Params, Query, Body> & {
    method: Exclude<Method, 'GET'>
    job: Name
    input(call: CallOf<Params, Query, Body>): InputOf<Name>
    /** Makes the ETag of the resource's GET from the ETag that the workers know; the answers carry it. */
    etagAfter?(known: string, call: CallOf<Params, Query, Body>): string
  },
): Endpoint {
  const { job, input, etagAfter, ...rest } = spec
  return completeEndpoint({
    ...rest,
    hasETagAfter: etagAfter !== undefined,
    answer: answerOf(jobs[job]),
    async handle(call) {
      const checked = call as CallOf<Params, Query, Body>
      const outcome = await call.dispatch(job, input(checked))
      if (!etagAfter || outcome.refused || outcome.etag === undefined) return outcome
      return { ...outcome, headers: { ETag: etagAfter(outcome.etag, checked) } }
    },
  })
}

/** Declares any other endpoint: its handler makes the answer. */
export function endpoint<
  Params extends Schema = NoFields,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  spec: EndpointSpec<Params, Query, Body> & {
    method: Method
    answer: AnswerContract
    hasETag?: boolean
    handle(call: CallOf<Params, Query, Body>): Promise<Answer>
  },
): Endpoint {
  return completeEndpoint({ ...spec, handle: (call) => spec.handle(call as CallOf<Params, Query, Body>) })
}

export function completeEndpoint(
  spec: EndpointSpec<Schema, Schema, Schema> &
    Pick<Endpoint, 'method' | 'answer' | 'handle' | 'hasETag' | 'hasETagAfter'>,
): Endpoint {
  return {
    ...spec,
    params: spec.params ?? noFields,
    query: spec.query ?? noFields,
    refusals: spec.refusals ?? [],
    missing: spec.missing ?? message`Not found.`,
  }
}
