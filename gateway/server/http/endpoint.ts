// Defines what an endpoint is. Each endpoint is declared once; the router, the OpenAPI document and the docs
// page are made from it.
import type * as yup from 'yup'
import { type InputOf, type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { type AnswerContract, contractOf, list as listOf } from '../../../shared/schemas/answers.ts'
import { answerOf } from '../../../shared/schemas/job.ts'
import { paging } from '../../../shared/schemas/queries.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import type { Database } from '../../reads/limits/building-limits.ts'
import type { ForPersonalTokens } from '../../reads/limits/personal-limits.ts'
import type { Answer, Call } from './call.ts'
import { findText, type Listing, type ListingDefinition, prepareListing, type Statement } from './listing.ts'
import { answerListing } from './listing-answers.ts'
import { noFields } from './middleware/validate.ts'
import { type IdsIn, idsIn, namesIn } from './path-ids.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type NoFields = typeof noFields
type Schema = yup.AnySchema

export type Endpoint = ForPersonalTokens & {
  method: Method
  path: string
  /** The start of its path and the types of its body, if it is not part of the API. */
  protocol?: { base: string; bodyTypes: readonly string[] }
  /** Null if any token will do. */
  ability: Ability | null
  /** Required in addition to `ability`, if the endpoint exposes personal data. */
  alsoNeeds?: Ability
  /** Needs no token: anyone who knows the address may read it. */
  isOpen?: boolean
  name: string
  tag: string
  summary: string
  description?: string
  params: Schema
  query: Schema
  body?: Schema
  answer: AnswerContract
  hasETag?: boolean
  /** A write whose answers have the ETag that the resource's GET returns from then on. */
  hasETagAfter?: boolean
  /** Honours If-Match, so 412 is one of its answers. */
  takesIfMatch?: boolean
  /** The refusal codes of this endpoint, in addition to those that every endpoint has. */
  refusals: RefusalCode[]
  missing: Message
  takesFile?: boolean
  sendsFile?: boolean
  /** Redirects a browser that has no token. */
  redirectsBrowsers?: boolean
  /** May take long: honours Prefer: respond-async, and keeps a waiting connection alive. */
  isLong?: boolean
  /** A POST that only reads: its question is too long for a query. */
  isRead?: boolean
  /** The endpoint works at least until the date `sunset`. */
  deprecation?: { since: string; sunset: string }
  /** A GET that causes work, which HEAD would do in vain. */
  withoutHead?: boolean
  handle(call: Call): Promise<Answer | undefined>
}

export const isWrite = ({ method, isRead }: Pick<Endpoint, 'method' | 'isRead'>) =>
  method !== 'GET' && !isRead

export const abilitiesOf = ({ ability, alsoNeeds }: Pick<Endpoint, 'ability' | 'alsoNeeds'>): Ability[] =>
  [ability, alsoNeeds].filter((each) => each != null)

/** What an endpoint may take from its resource. */
type Common = Partial<Pick<Endpoint, 'ability' | 'tag' | 'missing'>>
type Declared = Omit<Endpoint, keyof Common | 'name'> & Common

const NOT_FOUND = message`Not found.`
/** Declares the endpoints of a resource, each by its name; each may override what they have in common. */
export function resource(common: Common & Pick<Endpoint, 'tag' | 'ability'>) {
  return (endpoints: Record<string, Declared>): Endpoint[] =>
    Object.entries(endpoints).map(([name, each]) => ({ missing: NOT_FOUND, ...common, ...each, name }))
}

type Spec<Params extends Schema, Query extends Schema, Body extends Schema = NoFields> = Pick<
  Endpoint,
  'summary'
> &
  Partial<Omit<Endpoint, 'name' | 'method' | 'path' | 'params' | 'query' | 'body' | 'answer' | 'handle'>> & {
    params?: Params
    query?: Query
    body?: Body
  }

type CallOf<Params extends Schema, Query extends Schema, Body extends Schema = NoFields> = Call<
  yup.InferType<Params>,
  yup.InferType<Query>,
  yup.InferType<Body>
>

type ReadSpec<Params extends Schema, Query extends Schema> = Omit<Spec<Params, Query>, 'body'> & {
  /** The values of the statement after those of the path. */
  values?(call: CallOf<Params, Query>): unknown[]
}

export function read<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends Schema = NoFields,
>(
  path: Path,
  spec: ReadSpec<Params, Query> & {
    answer: Schema
    statement: Statement | ((call: CallOf<Params, Query>) => Statement)
    /** Reads more than one row by its index, so it does not share a connection with such reads. */
    isLarge?: boolean
  },
): Declared {
  const { values, statement, isLarge, answer, ...rest } = spec
  const valuesOf = placeholders(path, values)
  return complete(`GET ${path}`, {
    ...rest,
    hasETag: true,
    answer: contractOf(answer),
    async handle(call) {
      const chosen = typeof statement === 'function' ? statement(call as CallOf<Params, Query>) : statement
      const body = await call.read(({ pool, pointReads }) =>
        findText(isLarge ? pool : pointReads, chosen, valuesOf(call)),
      )
      return body === undefined ? undefined : { status: 200, body, hasETag: true }
    },
  })
}

/** Declares a listing: whole (streamed if it is long), or with `limit` in pages joined by a Link header. */
export function list<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends yup.ObjectSchema<yup.AnyObject> = NoFields,
>(
  path: Path,
  spec: ReadSpec<Params, Query> & {
    item: Schema
    listing: Listing | ListingDefinition | ((call: CallOf<Params, Query>) => Listing)
    /** The same items from fewer rows, if these can be found first: the values of this listing. */
    narrow?: {
      listing: ListingDefinition
      values(call: CallOf<Params, Query>, database: Database): Promise<unknown[] | undefined>
    }
  },
): Declared {
  const { item, values, listing, narrow, ...rest } = spec
  const narrowed = narrow && prepareListing(narrow.listing)
  const prepared = 'rows' in listing ? prepareListing(listing) : listing
  const valuesOf = placeholders(path, values)
  return complete(`GET ${path}`, {
    ...rest,
    query: (spec.query ?? noFields).shape(paging),
    hasETag: true,
    answer: contractOf(listOf(item)),
    async handle(call) {
      const chosen = typeof prepared === 'function' ? prepared(call as CallOf<Params, Query>) : prepared
      const answer = await call.read(async (connections) => {
        const few = await narrow?.values(call as CallOf<Params, Query>, connections.pool)
        const source =
          narrowed && few ? { listing: narrowed, values: few } : { listing: chosen, values: valuesOf(call) }
        return answerListing(source, call, connections)
      })
      if (!answer && chosen.missing) throw new Refusal('not_found', chosen.missing)
      return answer && { ...answer, hasETag: true }
    },
  })
}

/** Makes the input of a job, if it is anything else than the fields of the body, the query and the path. */
type MakesInput<Name extends JobName, Call, Fields> =
  Fields extends InputOf<Name> ? { input?(call: Call): InputOf<Name> } : { input(call: Call): InputOf<Name> }

export function write<
  Name extends JobName,
  const Route extends `${Exclude<Method, 'GET'>} /${string}`,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
  Params extends Schema = yup.Schema<IdsIn<Route>>,
>(
  route: Route,
  spec: Spec<Params, Query, Body> & {
    job: Name
    /** Makes the ETag of the resource's GET from the ETag that the workers know; the answers carry it. */
    etagAfter?(known: string, call: CallOf<Params, Query, Body>): string
  } & MakesInput<
      Name,
      CallOf<Params, Query, Body>,
      yup.InferType<Body> & yup.InferType<Query> & yup.InferType<Params>
    >,
): Declared {
  const { job, input = fieldsOf(route, spec), etagAfter, ...rest } = spec
  return complete(route, {
    ...rest,
    hasETagAfter: etagAfter !== undefined,
    answer: answerOf(jobs[job]),
    async handle(call) {
      const checked = call as CallOf<Params, Query, Body>
      const outcome = await call.dispatch(job, input(checked) as InputOf<Name>)
      if (!etagAfter || outcome.refused || outcome.etag === undefined) return outcome
      return { ...outcome, headers: { ETag: etagAfter(outcome.etag, checked) } }
    },
  })
}

function fieldsOf(route: string, { query, takesIfMatch }: Partial<Endpoint>): (call: Call) => unknown {
  if (!query && !takesIfMatch && namesIn(route).length === 0) return ({ body }) => body
  return ({ params, query, body, ifMatch }) => ({
    ...Object(body),
    ...Object(query),
    ...Object(params),
    ...(takesIfMatch && { if_match: ifMatch }),
  })
}

export function endpoint<
  const Route extends `${Method} /${string}`,
  Params extends Schema = yup.Schema<IdsIn<Route>>,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  route: Route,
  spec: Spec<Params, Query, Body> & {
    answer: AnswerContract
    handle(call: CallOf<Params, Query, Body>): Promise<Answer | undefined>
  },
): Declared {
  return complete(route, { ...spec, handle: (call) => spec.handle(call as CallOf<Params, Query, Body>) })
}

type Incomplete = Spec<Schema, Schema, Schema> & Pick<Endpoint, 'answer' | 'handle'>

function complete(route: string, spec: Incomplete): Declared {
  const [method, path = ''] = route.split(' ') as [Method, string]
  return { query: noFields, refusals: [], ...spec, method, path, params: spec.params ?? idsIn(path) }
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
