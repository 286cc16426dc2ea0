// Responds with the picture of a location's floor plan, streamed from the picture cache in chunks.
import { Readable } from 'node:stream'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { computeEtag } from '../../../../shared/utilities/etags.ts'
import type { LimitedDatabase } from '../../../reads/limits/building-limits.ts'
import type { Answer } from '../../../server/http/call.ts'
import { PICTURE_HEADERS } from '../../../server/http/picture-headers.ts'
import type { Services } from '../../../server/services/services.ts'
import { findFloorPlanPicture } from '../livemap/livemap.ts'

export const floorPlanById = {
  name: 'find-floor-plan',
  text: `
    SELECT encode(floor_plan_sha256, 'hex') AS hash, floor_plan_type AS type, octet_length(floor_plan) AS bytes
    FROM locations WHERE id = $1`,
}

/** The floor plan of a location. All columns are null if the location has none. */
type FloorPlanRow = { hash: string | null; type: string; bytes: number }

/** The number of base64 digits in a chunk. Four digits encode three bytes, so the number must be a multiple of four. */
const DIGITS_PER_CHUNK = 256 * 1024

/** Returns undefined if the location does not exist. */
export async function answerFloorPlan(
  { floorPlans }: Services,
  pool: LimitedDatabase,
  locationId: number,
): Promise<Answer | undefined> {
  const { rows } = await pool.query<FloorPlanRow>({ ...floorPlanById, values: [locationId] })
  const [row] = rows
  if (!row) return undefined
  const { hash, type, bytes } = row
  if (hash === null) throw new Refusal('not_found', message`This floor has no floor plan.`)
  const digits = await floorPlans.get(hash, () => findFloorPlanPicture(pool, locationId, hash))
  // The floor plan was replaced between the two statements.
  if (!digits) throw new Refusal('unavailable', message`The floor plan is being replaced. Try again shortly.`)
  return {
    status: 200,
    body: Readable.from(decodeInChunks(digits), { objectMode: false }),
    headers: { 'Content-Length': String(bytes), ...(type === 'image/svg+xml' && PICTURE_HEADERS) },
    contentType: type,
    hasETag: true,
    etag: computeEtag(hash),
  }
}

function* decodeInChunks(digits: Buffer) {
  for (let at = 0; at < digits.length; at += DIGITS_PER_CHUNK)
    yield Buffer.from(digits.toString('latin1', at, at + DIGITS_PER_CHUNK), 'base64')
}
