// Defines what an endpoint is. Each endpoint is declared once; the router, the OpenAPI document and the docs
// page are made from it.
import type * as yup from 'yup'
import { type InputOf, type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { type Message, message } from '../../shared/messages/message.ts'
import type { RefusalCode } from '../../shared/messages/refusal.ts'
import { type AnswerContract, dataAnswer, listAnswer } from '../../shared/schemas/answers.ts'
import { object, pathId } from '../../shared/schemas/fields.ts'
import { answerOf } from '../../shared/schemas/job.ts'
import { paging } from '../../shared/schemas/queries.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import type { Answer, Call } from './call.ts'
import type { Listing } from './listing.ts'
import { findText, type Statement } from './listing.ts'
import { answerListing } from './listing-answers.ts'
import { noFields } from './middleware/validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type NoFields = typeof noFields
export type Schema = yup.AnySchema

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
  /** Undefined if the resource does not exist. */
  handle(call: Call): Promise<Answer | undefined>
}

/** All abilities that a token needs for the endpoint. */
export const abilitiesOf = ({ ability, alsoNeeds }: Pick<Endpoint, 'ability' | 'alsoNeeds'>): Ability[] =>
  [ability, alsoNeeds].filter((each) => each != null)

/** What an endpoint may take from its resource. */
type Common = Partial<Pick<Endpoint, 'ability' | 'tag' | 'missing'>>
type Defaulted = 'params' | 'query' | 'refusals' | keyof Common
type Declared = Omit<Endpoint, keyof Common> & Common

/** Declares the endpoints of a resource; each may override what they have in common. */
export function resource(
  common: Common & { tag: string; ability: Ability | null },
  endpoints: Declared[],
): Endpoint[] {
  return endpoints.map((each) => ({ missing: message`Not found.`, ...common, ...each }))
}

/** The parameters of a path such as `/users/{id}`, which are ids unless the endpoint declares others. */
type IdsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, number> & IdsIn<Rest>
  : unknown

type Spec<Path extends string, Params extends Schema, Query extends Schema, Body extends Schema> = Omit<
  Endpoint,
  Defaulted | 'path' | 'body' | 'method' | 'answer' | 'handle' | 'hasETagAfter'
> &
  Common & { path: Path; params?: Params; query?: Query; body?: Body; refusals?: RefusalCode[] }

type CallOf<Params extends Schema, Query extends Schema, Body extends Schema = NoFields> = Call<
  yup.InferType<Params>,
  yup.InferType<Query>,
  yup.InferType<Body>
>

type ReadSpec<Path extends string, Params extends Schema, Query extends Schema> = Omit<
  Spec<Path, Params, Query, NoFields>,
  'body' | 'hasETag'
> & {
  /** The values of the statement after those of the path. */
  values?(call: CallOf<Params, Query>): unknown[]
}

/** Declares a read of one resource: a statement whose finished text is the answer. */
export function read<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends Schema = NoFields,
>(
  spec: ReadSpec<Path, Params, Query> & {
    answer: Schema
    statement: Statement
    /** Reads more than one row by its index, so it does not share a connection with such reads. */
    isLarge?: boolean
  },
): Declared {
  const { values, statement, isLarge, ...rest } = spec
  const valuesOf = placeholders(spec.path, values)
  return complete({
    ...rest,
    method: 'GET',
    hasETag: true,
    answer: dataAnswer(spec.answer),
    async handle(call) {
      const body = await call.read(({ pool, pointReads }) =>
        findText(isLarge ? pool : pointReads, statement, valuesOf(call)),
      )
      return body === undefined ? undefined : { status: 200, body, hasETag: true }
    },
  })
}

/**
 * Declares a listing. Without `limit` the answer is the whole listing (streamed if it is long); with it, the
 * answer comes in pages joined by a Link header.
 */
export function list<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends yup.ObjectSchema<yup.AnyObject> = NoFields,
>(
  spec: ReadSpec<Path, Params, Query> & {
    item: Schema
    listing: Listing | ((call: CallOf<Params, Query>) => Listing)
  },
): Declared {
  const { item, values, listing, ...rest } = spec
  const valuesOf = placeholders(spec.path, values)
  return complete({
    ...rest,
    query: (spec.query ?? noFields).shape(paging),
    method: 'GET',
    hasETag: true,
    answer: dataAnswer(listAnswer(item)),
    async handle(call) {
      const source = {
        listing: typeof listing === 'function' ? listing(call as CallOf<Params, Query>) : listing,
        values: valuesOf(call),
      }
      const answer = await call.read((connections) => answerListing(source, call, connections))
      return answer && { ...answer, hasETag: true }
    },
  })
}

/** Declares a write: its input goes to the workers as a job, and the outcome is the answer. */
export function write<
  Name extends JobName,
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  spec: Spec<Path, Params, Query, Body> & {
    method: Exclude<Method, 'GET'>
    job: Name
    input(call: CallOf<Params, Query, Body>): InputOf<Name>
    /** Makes the ETag of the resource's GET from the ETag that the workers know; the answers carry it. */
    etagAfter?(known: string, call: CallOf<Params, Query, Body>): string
  },
): Declared {
  const { job, input, etagAfter, ...rest } = spec
  return complete({
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
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  spec: Spec<Path, Params, Query, Body> & {
    method: Method
    answer: AnswerContract
    handle(call: CallOf<Params, Query, Body>): Promise<Answer | undefined>
  },
): Declared {
  return complete({ ...spec, handle: (call) => spec.handle(call as CallOf<Params, Query, Body>) })
}

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

function complete(spec: Omit<Declared, Defaulted> & Partial<Pick<Declared, Defaulted>>): Declared {
  const ids = () => object(Object.fromEntries(namesIn(spec.path).map((name) => [name, pathId()])))
  return { query: noFields, refusals: [], ...spec, params: spec.params ?? ids() }
}

function placeholders<Params extends Schema, Query extends Schema>(
  path: string,
  more: (call: CallOf<Params, Query>) => unknown[] = () => [],
): (call: Call) => unknown[] {
  const names = namesIn(path)
  return (call) => {
    const params = call.params as Record<string, unknown>
    return [...names.map((name) => params[name]), ...more(call as CallOf<Params, Query>)]
  }
}
