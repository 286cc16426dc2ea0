// Defines an endpoint. Each endpoint is declared once. The router, the OpenAPI document and the docs pages
// are built from these declarations.
import type * as yup from 'yup'
import { type InputOf, type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { type AnswerContract, createAnswerContract, list as listOf } from '../../../shared/schemas/answers.ts'
import { getReplyContract } from '../../../shared/schemas/job.ts'
import { pagingFields } from '../../../shared/schemas/queries.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import type { LimitedDatabase } from '../../reads/limits/building-limits.ts'
import type { PersonalTokenAccess } from '../../reads/limits/personal-limits.ts'
import type { Answer, Call } from './call.ts'
import {
  findListingText,
  type Listing,
  type ListingDefinition,
  prepareListing,
  type Statement,
} from './listing.ts'
import { answerListing } from './listing-answers.ts'
import { noFields } from './middleware/validate.ts'
import { createIdParameters, type IdsIn, listParameterNames } from './path-ids.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type NoFields = typeof noFields
type Schema = yup.AnySchema

export type Endpoint = PersonalTokenAccess & {
  method: Method
  path: string
  /** For an endpoint outside the API: the start of its path, and the types of its body. */
  protocol?: { base: string; bodyTypes: readonly string[] }
  /** The ability that a token needs; null if any valid token may use the endpoint. */
  ability: Ability | null
  /** An ability that is required in addition to `ability`, if the endpoint exposes personal data. */
  alsoNeeds?: Ability
  /** Whether the endpoint needs no token, so that anyone who knows the URL may read it. */
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
  /** Whether the responses of this write have the ETag that a GET of the resource returns afterwards. */
  hasETagAfter?: boolean
  /** Whether the endpoint honours If-Match, so that it may respond with 412. */
  takesIfMatch?: boolean
  /** The refusal codes of this endpoint, in addition to those of every endpoint. */
  refusals: RefusalCode[]
  missing: Message
  takesFile?: boolean
  sendsFile?: boolean
  /** Whether to redirect browsers that have no token. */
  redirectsBrowsers?: boolean
  /** Whether a request may take long. If so, the endpoint honours Prefer: respond-async, and keeps a waiting
   * connection alive. */
  isLong?: boolean
  /** Marks a POST that only reads. It is not a GET because its parameters are too long for a query string. */
  isRead?: boolean
  /** Marks a deprecated endpoint, which works at least until the date `sunset`. */
  deprecation?: { since: string; sunset: string }
  /** Marks a GET that does not answer HEAD, because it does work that a HEAD request would waste. */
  withoutHead?: boolean
  handle(call: Call): Promise<Answer | undefined>
}

export const isWrite = ({ method, isRead }: Pick<Endpoint, 'method' | 'isRead'>) =>
  method !== 'GET' && !isRead

/** Returns the abilities that a token needs. `isPersonal` says whether the token belongs to a person. */
export const listRequiredAbilities = (
  { ability, alsoNeeds, personalAbility }: Pick<Endpoint, 'ability' | 'alsoNeeds' | 'personalAbility'>,
  isPersonal = false,
): Ability[] =>
  [isPersonal ? (personalAbility ?? ability) : ability, alsoNeeds].filter((each) => each != null)

/** The properties that an endpoint can inherit from its resource. */
type SharedProperties = Partial<Pick<Endpoint, 'ability' | 'tag' | 'missing'>>
type DeclaredEndpoint = Omit<Endpoint, keyof SharedProperties | 'name'> & SharedProperties

const NOT_FOUND = message`Not found.`
/** Declares the endpoints of a resource by name. An endpoint may override the shared properties. */
export function declareResourceEndpoints(common: SharedProperties & Pick<Endpoint, 'tag' | 'ability'>) {
  return (endpoints: Record<string, DeclaredEndpoint>): Endpoint[] =>
    Object.entries(endpoints).map(([name, each]) => ({ missing: NOT_FOUND, ...common, ...each, name }))
}

type EndpointSpec<Params extends Schema, Query extends Schema, Body extends Schema = NoFields> = Pick<
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

type ReadSpec<Params extends Schema, Query extends Schema> = Omit<EndpointSpec<Params, Query>, 'body'> & {
  /** Returns the statement's parameters that follow those of the path. */
  values?(call: CallOf<Params, Query>): unknown[]
}

export function declareReadEndpoint<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends Schema = NoFields,
>(
  path: Path,
  spec: ReadSpec<Params, Query> & {
    answer: Schema
    statement: Statement | ((call: CallOf<Params, Query>) => Statement)
    /** Whether the endpoint reads anything other than one row by its index. Such a read does not share a
     * connection with point reads. */
    isLarge?: boolean
    /** Returns the ETag of the response, if it is not the hash of the whole text. */
    etag?(body: string): string
  },
): DeclaredEndpoint {
  const { values, statement, isLarge, etag, answer, ...rest } = spec
  const valuesOf = createPlaceholders(path, values)
  return completeEndpoint(`GET ${path}`, {
    ...rest,
    hasETag: true,
    answer: createAnswerContract(answer),
    async handle(call) {
      const chosen = typeof statement === 'function' ? statement(call as CallOf<Params, Query>) : statement
      const body = await call.read(({ pool, pointReads }) =>
        findListingText(isLarge ? pool : pointReads, chosen, valuesOf(call)),
      )
      if (body === undefined) return undefined
      return { status: 200, body, hasETag: true, ...(etag && { etag: etag(body) }) }
    },
  })
}

/** Declares a listing. It is returned as a whole (streamed if it is long), or with `limit` in pages that are
 * connected by a Link header. */
export function declareListEndpoint<
  const Path extends string,
  Params extends Schema = yup.Schema<IdsIn<Path>>,
  Query extends yup.ObjectSchema<yup.AnyObject> = NoFields,
>(
  path: Path,
  spec: ReadSpec<Params, Query> & {
    item: Schema
    listing: Listing | ListingDefinition | ((call: CallOf<Params, Query>) => Listing)
    /** A listing that returns the same items but reads fewer rows, used if these rows can be found first.
     * Returns the parameters of that listing. */
    narrow?: {
      listing: ListingDefinition
      values(call: CallOf<Params, Query>, database: LimitedDatabase): Promise<unknown[] | undefined>
    }
  },
): DeclaredEndpoint {
  const { item, values, listing, narrow, ...rest } = spec
  const narrowed = narrow && prepareListing(narrow.listing)
  const prepared = 'rows' in listing ? prepareListing(listing) : listing
  const valuesOf = createPlaceholders(path, values)
  return completeEndpoint(`GET ${path}`, {
    ...rest,
    query: (spec.query ?? noFields).shape(pagingFields),
    hasETag: true,
    answer: createAnswerContract(listOf(item)),
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

/** Builds the input of a job, unless the input is simply the fields of the body, the query and the path. */
type InputMaker<Name extends JobName, Call, Fields> =
  Fields extends InputOf<Name> ? { input?(call: Call): InputOf<Name> } : { input(call: Call): InputOf<Name> }

export function declareWriteEndpoint<
  Name extends JobName,
  const Route extends `${Exclude<Method, 'GET'>} /${string}`,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
  Params extends Schema = yup.Schema<IdsIn<Route>>,
>(
  route: Route,
  spec: EndpointSpec<Params, Query, Body> & {
    job: Name
    /** The job to use instead if the query parameter `scope` includes several bookings or events of a series. */
    seriesJob?: JobName
    /** Builds the ETag of a GET of the resource from the ETag that workers return. Responses contain this ETag. */
    etagAfter?(known: string, call: CallOf<Params, Query, Body>): string
  } & InputMaker<
      Name,
      CallOf<Params, Query, Body>,
      yup.InferType<Body> & yup.InferType<Query> & yup.InferType<Params>
    >,
): DeclaredEndpoint {
  const { job, seriesJob, input = createFieldCollector(route, spec), etagAfter, ...rest } = spec
  return completeEndpoint(route, {
    ...rest,
    hasETagAfter: etagAfter !== undefined,
    answer: getReplyContract(jobs[job]),
    async handle(call) {
      const checked = call as CallOf<Params, Query, Body>
      const { scope = 'one', ...fields } = input(checked) as InputOf<Name> & { scope?: string }
      const isSeveral = seriesJob !== undefined && scope !== 'one'
      const outcome = isSeveral
        ? await call.dispatch(seriesJob, { ...fields, scope } as never)
        : await call.dispatch(job, fields as InputOf<Name>)
      if (!etagAfter || outcome.refused || outcome.etag === undefined) return outcome
      return { ...outcome, headers: { ETag: etagAfter(outcome.etag, checked) } }
    },
  })
}

function createFieldCollector(
  route: string,
  { query, takesIfMatch }: Partial<Endpoint>,
): (call: Call) => unknown {
  if (!query && !takesIfMatch && listParameterNames(route).length === 0) return ({ body }) => body
  return ({ params, query, body, ifMatch }) => ({
    ...Object(body),
    ...Object(query),
    ...Object(params),
    ...(takesIfMatch && { if_match: ifMatch }),
  })
}

export function declareEndpoint<
  const Route extends `${Method} /${string}`,
  Params extends Schema = yup.Schema<IdsIn<Route>>,
  Query extends Schema = NoFields,
  Body extends Schema = NoFields,
>(
  route: Route,
  spec: EndpointSpec<Params, Query, Body> & {
    answer: AnswerContract
    handle(call: CallOf<Params, Query, Body>): Promise<Answer | undefined>
  },
): DeclaredEndpoint {
  return completeEndpoint(route, {
    ...spec,
    handle: (call) => spec.handle(call as CallOf<Params, Query, Body>),
  })
}

type IncompleteEndpoint = EndpointSpec<Schema, Schema, Schema> & Pick<Endpoint, 'answer' | 'handle'>

function completeEndpoint(route: string, spec: IncompleteEndpoint): DeclaredEndpoint {
  const [method, path = ''] = route.split(' ') as [Method, string]
  return {
    query: noFields,
    refusals: [],
    ...spec,
    method,
    path,
    params: spec.params ?? createIdParameters(path),
  }
}

function createPlaceholders<Params extends Schema, Query extends Schema>(
  path: string,
  more: (call: CallOf<Params, Query>) => unknown[] = () => [],
): (call: Call) => unknown[] {
  const names = listParameterNames(path)
  return (call) => {
    const params = call.params as Record<string, unknown>
    return [...names.map((name) => params[name]), ...more(call as CallOf<Params, Query>)]
  }
}
