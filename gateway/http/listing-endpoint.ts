// Declares the endpoint of a listing. Without `limit` the answer is the whole listing (streamed if it is
// long); with it, the answer comes in pages joined by a Link header.
import type * as yup from 'yup'
import { message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { dataAnswer, listAnswer } from '../../shared/schemas/answers.ts'
import { object } from '../../shared/schemas/fields.ts'
import { type Paging, paging } from '../../shared/schemas/queries.ts'
import type { Database, LimitedReads } from '../data/building-limits.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import {
  type Answer,
  type Call,
  type CallOf,
  completeEndpoint,
  type Endpoint,
  type EndpointSpec,
  type NoFields,
  type Schema,
} from './kit/endpoint.ts'
import { DATA_END, DATA_START, findPage, findWhole, type Listing, parentExists } from './listing.ts'
import { streamListing } from './streams.ts'

/** The listing that a request asks for, and the values of its placeholders. */
type ListingSource = { listing: Listing; values: unknown[] }

export function list<
  Params extends Schema = NoFields,
  Query extends yup.ObjectSchema<yup.AnyObject> = NoFields,
>(
  spec: Omit<EndpointSpec<Params, Query, NoFields>, 'body'> & {
    item: Schema
    source(call: CallOf<Params, Query, NoFields>): ListingSource
  },
): Endpoint {
  const { item, source, ...rest } = spec
  return completeEndpoint({
    ...rest,
    query: (spec.query ?? object({})).shape(paging),
    method: 'GET',
    hasETag: true,
    answer: dataAnswer(listAnswer(item)),
    async handle(call) {
      const listing = source(call as CallOf<Params, Query, NoFields>)
      const answer = await call.read((connections) => answerListing(listing, call, connections))
      if (!answer) throw new Refusal('not_found', rest.missing ?? message`Not found.`)
      return { ...answer, hasETag: true }
    },
  })
}

async function answerListing(
  { listing, values }: ListingSource,
  call: Call,
  { pool, streams, limit }: LimitedReads,
): Promise<Answer | undefined> {
  const { config, streamShares } = call.services
  const { limit: number } = call.query as Paging
  if (number !== undefined) return answerPage({ listing, values }, call, pool, number)
  const whole = await findWhole(pool, listing, values)
  if (!whole) return undefined
  if (whole.items !== null) return { status: 200, body: DATA_START + whole.items + DATA_END }
  // Starts over: the items after those already found would be from another moment.
  const reader = { owner: String(call.tokenId), signal: call.signal }
  const services = { config, streamShares, streams, limit }
  return { status: 200, body: await streamListing(services, reader, { listing, values }) }
}

async function answerPage(
  { listing, values }: ListingSource,
  call: Call,
  pool: Database,
  limit: number,
): Promise<Answer | undefined> {
  const { cursor } = call.query as Paging
  const after = cursor === undefined ? undefined : decodeCursor(cursor, call, listing)
  if (!(await parentExists(pool, listing, values))) return undefined
  const { items, last } = await findPage(pool, listing, values, { limit, after })
  const body = DATA_START + items + DATA_END
  if (!last) return { status: 200, body }
  return {
    status: 200,
    body,
    headers: { Link: `<${nextAddress(call, encodeCursor(last, call))}>; rel="next"` },
  }
}

function nextAddress({ baseUrl, path, search }: Call, cursor: string): string {
  const query = new URLSearchParams(search)
  query.set('cursor', cursor)
  return `${baseUrl}${path}?${query}`
}
