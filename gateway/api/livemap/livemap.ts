// Answers with the picture of a location. Its floor plan may have megabytes and is the same for everybody, so
// it is encoded once, kept while there is room (services.floorPlans), and sent from there in pieces.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Database } from '../../data/building-limits.ts'
import type { Answer } from '../../http/call.ts'
import { unavailable } from '../../overload/refusals.ts'
import type { Services } from '../../services/services.ts'
import { findFloorPlanPicture, findLivemap } from './livemap-queries.ts'
import { drawLivemap } from './picture.ts'

export const LIVEMAP_TYPE = 'image/svg+xml'

// A map takes some milliseconds. A request that waits longer would hold up everybody else's reads.
const WAIT_MS = 2_000
const CHUNK_BYTES = 256 * 1024
const ATTEMPTS_MAX = 3

/** Undefined if the booking does not exist. */
export async function answerLivemap(
  services: Services,
  pool: Database,
  bookingId: number,
  now: string,
): Promise<Answer | undefined> {
  const release = await services.livemaps.take({ waitMs: WAIT_MS })
  if (!release) throw unavailable('maps_overload', message`Too many maps are being drawn. Try again shortly.`)
  try {
    return await makeAnswer(services, pool, bookingId, now)
  } finally {
    release()
  }
}

async function makeAnswer(
  { floorPlans }: Services,
  pool: Database,
  bookingId: number,
  now: string,
): Promise<Answer | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const found = await findLivemap(pool, bookingId, now)
    if (!found) return undefined
    const { facts, floorPlan } = found
    if (!floorPlan) return { status: 200, body: drawLivemap(facts, undefined, ''), contentType: LIVEMAP_TYPE }
    const { hash, type } = floorPlan
    const picture = await floorPlans.get(hash, () => findFloorPlanPicture(pool, facts.locationId, hash))
    // The floor plan was replaced between the two statements.
    if (!picture) continue
    // Random, so that no name can contain it.
    const placeholder = randomUUID()
    const drawn = drawLivemap(facts, floorPlan, `data:${type};base64,${placeholder}`)
    const [before = '', after = ''] = drawn.split(placeholder)
    return streamAnswer(Buffer.from(before), picture, Buffer.from(after))
  }
  throw new Refusal('unavailable', message`The floor plan is being replaced. Try again shortly.`)
}

// No answer copies the picture: all of them share the same bytes, however slowly clients read.
function streamAnswer(before: Buffer, picture: Buffer, after: Buffer): Answer {
  return {
    status: 200,
    body: Readable.from(chunksOf(before, picture, after), { objectMode: false }),
    headers: { 'Content-Length': String(before.length + picture.length + after.length) },
    contentType: LIVEMAP_TYPE,
  }
}

function* chunksOf(before: Buffer, picture: Buffer, after: Buffer) {
  yield before
  for (let at = 0; at < picture.length; at += CHUNK_BYTES) yield picture.subarray(at, at + CHUNK_BYTES)
  yield after
}
