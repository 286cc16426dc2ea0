// A booking with the signed address of its picture, and the picture at that address.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { etagOf } from '../../../../shared/utilities/etags.ts'
import type { SigningToken } from '../../../auth/tokens.ts'
import { rateLimited, refuseWrongGuess } from '../../../overload/refusals.ts'
import { readAs } from '../../../reads/limits/building-limits.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { findText } from '../../../server/http/listing.ts'
import { answerLivemap } from '../livemap/livemap.ts'
import { bookingById } from './bookings-queries.ts'

// The picture of a booking has an address that needs no token, because browsers send none for <img>. It stands for
// the token that asked for the booking, and shows what that may see (docs/decisions/0039-signed-addresses.md).
const VALID_SECONDS = 3_600
// A booking keeps the same address for this long, so that an unchanged answer is a 304.
const URL_REUSE_SECONDS = 1_800
const CLOCK_SKEW_SECONDS_MAX = 300

type Signed = { bookingId: number; tokenId: number; expires: number }

export async function answerBooking(call: Call<{ id: number }>): Promise<Answer | undefined> {
  const { params, baseUrl, token } = call
  const body = await call.read(({ pointReads }) => findText(pointReads, bookingById, [params.id, baseUrl]))
  if (body === undefined) return undefined
  const { expires, signature } = signPicture(call)
  const value = `${expires}.${token.id}.${signature}`
  const url = `${baseUrl}/api/v1/bookings/${params.id}/livemap.svg?signature=${value}`
  return {
    status: 200,
    body: `${body.slice(0, -'}}'.length)},"livemap_url":${JSON.stringify(url)}}}`,
    hasETag: true,
    etag: extendBookingETag(etagOf(body), call),
  }
}

/** Begins with the booking's own ETag, for If-Match; the rest comes from the picture's address. */
export function extendBookingETag(etag: string, call: Call<{ id: number }>): string {
  const { expires, signature } = signPicture(call)
  return etag.replace(/"$/, `.${expires}.${signature.slice(0, 16)}"`)
}

function signPicture({ params, token, now }: Call<{ id: number }>) {
  // At least half an hour ahead.
  const expires = Math.floor(Date.parse(now) / 1_000 / URL_REUSE_SECONDS) * URL_REUSE_SECONDS + VALID_SECONDS
  return { expires, signature: sign(token.signingKey, { bookingId: params.id, tokenId: token.id, expires }) }
}

function sign(key: Buffer, { bookingId, tokenId, expires }: Signed): string {
  return createHmac('sha256', key).update(`livemap ${bookingId} ${tokenId} ${expires}`).digest('hex')
}

type LivemapCall = Call<{ id: number }, { signature?: string | undefined }>

export async function sendSignedLivemap(call: LivemapCall): Promise<Answer | undefined> {
  const { services, params, now } = call
  const token = await requireSignature(call)
  // The same limit as the token's requests, but counted apart: a page with many viewers must not use up the
  // program's requests.
  const limit = token.rateLimitPerMinute ?? services.config.rateLimitPerMinute
  const { allowed, resetSeconds } = await services.rateLimiter.take(`livemap:${token.id}`, limit)
  const tooMany = message`The signed addresses of a token are limited to ${limit} requests per minute.`
  if (!allowed) throw rateLimited(tooMany, resetSeconds)
  return readAs(services.reads, token, ({ pool }) => answerLivemap(services, pool, params.id, now))
}

/** The token that the address stands for. For an invalid address, the booking is not even looked up. */
async function requireSignature({ services, params, query, now, ctx }: LivemapCall): Promise<SigningToken> {
  const [, expires, tokenId, given] =
    /^(\d{10})\.(\d{1,15})\.([\da-f]{64})$/.exec(query.signature ?? '') ?? []
  const refusal = new Refusal('invalid_signature', message`This address has expired or is not valid.`)
  const signed = { bookingId: params.id, tokenId: Number(tokenId), expires: Number(expires) }
  const token = given === undefined ? undefined : await services.tokens.findById(signed.tokenId)
  if (!token?.abilities.includes('read') || !isSignedBy(token, signed, given ?? '')) {
    const tooMany = message`Too many requests with invalid signatures from this address.`
    throw await refuseWrongGuess(services, ctx.ip, refusal, tooMany)
  }
  const leftSeconds = signed.expires - Date.parse(now) / 1_000
  if (leftSeconds <= 0 || leftSeconds > VALID_SECONDS + CLOCK_SKEW_SECONDS_MAX) throw refusal
  return token
}

function isSignedBy({ signingKey, previousKey }: SigningToken, signed: Signed, given: string): boolean {
  const isEqual = (signature: string) => timingSafeEqual(Buffer.from(signature), Buffer.from(given))
  return [signingKey, previousKey].some((key) => key !== null && isEqual(sign(key, signed)))
}
