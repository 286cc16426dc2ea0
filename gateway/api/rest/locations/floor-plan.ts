// Answers with the floor plan of a location: the picture itself, from the cache of pictures, in pieces.
import { Readable } from 'node:stream'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { etagOf } from '../../../../shared/utilities/etags.ts'
import type { Database } from '../../../reads/limits/building-limits.ts'
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

/** All are null if there is no floor plan. */
type Row = { hash: string | null; type: string; bytes: number }

/** Four digits of base64 are three bytes, so a piece must have a multiple of four. */
const DIGITS = 256 * 1024

/** Undefined if the location does not exist. */
export async function answerFloorPlan(
  { floorPlans }: Services,
  pool: Database,
  locationId: number,
): Promise<Answer | undefined> {
  const { rows } = await pool.query<Row>({ ...floorPlanById, values: [locationId] })
  const [row] = rows
  if (!row) return undefined
  const { hash, type, bytes } = row
  if (hash === null) throw new Refusal('not_found', message`This floor has no floor plan.`)
  const digits = await floorPlans.get(hash, () => findFloorPlanPicture(pool, locationId, hash))
  // It was replaced between the two statements.
  if (!digits) throw new Refusal('unavailable', message`The floor plan is being replaced. Try again shortly.`)
  return {
    status: 200,
    body: Readable.from(decode(digits), { objectMode: false }),
    headers: { 'Content-Length': String(bytes), ...(type === 'image/svg+xml' && PICTURE_HEADERS) },
    contentType: type,
    hasETag: true,
    etag: etagOf(hash),
  }
}

function* decode(digits: Buffer) {
  for (let at = 0; at < digits.length; at += DIGITS)
    yield Buffer.from(digits.toString('latin1', at, at + DIGITS), 'base64')
}
