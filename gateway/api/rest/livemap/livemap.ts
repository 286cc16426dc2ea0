// Answers with the picture of a location. Its floor plan may have megabytes and is the same for everybody, so
// it is encoded once, kept while there is room (services.floorPlans), and sent from there in pieces.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { claimsAt, momentSql } from '../../../../shared/affected-bookings/claims.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import {
  flag,
  json,
  listJson,
  number,
  objectJson,
  selectJson,
  text,
} from '../../../../shared/schemas/json.ts'
import { unavailable } from '../../../overload/refusals.ts'
import type { Database } from '../../../reads/limits/building-limits.ts'
import { SHAPE_SQL, type Shape } from '../../../reads/map/map-layouts.ts'
import {
  drawLivemap,
  type FloorPlan,
  type LivemapFacts,
  type MapBookable,
} from '../../../reads/map/picture.ts'
import type { Answer } from '../../../server/http/call.ts'
import type { Services } from '../../../server/services/services.ts'

// Of deleted bookables, only the one with the past booking that is shown.
const bookables = selectJson(
  listJson(
    objectJson<MapBookable>({
      id: number('bookables.id'),
      name: text('bookables.name'),
      status: number('bookables.status'),
      occupied: flag(`EXISTS (${claimsAt(momentSql('$2'))})`),
      x: text('bookables.position_x'),
      y: text('bookables.position_y'),
      shape: json<Shape | null>(SHAPE_SQL),
    }),
    'bookables.id',
  ),
  `FROM bookables
   WHERE bookables.location_id = locations.id AND (bookables.deleted_at IS NULL OR bookables.id = booked.id)`,
)

export const livemap = {
  name: 'find-livemap',
  text: `
    SELECT buildings.name AS building, locations.name AS location, booked.id AS "bookableId",
      ${bookables} AS bookables,
      locations.id AS "locationId", encode(locations.floor_plan_sha256, 'hex') AS hash,
      locations.floor_plan_type AS type, locations.floor_plan_width AS width,
      locations.floor_plan_height AS height, locations.floor_plan_orientation AS orientation, locations.cell_width AS "cellWidth",
      locations.plan_shapes AS shapes
    FROM bookings
    JOIN bookables AS booked ON booked.id = bookings.bookable_id
    JOIN locations ON locations.id = booked.location_id
    JOIN buildings ON buildings.id = locations.building_id
    WHERE bookings.id = $1 AND bookings.user_id IS NOT NULL`,
}

// Either all fields of the floor plan, or none.
type Row = Omit<LivemapFacts, 'bookables'> & { bookables: string } & (FloorPlan | { hash: null })

async function findLivemap(
  pool: Database,
  bookingId: number,
  now: string,
): Promise<{ facts: LivemapFacts; floorPlan: FloorPlan | undefined } | undefined> {
  const { rows } = await pool.query<Row>({ ...livemap, values: [bookingId, now] })
  const [row] = rows
  if (!row) return undefined
  const facts = { ...row, bookables: JSON.parse(row.bookables) as MapBookable[] }
  return { facts, floorPlan: row.hash === null ? undefined : row }
}

// Postgres encodes the picture in base64: as a bytea it would be sent as hexadecimal digits.
const picture = {
  name: 'find-floor-plan-picture',
  text: `
    SELECT translate(encode(floor_plan, 'base64'), E'\\n', '') AS base64 FROM locations
    WHERE id = $1 AND floor_plan_sha256 = decode($2, 'hex')`,
}

/** The picture with this hash, in base64; undefined if the location has another one by now. */
export async function findFloorPlanPicture(
  pool: Database,
  locationId: number,
  hash: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ base64: string }>({ ...picture, values: [locationId, hash] })
  return rows[0] && Buffer.from(rows[0].base64, 'latin1')
}

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
    const chunks = chunksOf(Buffer.from(before), picture, Buffer.from(after))
    const bytes = Buffer.byteLength(before) + picture.length + Buffer.byteLength(after)
    return {
      status: 200,
      // No answer copies the picture: all of them share the same bytes, however slowly clients read.
      body: Readable.from(chunks, { objectMode: false }),
      headers: { 'Content-Length': String(bytes) },
      contentType: LIVEMAP_TYPE,
    }
  }
  throw new Refusal('unavailable', message`The floor plan is being replaced. Try again shortly.`)
}

function* chunksOf(before: Buffer, picture: Buffer, after: Buffer) {
  yield before
  for (let at = 0; at < picture.length; at += CHUNK_BYTES) yield picture.subarray(at, at + CHUNK_BYTES)
  yield after
}
