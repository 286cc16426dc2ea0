// Answers with a listing: whole, streamed if it is long, or in pages joined by a Link header, whose cursor is opaque
// to the client and names the listing it belongs to, including its filters.
import { createHash } from 'node:crypto'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Paging } from '../../../shared/schemas/queries.ts'
import { parseDateTime } from '../../../shared/utilities/date-times.ts'
import { isPlainText } from '../../../shared/utilities/texts.ts'
import type { Database, LimitedReads } from '../../reads/limits/building-limits.ts'
import type { Answer, Call } from './call.ts'
import { DATA_END, DATA_START, findPage, findWhole, type Listing, parentExists } from './listing.ts'
import { streamListing } from './streams.ts'

type ListingSource = { listing: Listing; values: unknown[] }

export async function answerListing(
  source: ListingSource,
  call: Call,
  { pool, pointReads, streams, limit }: LimitedReads,
): Promise<Answer | undefined> {
  const { limit: number } = call.query as Paging
  if (number !== undefined) return answerPage(source, call, pool, number)
  const { listing, values } = source
  const whole = await findWhole(listing.isShort ? pointReads : pool, listing, values)
  if (!whole) return undefined
  if (whole.items !== null) return { status: 200, body: DATA_START + whole.items + DATA_END }
  // Starts over: the items after those already found would be from another moment.
  const reader = { owner: String(call.token.id), signal: call.signal }
  return { status: 200, body: await streamListing({ ...call.services, streams, limit }, reader, source) }
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
  const query = new URLSearchParams(call.ctx.querystring)
  const cursorAfter = JSON.stringify([listingOf(call), ...last])
  query.set('cursor', Buffer.from(cursorAfter).toString('base64url'))
  return { status: 200, body, headers: { Link: `<${call.baseUrl}${call.ctx.path}?${query}>; rel="next"` } }
}

function decodeCursor(cursor: string, call: Call, { order }: Listing): string[] {
  const [listing, ...keys] = parse(cursor)
  const valid =
    keys.length === order.length && order.every(({ type }, index) => isKey(type, keys[index] ?? ''))
  if (!valid) throw invalid({ cursor: [message`${field('cursor')} must come from a Link header.`] })
  if (listing !== listingOf(call))
    throw invalid({
      cursor: [message`${field('cursor')} belongs to a different listing, or to different filters.`],
    })
  return keys
}

// Covers what the page shows, not how much of it: the limit may change from page to page.
function listingOf({ ctx, query }: Call): string {
  const { limit: _limit, cursor: _cursor, ...filters } = query as Record<string, unknown>
  const text = JSON.stringify([ctx.path, Object.entries(filters).sort()])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

function parse(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string')) return parts
  } catch {
    // Not a cursor; the empty result is refused.
  }
  return []
}

function isKey(type: Listing['order'][number]['type'], key: string): boolean {
  if (type === 'text') return isPlainText(key)
  return type === 'timestamptz' ? parseDateTime(key)?.instant === key : /^\d{1,16}$/.test(key)
}
