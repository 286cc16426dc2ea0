// Bookings, also those that repeat, over HTTP.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { newBookingBatchSchema } from '../../../shared/bookings/booking-batches.ts'
import {
  bookingChangesSchema,
  bookingMoveSchema,
  bookingSchema,
  bookingWithPictureSchema,
  newBookingSchema,
} from '../../../shared/bookings/bookings.ts'
import { deletedSeriesQuery, newSeriesSchema, seriesSchema } from '../../../shared/bookings/series.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { SigningToken } from '../../auth/tokens.ts'
import { readAs } from '../../data/building-limits.ts'
import type { Answer, Call } from '../../http/call.ts'
import { endpoint, list, read, resource, write } from '../../http/endpoint.ts'
import { findText } from '../../http/listing.ts'
import { rateLimited, refuseWrongGuess } from '../../overload/refusals.ts'
import { answerLivemap, LIVEMAP_TYPE } from '../livemap/livemap.ts'
import { bookingById, seriesById } from './bookings-queries.ts'
import { filteredBookings } from './filtered-bookings.ts'

// The picture of a booking has an address that needs no token, because browsers send none for <img>. It stands for
// the token that asked for the booking, and shows what that may see (docs/decisions/0039-signed-addresses.md).
const VALID_SECONDS = 3_600
// A booking keeps the same address for this long, so that an unchanged answer is a 304.
const URL_REUSE_SECONDS = 1_800
const CLOCK_SKEW_SECONDS_MAX = 300

type Signed = { bookingId: number; tokenId: number; expires: number }

async function answerBooking(call: Call<{ id: number }>): Promise<Answer | undefined> {
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
function extendBookingETag(etag: string, call: Call<{ id: number }>): string {
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

async function sendSignedLivemap(call: LivemapCall): Promise<Answer | undefined> {
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

const changed = {
  refusals: ['booking_conflict', 'booking_ended', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
  takesIfMatch: true,
  etagAfter: extendBookingETag,
} satisfies Partial<Parameters<typeof write>[1]>
const changing = { ...changed, body: bookingChangesSchema, job: 'bookings.update' } as const

export const bookings = resource({
  tag: 'Bookings',
  ability: 'booking-write',
  missing: message`There is no booking with this id.`,
})({
  listBookings: list('/bookings', {
    personal: 'own',
    ability: 'read',
    summary: 'List all bookings',
    refusals: ['not_found'],
    ...filteredBookings,
    item: bookingSchema,
  }),
  getBooking: endpoint('GET /bookings/{id}', {
    personal: 'own',
    ability: 'read',
    summary: 'Get a booking',
    hasETag: true,
    answer: answer.contractOf(bookingWithPictureSchema),
    handle: answerBooking,
  }),
  getBookingLivemap: endpoint('GET /bookings/{id}/livemap', {
    personal: 'own',
    ability: 'read',
    summary: 'Show a booking on a map',
    description:
      'An SVG picture of the location as it is now, with the booked bookable marked. A browser without a token is sent to the map of the dashboard.',
    redirectsBrowsers: true,
    answer: { status: 200, schema: answer.text(), contentTypes: [LIVEMAP_TYPE] },
    handle: (call) => call.read(({ pool }) => answerLivemap(call.services, pool, call.params.id, call.now)),
  }),
  getSignedLivemap: endpoint('GET /bookings/{id}/livemap.svg', {
    ability: null,
    isOpen: true,
    summary: 'Show a booking on a map, at a signed address',
    description:
      'The same picture at the address that GET bookings/{id} has as livemap_url, for an img element: the address is good for an hour at most.',
    query: object({ signature: pathText().optional() }),
    answer: { status: 200, schema: answer.text(), contentTypes: [LIVEMAP_TYPE] },
    refusals: ['invalid_signature'],
    handle: sendSignedLivemap,
  }),
  createBooking: write('POST /bookings', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create a booking',
    description: 'The answer is an array with one booking.',
    body: newBookingSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create',
  }),
  createBookings: write('POST /bookings/batch', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create many bookings at once',
    description:
      'Each is booked or refused for itself, unless atomic is true; the answer has one item for each, in the same order. ' +
      'Those that come first are booked first.',
    body: newBookingBatchSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create-batch',
  }),
  checkBooking: write('POST /bookings/check', {
    personal: 'own',
    ownerField: 'user_id',
    ability: 'read',
    summary: 'Check whether something can be booked',
    description:
      'Takes what POST bookings takes, and says what that would answer at this moment. Nothing is booked or reserved.',
    body: newBookingSchema,
    job: 'bookings.check',
  }),
  replaceBooking: write('PUT /bookings/{id}', {
    personal: 'own',
    ...changing,
    summary: 'Change a booking',
  }),
  updateBooking: write('PATCH /bookings/{id}', {
    personal: 'own',
    ...changing,
    summary: 'Change a booking (same as PUT)',
  }),
  moveBooking: write('POST /bookings/{id}/move', {
    personal: 'own',
    ...changed,
    summary: 'Move a booking to another bookable',
    description:
      'The booking keeps its id. It gives up its bookable only if it gets the other one: at no moment does it have none, or both.',
    body: bookingMoveSchema,
    job: 'bookings.move',
  }),
  checkInBooking: write('POST /bookings/{id}/check-in', {
    personal: 'own',
    summary: 'Check in to a booking',
    description: 'Repeating it has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended'],
    job: 'bookings.check-in',
    etagAfter: extendBookingETag,
  }),
  deleteBooking: write('DELETE /bookings/{id}', {
    personal: 'own',
    summary: 'Delete a booking',
    takesIfMatch: true,
    job: 'bookings.delete',
  }),
})

export const series = resource({
  tag: 'Series',
  ability: 'booking-write',
  missing: message`There is no series with this id.`,
})({
  createSeries: write('POST /bookings/series', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create bookings that repeat',
    description:
      'Takes a booking and how it repeats. The times of day stay the same on the clocks of the building; an hour that they skip moves to the next one.',
    body: newSeriesSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'series.create',
  }),
  getSeries: read('/series/{id}', {
    personal: 'own',
    ability: 'read',
    summary: 'Get a series with its bookings',
    answer: seriesSchema,
    statement: seriesById,
    values: ({ baseUrl }) => [baseUrl],
    isLarge: true,
  }),
  deleteSeries: write('DELETE /series/{id}', {
    personal: 'own',
    summary: 'Delete the bookings of a series from now or a later moment on',
    description:
      'Those that have not begun are deleted. The one that runs now ends now, unless from is in the future. What is over stays.',
    query: deletedSeriesQuery,
    refusals: ['outside_buildings'],
    job: 'series.delete',
  }),
})
