// Tests the migration that measures floor plans stored before their size was recorded.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import {
  listMigrations,
  migrateDown,
  migrateUp,
  readMigrationStatus,
} from '../../shared/database/migrations.ts'
import { createRotatedJpeg, drawPng } from '../support/dashboard/pictures.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { createLocation } from '../support/factories.ts'

describe('the migration of floor-plan images', () => {
  const database = useConnection(useDatabase({ empty: true }))
  before(() => migrateUp(database))

  it('stores the size and the hash of existing floor plans, and leaves the images unchanged', async () => {
    const name = (await listMigrations()).find((each) => each.endsWith('floor-plan-pictures')) ?? ''
    while (!(await readMigrationStatus(database)).pending.includes(name)) await migrateDown(database)
    const before: Array<[data: Buffer | null, width: number | null, height: number | null]> = [
      [drawPng(30, 20), 30, 20],
      // Browsers rotate the picture by its metadata.
      [createRotatedJpeg(6), 20, 40],
      [Buffer.from('damaged'), 4, 3],
      [null, null, null],
    ]
    const ids: number[] = []
    for (const [data] of before) {
      const row = data ? { floor_plan: data, floor_plan_type: 'image/png' } : {}
      ids.push(await createLocation(database, row))
    }
    await migrateUp(database)
    for (const [index, [data, floor_plan_width, floor_plan_height]] of before.entries()) {
      const row = await database('locations').where({ id: ids[index] }).first()
      expect(row).to.include({ floor_plan_width, floor_plan_height })
      expect(row.floor_plan).to.deep.equal(data)
      expect(row.floor_plan_orientation).to.equal(data && 1)
      const hash = data && createHash('sha256').update(data).digest()
      expect(row.floor_plan_sha256).to.deep.equal(hash)
    }
  })
})
