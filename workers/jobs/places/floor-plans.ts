// Floor plans: an uploaded file is accepted if it is a picture that every browser shows and none executes.
import { createHash } from 'node:crypto'
import { onlyRow } from '../../../shared/database/database.ts'
import { FLOOR_PLAN_BYTES_MAX } from '../../../shared/locations/locations.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction } from '../../runtime/context.ts'
import { pictureType, readPicture } from './pictures.ts'

// A small file can unpack to a picture too large for any browser.
const PIXELS_MAX = 100_000_000

export const NO_FLOOR_PLAN = {
  floor_plan: null,
  floor_plan_type: null,
  floor_plan_width: null,
  floor_plan_height: null,
  floor_plan_orientation: null,
  floor_plan_sha256: null,
}
type FloorPlanColumns = Record<keyof typeof NO_FLOOR_PLAN, unknown>

/** Returns the floor plan columns of a location. */
export async function readFloorPlan(trx: Transaction, fileId: string): Promise<FloorPlanColumns> {
  await refuseLarge(trx, fileId)
  const data = await readWhole(trx, fileId)
  const type = pictureType(data)
  if (!type) throw refuse(message`A floor plan must be a PNG or JPEG picture; this file is neither.`)
  const picture = readPicture(data, type)
  if (!picture) throw refuse(message`The picture is damaged and cannot be read.`)
  const { width, height } = picture
  if (width * height > PIXELS_MAX) {
    throw refuse(
      message`The picture has ${width} × ${height} pixels; a floor plan can have at most 100 million.`,
    )
  }
  return {
    floor_plan: picture.data,
    floor_plan_type: type,
    floor_plan_width: width,
    floor_plan_height: height,
    floor_plan_orientation: picture.orientation,
    floor_plan_sha256: createHash('sha256').update(picture.data).digest(),
  }
}

// Checks the size before the file is loaded into memory.
async function refuseLarge(trx: Transaction, fileId: string): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT (SELECT coalesce(sum(octet_length(data)), 0)::int FROM file_chunks WHERE file_id = files.id) AS bytes
     FROM files WHERE id = ? AND completed_at IS NOT NULL`,
    [fileId],
  )
  if (rows.length === 0) throw refuse(message`The uploaded file no longer exists. Upload it again.`)
  const { bytes } = onlyRow<{ bytes: number }>(rows)
  if (bytes > FLOOR_PLAN_BYTES_MAX) {
    throw new Refusal(
      'too_large',
      message`A floor plan can have at most ${FLOOR_PLAN_BYTES_MAX / 1024 / 1024} MiB.`,
    )
  }
}

async function readWhole(trx: Transaction, fileId: string): Promise<Buffer> {
  const { rows } = await trx.raw(
    `SELECT coalesce(string_agg(data, '' ORDER BY number), '') AS data FROM file_chunks WHERE file_id = ?`,
    [fileId],
  )
  return onlyRow<{ data: Buffer }>(rows).data
}

function refuse(problem: Message): Refusal {
  return invalid({ file: [problem] })
}
