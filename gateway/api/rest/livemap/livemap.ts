// Responds with the live map of a location. The picture of the floor plan may be megabytes long and is the
// same for everybody, so it is encoded once, cached while there is room (services.floorPlans), and sent from
// the cache in chunks.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { claimsAtSql, timestampSql } from '../../../../shared/affected-bookings/claims.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
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
import { serviceUnavailable } from '../../../overload/refusals.ts'
import type { LimitedDatabase } from '../../../reads/limits/building-limits.ts'
import { BOOKABLE_SHAPE_SQL, type BookableShape } from '../../../reads/map/map-layouts.ts'
import {
  drawLivemap,
  type FloorPlan,
  type LivemapFacts,
  type MapBookable,
} from '../../../reads/map/picture.ts'
import type { Answer } from '../../../server/http/call.ts'
import type { Services } from '../../../server/services/services.ts'

// Leaves out deleted bookables, except the bookable of the requested past booking.
const bookables = selectJson(
  listJson(
    objectJson<MapBookable>({
      id: number('bookables.id'),
      name: text('bookables.name'),
      status: number('bookables.status'),
      occupied: flag(`EXISTS (${claimsAtSql(timestampSql('$2'))})`),
      lentUntil: text<string | null>(lentUntilSql(timestampSql('$2'))),
      x: text('bookables.position_x'),
      y: text('bookables.position_y'),
      shape: json<BookableShape | null>(BOOKABLE_SHAPE_SQL),
    }),
    'bookables.id',
  ),
  `FROM bookables
   WHERE bookables.location_id = locations.id AND (bookables.deleted_at IS NULL OR bookables.id = booked.id)`,
)

export const livemapStatement = {
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

// A row has either all fields of the floor plan or none of them.
type LivemapRow = Omit<LivemapFacts, 'bookables'> & { bookables: string } & (FloorPlan | { hash: null })

async function findLivemap(
  pool: LimitedDatabase,
  bookingId: number,
  now: string,
): Promise<{ facts: LivemapFacts; floorPlan: FloorPlan | undefined } | undefined> {
  const { rows } = await pool.query<LivemapRow>({ ...livemapStatement, values: [bookingId, now] })
  const [row] = rows
  if (!row) return undefined
  const facts = { ...row, bookables: JSON.parse(row.bookables) as MapBookable[] }
  return { facts, floorPlan: row.hash === null ? undefined : row }
}

// Postgres encodes the picture in base64, because the default encoding of a bytea, hexadecimal digits, is
// longer.
const picture = {
  name: 'find-floor-plan-picture',
  text: `
    SELECT translate(encode(floor_plan, 'base64'), E'\\n', '') AS base64 FROM locations
    WHERE id = $1 AND floor_plan_sha256 = decode($2, 'hex')`,
}

/** Returns the picture with this hash in base64, or undefined if the location now has another picture. */
export async function findFloorPlanPicture(
  pool: LimitedDatabase,
  locationId: number,
  hash: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ base64: string }>({ ...picture, values: [locationId, hash] })
  return rows[0] && Buffer.from(rows[0].base64, 'latin1')
}

export const LIVEMAP_TYPE = 'image/svg+xml'

// How long a request waits to draw a map. Drawing a map takes some milliseconds; requests that wait longer
// would delay everybody else's reads.
const DRAWING_WAIT_MS = 2_000
const CHUNK_BYTES = 256 * 1024
const ATTEMPTS_MAX = 3

/** Responds with the live map. Returns undefined if the booking does not exist. */
export async function answerLivemap(
  services: Services,
  pool: LimitedDatabase,
  bookingId: number,
  now: string,
): Promise<Answer | undefined> {
  const release = await services.livemaps.take({ waitMs: DRAWING_WAIT_MS })
  if (!release)
    throw serviceUnavailable('maps_overload', message`Too many maps are being drawn. Try again shortly.`)
  try {
    return await createLivemapAnswer(services, pool, bookingId, now)
  } finally {
    release()
  }
}

async function createLivemapAnswer(
  { floorPlans }: Services,
  pool: LimitedDatabase,
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
    // Tries again if the floor plan was replaced between the two statements.
    if (!picture) continue
    // The placeholder is random, so that no name on the map can contain it.
    const placeholder = randomUUID()
    const drawn = drawLivemap(facts, floorPlan, `data:${type};base64,${placeholder}`)
    const [before = '', after = ''] = drawn.split(placeholder)
    const chunks = splitIntoChunks(Buffer.from(before), picture, Buffer.from(after))
    const bytes = Buffer.byteLength(before) + picture.length + Buffer.byteLength(after)
    return {
      status: 200,
      // Streams the cached chunks without copying the picture: all responses share the same bytes, even if
      // clients read slowly.
      body: Readable.from(chunks, { objectMode: false }),
      headers: { 'Content-Length': String(bytes) },
      contentType: LIVEMAP_TYPE,
    }
  }
  throw new Refusal('unavailable', message`The floor plan is being replaced. Try again shortly.`)
}

function* splitIntoChunks(before: Buffer, picture: Buffer, after: Buffer) {
  yield before
  for (let at = 0; at < picture.length; at += CHUNK_BYTES) yield picture.subarray(at, at + CHUNK_BYTES)
  yield after
}
