// Stores the displayed size, the orientation and the hash of a floor plan, so that drawing and serving the plan does
// not require reading its picture.
import { imageSize } from 'image-size'
import type { Knex } from 'knex'

const FIRST_SIDEWAYS_ORIENTATION = 5

export async function up(database: Knex): Promise<void> {
  await database.raw(`
    ALTER TABLE locations
      ADD COLUMN floor_plan_width integer CONSTRAINT locations__floor_plan_width_positive CHECK (floor_plan_width > 0),
      ADD COLUMN floor_plan_height integer
        CONSTRAINT locations__floor_plan_height_positive CHECK (floor_plan_height > 0),
      ADD COLUMN floor_plan_orientation smallint
        CONSTRAINT locations__floor_plan_orientation_known CHECK (floor_plan_orientation BETWEEN 1 AND 8),
      ADD COLUMN floor_plan_sha256 bytea;
    ALTER TABLE locations DROP CONSTRAINT locations__floor_plan_whole;
    UPDATE locations SET floor_plan_sha256 = sha256(floor_plan), floor_plan_orientation = 1
    WHERE floor_plan IS NOT NULL;
  `)
  const { rows: plans } = await database.raw(
    'SELECT id FROM locations WHERE floor_plan IS NOT NULL ORDER BY id',
  )
  for (const { id } of plans) {
    // Reads one picture at a time, because each may be megabytes long.
    const { rows } = await database.raw('SELECT floor_plan FROM locations WHERE id = ?', [id])
    const { width, height } = measurePicture(rows[0].floor_plan)
    await database.raw('UPDATE locations SET floor_plan_width = ?, floor_plan_height = ? WHERE id = ?', [
      width,
      height,
      id,
    ])
  }
  await database.raw(`
    ALTER TABLE locations ADD CONSTRAINT locations__floor_plan_whole CHECK (
      num_nonnulls(floor_plan, floor_plan_type, floor_plan_width, floor_plan_height, floor_plan_orientation,
        floor_plan_sha256) IN (0, 6)
    )`)
}

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE locations DROP CONSTRAINT locations__floor_plan_whole;
    ALTER TABLE locations
      DROP COLUMN floor_plan_width, DROP COLUMN floor_plan_height, DROP COLUMN floor_plan_orientation,
      DROP COLUMN floor_plan_sha256,
      ADD CONSTRAINT locations__floor_plan_whole CHECK ((floor_plan IS NULL) = (floor_plan_type IS NULL));
  `)

// Returns the displayed size of a picture. The stored bytes stay unchanged, because browsers rotate a photo by its
// orientation. A picture of unknown size is drawn four by three, as before.
function measurePicture(picture: Buffer): { width: number; height: number } {
  try {
    // Copies the picture to a separate buffer, because the library reads past the end of a slice of a larger one.
    const { width, height, orientation = 1 } = imageSize(new Uint8Array(picture))
    if (width > 0 && height > 0) {
      return orientation >= FIRST_SIDEWAYS_ORIENTATION ? { width: height, height: width } : { width, height }
    }
  } catch {
    // Uses the default size for a picture that is damaged, or whose format is no longer accepted.
  }
  return { width: 4, height: 3 }
}
