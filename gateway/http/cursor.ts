// Cursors: where a page begins. A cursor is opaque to the client, and names the listing it belongs to,
// including its filters.
import { createHash } from 'node:crypto'
import { field, message } from '../../shared/messages/message.ts'
import { invalid } from '../../shared/messages/refusal.ts'
import { parseDateTime } from '../../shared/utilities/date-times.ts'
import { isPlainText } from '../../shared/utilities/texts.ts'
import type { Call } from './kit/endpoint.ts'
import type { Listing } from './listing.ts'

type ListingCall = Pick<Call, 'path' | 'query'>

export function encodeCursor(keys: string[], call: ListingCall): string {
  return Buffer.from(JSON.stringify([listingOf(call), ...keys])).toString('base64url')
}

/** The keys of the item after which the page begins. */
export function decodeCursor(cursor: string, call: ListingCall, { order }: Listing): string[] {
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
function listingOf({ path, query }: ListingCall): string {
  const { limit: _limit, cursor: _cursor, ...filters } = query as Record<string, unknown>
  const text = JSON.stringify([path, Object.entries(filters).sort()])
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
