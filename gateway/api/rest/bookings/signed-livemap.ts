// Adds a signed URL of the live map to a booking, and serves the live map at that URL.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { computeEtag } from '../../../../shared/utilities/etags.ts'
import type { SigningToken } from '../../../auth/tokens.ts'
import { createRateLimitRefusal, limitWrongGuesses } from '../../../overload/refusals.ts'
import { readAsToken } from '../../../reads/limits/building-limits.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { findListingText } from '../../../server/http/listing.ts'
import { answerLivemap } from '../livemap/livemap.ts'
import { bookingById } from './bookings-queries.ts'

// How long the signed URL of a booking's live map is valid. The URL needs no token, because browsers send
// none for <img>. It acts for the token that requested the booking, and shows only what that token may see
// (docs/decisions/0039-signed-addresses.md).
const URL_VALID_SECONDS = 3_600
// How long a booking keeps the same signed URL. While the URL is the same, a request for an unchanged booking
// gets a 304.
const URL_REUSE_SECONDS = 1_800
const CLOCK_SKEW_SECONDS_MAX = 300

type SignedContent = { bookingId: number; tokenId: number; expires: number }

export async function answerBooking(call: Call<{ id: number }>): Promise<Answer | undefined> {
  const { params, baseUrl, token } = call
  const body = await call.read(({ pointReads }) =>
    findListingText(pointReads, bookingById, [params.id, baseUrl]),
  )
  if (body === undefined) return undefined
  const { expires, signature } = signLivemapUrl(call)
  const value = `${expires}.${token.id}.${signature}`
  const url = `${baseUrl}/api/v1/bookings/${params.id}/livemap.svg?signature=${value}`
  return {
    status: 200,
    body: `${body.slice(0, -'}}'.length)},"livemap_url":${JSON.stringify(url)}}}`,
    hasETag: true,
    etag: extendBookingETag(computeEtag(body), call),
  }
}

/** Appends a part for the signed URL to the booking's own ETag. If-Match checks only the front part. */
export function extendBookingETag(etag: string, call: Call<{ id: number }>): string {
  const { expires, signature } = signLivemapUrl(call)
  return etag.replace(/"$/, `.${expires}.${signature.slice(0, 16)}"`)
}

function signLivemapUrl({ params, token, now }: Call<{ id: number }>) {
  // The URL expires at least half an hour from now.
  const expires =
    Math.floor(Date.parse(now) / 1_000 / URL_REUSE_SECONDS) * URL_REUSE_SECONDS + URL_VALID_SECONDS
  return {
    expires,
    signature: computeSignature(token.signingKey, { bookingId: params.id, tokenId: token.id, expires }),
  }
}

function computeSignature(key: Buffer, { bookingId, tokenId, expires }: SignedContent): string {
  return createHmac('sha256', key).update(`livemap ${bookingId} ${tokenId} ${expires}`).digest('hex')
}

type LivemapCall = Call<{ id: number }, { signature?: string | undefined }>

export async function sendSignedLivemap(call: LivemapCall): Promise<Answer | undefined> {
  const { services, params, now } = call
  const token = await requireSignature(call)
  // Applies the token's rate limit, but counts separately: a page with many viewers must not use up the requests of the
  // program.
  const limit = token.rateLimitPerMinute ?? services.config.rateLimitPerMinute
  const { allowed, resetSeconds } = await services.rateLimiter.take(`livemap:${token.id}`, limit)
  const tooMany = message`The signed addresses of a token are limited to ${limit} requests per minute.`
  if (!allowed) throw createRateLimitRefusal(tooMany, resetSeconds)
  return readAsToken(services.reads, token, ({ pool }) => answerLivemap(services, pool, params.id, now))
}

/** Finds the token that the signed URL acts for. If the signature is invalid, refuses the request before
 * looking up the booking. */
async function requireSignature({ services, params, query, now, ctx }: LivemapCall): Promise<SigningToken> {
  const [, expires, tokenId, given] =
    /^(\d{10})\.(\d{1,15})\.([\da-f]{64})$/.exec(query.signature ?? '') ?? []
  const refusal = new Refusal('invalid_signature', message`This address has expired or is not valid.`)
  const signed = { bookingId: params.id, tokenId: Number(tokenId), expires: Number(expires) }
  const token = given === undefined ? undefined : await services.tokens.findById(signed.tokenId)
  if (!token?.abilities.includes('read') || !isSignedBy(token, signed, given ?? '')) {
    const tooMany = message`Too many requests with invalid signatures from this address.`
    throw await limitWrongGuesses(services, ctx.ip, refusal, tooMany)
  }
  const leftSeconds = signed.expires - Date.parse(now) / 1_000
  if (leftSeconds <= 0 || leftSeconds > URL_VALID_SECONDS + CLOCK_SKEW_SECONDS_MAX) throw refusal
  return token
}

function isSignedBy(
  { signingKey, previousKey }: SigningToken,
  signed: SignedContent,
  given: string,
): boolean {
  const isEqual = (signature: string) => timingSafeEqual(Buffer.from(signature), Buffer.from(given))
  return [signingKey, previousKey].some((key) => key !== null && isEqual(computeSignature(key, signed)))
}
