// Floor plans: an uploaded file becomes one when its content is a picture that every browser shows and none runs.

import { PLAN_BYTES_MAX } from '../../../shared/contracts/locations.ts'
import { onlyRow } from '../../../shared/database.ts'
import { imageSize, imageType } from '../../../shared/image-size.ts'
import { invalid, Refusal } from '../../../shared/refusal.ts'
import type { Transaction } from '../../context.ts'

export type Plan = { floor_plan: Buffer; floor_plan_type: string }

// A small file can unpack to a picture that no browser can hold.
const PIXELS_MAX = 100_000_000

export async function readPlan(trx: Transaction, fileId: string): Promise<Plan> {
  await refuseLarge(trx, fileId)
  const data = await readWhole(trx, fileId)
  const type = imageType(data)
  if (!type) throw refuse('A floor plan must be a PNG or JPEG picture; this file is neither.')
  const size = imageSize(data)
  if (!size) throw refuse('The picture cannot be read: its beginning is damaged.')
  if (size.width * size.height > PIXELS_MAX) {
    throw refuse(
      `The picture has ${size.width} × ${size.height} pixels: a floor plan has at most 100 million.`,
    )
  }
  return { floor_plan: data, floor_plan_type: type }
}

// Before it is in memory.
async function refuseLarge(trx: Transaction, fileId: string): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT (SELECT coalesce(sum(octet_length(data)), 0)::int FROM file_chunks WHERE file_id = files.id) AS bytes
     FROM files WHERE id = ? AND completed_at IS NOT NULL`,
    [fileId],
  )
  if (rows.length === 0) throw refuse('There is no such file, or not any more: send it again.')
  const { bytes } = onlyRow<{ bytes: number }>(rows)
  if (bytes > PLAN_BYTES_MAX) {
    throw new Refusal('too_large', `A floor plan may have ${PLAN_BYTES_MAX / 1024 / 1024} MiB at most.`)
  }
}

async function readWhole(trx: Transaction, fileId: string): Promise<Buffer> {
  const { rows } = await trx.raw(
    `SELECT coalesce(string_agg(data, '' ORDER BY number), '') AS data FROM file_chunks WHERE file_id = ?`,
    [fileId],
  )
  return onlyRow<{ data: Buffer }>(rows).data
}

function refuse(sentence: string): Refusal {
  return invalid({ file: [sentence] })
}
