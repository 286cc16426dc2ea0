// Responds with a listing: whole, streamed if it is long, or in pages that are connected by a Link header.
// The header's cursor is opaque to the client, and names the listing that it belongs to, including its
// filters.
import { createHash } from 'node:crypto'
import { fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import type { Paging } from '../../../shared/schemas/queries.ts'
import { parseDateTime } from '../../../shared/utilities/date-times.ts'
import { isPlainText } from '../../../shared/utilities/texts.ts'
import type { LimitedDatabase, LimitedReads } from '../../reads/limits/building-limits.ts'
import type { Answer, Call } from './call.ts'
import {
  doesParentExist,
  findListingPage,
  findWholeListing,
  LISTING_BODY_END,
  LISTING_BODY_START,
  type Listing,
} from './listing.ts'
import { streamListing } from './streams.ts'

type ListingSource = { listing: Listing; values: unknown[] }

export async function answerListing(
  source: ListingSource,
  call: Call,
  { pool, pointReads, streams, limit }: LimitedReads,
): Promise<Answer | undefined> {
  const { limit: number } = call.query as Paging
  if (number !== undefined) return answerListingPage(source, call, pool, number)
  const { listing, values } = source
  const whole = await findWholeListing(listing.isShort ? pointReads : pool, listing, values)
  if (!whole) return undefined
  if (whole.items !== null) return { status: 200, body: LISTING_BODY_START + whole.items + LISTING_BODY_END }
  // Starts over with a stream, because the items found so far belong to an earlier snapshot.
  const reader = { owner: String(call.token.id), signal: call.signal }
  return { status: 200, body: await streamListing({ ...call.services, streams, limit }, reader, source) }
}

async function answerListingPage(
  { listing, values }: ListingSource,
  call: Call,
  pool: LimitedDatabase,
  limit: number,
): Promise<Answer | undefined> {
  const { cursor } = call.query as Paging
  const after = cursor === undefined ? undefined : decodeCursor(cursor, call, listing)
  if (!(await doesParentExist(pool, listing, values))) return undefined
  const { items, last } = await findListingPage(pool, listing, values, { limit, after })
  const body = LISTING_BODY_START + items + LISTING_BODY_END
  if (!last) return { status: 200, body }
  const query = new URLSearchParams(call.ctx.querystring)
  const cursorAfter = JSON.stringify([nameListing(call), ...last])
  query.set('cursor', Buffer.from(cursorAfter).toString('base64url'))
  return { status: 200, body, headers: { Link: `<${call.baseUrl}${call.ctx.path}?${query}>; rel="next"` } }
}

function decodeCursor(cursor: string, call: Call, { order }: Listing): string[] {
  const [listing, ...keys] = parseCursor(cursor)
  const valid =
    keys.length === order.length && order.every(({ type }, index) => isSortKey(type, keys[index] ?? ''))
  if (!valid) throw invalidFields({ cursor: [message`${fieldName('cursor')} must come from a Link header.`] })
  if (listing !== nameListing(call))
    throw invalidFields({
      cursor: [message`${fieldName('cursor')} belongs to a different listing, or to different filters.`],
    })
  return keys
}

// Returns the name of the listing with its filters, but without the limit, which may change from page to page.
function nameListing({ ctx, query }: Call): string {
  const { limit: _limit, cursor: _cursor, ...filters } = query as Record<string, unknown>
  const text = JSON.stringify([ctx.path, Object.entries(filters).sort()])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function parseCursor(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string')) return parts
  } catch {
    // The text is not a valid cursor. The caller refuses the empty result.
  }
  return []
}

function isSortKey(type: Listing['order'][number]['type'], key: string): boolean {
  if (type === 'text') return isPlainText(key)
  return type === 'timestamptz' ? parseDateTime(key)?.instant === key : /^\d{1,16}$/.test(key)
}
