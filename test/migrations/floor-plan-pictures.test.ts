// Floor plans from before their size was stored: the migration measures them.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { listMigrations, migrateDown, migrateUp, migrationStatus } from '../../shared/database/migrations.ts'
import { drawnPng, turnedJpeg } from '../support/dashboard/pictures.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { createLocation } from '../support/factories.ts'

describe('the migration of floor plans', () => {
  const database = useConnection(useDatabase({ empty: true }))
  before(() => migrateUp(database))

  it('stores the size and the hash of existing floor plans, and keeps their bytes', async () => {
    const name = (await listMigrations()).find((each) => each.endsWith('floor-plan-pictures')) ?? ''
    while (!(await migrationStatus(database)).pending.includes(name)) await migrateDown(database)
    const before: Array<[data: Buffer | null, width: number | null, height: number | null]> = [
      [drawnPng(30, 20), 30, 20],
      // Browsers turn it by what it says of itself.
      [turnedJpeg(6), 20, 40],
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
