// Tests locations and their floor plans, which administrators create, change and delete.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { imageSize } from 'image-size'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createRotatedJpeg,
  createRotatedPng,
  drawPng,
  RED_LEFT_BLUE_RIGHT,
} from '../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createFile,
  createLocation,
  hoursFromNow,
} from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const WAITING_WRITES_SQL = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'berth-worker' AND wait_event_type = 'Lock'`

const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a46494600010101000000000000ffc0000b080140028001011100ffd9', 'hex')

const readTestFile = (path: string) => readFileSync(join(projectDirectory, path))
const WEBP = readTestFile('docs/pictures/floor.webp')
const PDF = readTestFile('test/workers/pictures/plan.pdf')

function createSizeColumns(picture: Buffer) {
  const { width, height } = imageSize(new Uint8Array(picture))
  return { floor_plan_width: width, floor_plan_height: height }
}

const png = (width: number, height: number, bytes = 100) => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([PNG_HEAD, size, Buffer.alloc(bytes - PNG_HEAD.length - 8, 7)])
}

describe('an administrator’s locations', () => {
  // Reading a PDF takes seconds on a busy machine.
  const world = useWorld({ environment: { WRITE_WAIT_MS: '60000' } })
  const admin = useAdmin(world)

  const find = (id: number) => world.database('locations').where({ id }).first()

  it('can be created, changed, moved and deleted, each time with an audit entry', async () => {
    const [building_id, other] = [await createBuilding(world.database), await createBuilding(world.database)]
    const { json } = await admin.ask('locations.create', { building_id, name: 'Floor 1', code: 'F1' })
    const { id } = json.data
    expect(await find(id)).to.include({ building_id, name: 'Floor 1', code: 'F1' })
    expect((await admin.ask('locations.update', { id, building_id: other, code: '' })).status).to.equal(200)
    expect(await find(id)).to.include({ building_id: other, name: 'Floor 1', code: '' })
    expect((await admin.ask('locations.delete', { id })).status).to.equal(204)
    expect(await find(id)).to.equal(undefined)
    const log = await world
      .database('audit_log')
      .where({ resource: 'locations', resource_id: id })
      .orderBy('id')
    expect(log.map(({ action }) => action)).to.deep.equal([
      'locations.create',
      'locations.update',
      'locations.delete',
    ])
    expect(log[1].before).to.include({ building_id, code: 'F1' })
    expect(log[1].after).to.include({ building_id: other, code: '' })
  })

  it('lock no desk while a move to another building waits for an import into the location', async () => {
    const { bookable_id, location_id: id } = await createDesk(world.database)
    const building_id = await createBuilding(world.database)
    const importing = await world.database.transaction()
    try {
      await importing('locations').where({ id }).forNoKeyUpdate().select('id')
      const moved = admin.ask('locations.update', { id, building_id })
      await eventually(async () =>
        expect((await world.database.raw(WAITING_WRITES_SQL)).rows).to.have.length(1),
      )
      const desks = await world.database.transaction((trx) =>
        trx('bookables').where({ id: bookable_id }).forUpdate().skipLocked().pluck('id'),
      )
      await importing.commit()
      expect((await moved).status).to.equal(200)
      expect(desks).to.deep.equal([bookable_id])
    } finally {
      if (!importing.isCompleted()) await importing.rollback()
    }
  })

  it('are refused with a sentence if a field is invalid or an id is unknown', async () => {
    const id = await createLocation(world.database)
    const unknown = await admin.ask('locations.create', { building_id: 999_999, name: 'Floor' })
    expect(unknown.json.errors).to.deep.equal({ building_id: ['There is no building with this id.'] })
    const moved = await admin.ask('locations.update', { id, building_id: 999_999 })
    expect(moved.json.errors).to.have.all.keys('building_id')
    const { json } = await admin.ask('locations.create', { name: '', code: 'x'.repeat(256) })
    expect(json.errors).to.have.all.keys('building_id', 'name', 'code')
    for (const [job, input] of [
      ['locations.update', { name: 'x' }],
      ['locations.delete', {}],
      ['locations.set-floor-plan', { file_id: null }],
      ['locations.set-cell-width', { cell_width: 0.05 }],
      ['locations.set-plan-shapes', { shapes: [], before: [] }],
      ['locations.set-blank-floor-plan', {}],
    ] as const) {
      expect((await admin.ask(job, { id: 999_999, ...input })).status, job).to.equal(404)
    }
  })

  it('have a cell width, which the audit log and the change feed show until it is reset', async () => {
    const id = await createLocation(world.database)
    for (const cell_width of [0.05, null]) {
      const requestId = `cell-width-${cell_width}`
      const done = await admin.ask('locations.set-cell-width', { id, cell_width }, { requestId })
      expect(done.status).to.equal(200)
      expect(await find(id)).to.include({ cell_width })
      const [entry] = await readAudit(world, requestId)
      expect(entry?.action).to.equal('locations.update')
      expect(entry?.after).to.include({ cell_width })
      expect(await world.database('changes').where({ request_id: requestId })).to.have.length(1)
    }
    for (const cell_width of [0, 1.5, '0.1', undefined])
      expect((await admin.ask('locations.set-cell-width', { id, cell_width })).json.errors).to.have.all.keys(
        'cell_width',
      )
  })

  it('cannot be deleted while they have bookables, or past bookings of deleted bookables', async () => {
    const id = await createLocation(world.database, { name: 'Floor 9' })
    const bookable_id = await createBookable(world.database, { location_id: id })
    const refused = await admin.ask('locations.delete', { id })
    expect(refused.status).to.equal(409)
    expect(refused.json.detail).to.equal('Floor 9 still has 1 bookable. Delete or move it first.')
    await createBooking(world.database, { bookable_id, from: hoursFromNow(-9), to: hoursFromNow(-8) })
    await world.database('bookables').where({ id: bookable_id }).update({ deleted_at: new Date() })
    const kept = await admin.ask('locations.delete', { id })
    expect(kept.status).to.equal(409)
    expect(kept.json.detail).to.include('is needed for the past bookings of 1 deleted bookable')
    expect(await find(id)).to.include({ name: 'Floor 9' })
  })

  describe('locations with floor plans', () => {
    let id: number
    beforeEach(async () => {
      id = await createLocation(world.database)
    })
    const setPlan = async (data: Buffer) =>
      admin.ask('locations.set-floor-plan', { id, file_id: await createFile(world.database, data) })

    it('store a PNG or JPEG unchanged, even if it came in many chunks, and delete the upload', async () => {
      const filesBefore = await world.database('files').pluck('id')
      const large = png(4_000, 3_000, 10 * 1024 * 1024)
      expect((await setPlan(large)).status).to.equal(200)
      let row = await find(id)
      expect(row.floor_plan_type).to.equal('image/png')
      expect(row.floor_plan.equals(large)).to.equal(true)
      expect((await setPlan(JPEG)).status).to.equal(200)
      row = await find(id)
      expect(row.floor_plan_type).to.equal('image/jpeg')
      expect(row.floor_plan.equals(JPEG)).to.equal(true)
      expect(await world.database('files').pluck('id')).to.deep.equal(filesBefore)
      expect((await admin.ask('locations.set-floor-plan', { id, file_id: null })).status).to.equal(200)
      const none = {
        floor_plan: null,
        floor_plan_type: null,
        floor_plan_width: null,
        floor_plan_sha256: null,
      }
      expect(await find(id)).to.include(none)
    })

    it('store the size and hash of a floor plan', async () => {
      await setPlan(drawPng(30, 20))
      const row = await find(id)
      expect(row).to.include({ floor_plan_width: 30, floor_plan_height: 20, floor_plan_orientation: 1 })
      expect(row.floor_plan_sha256.equals(createHash('sha256').update(row.floor_plan).digest())).to.equal(
        true,
      )
    })

    it('rotate a photo upright by its metadata, and keep no other metadata', async () => {
      for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
        expect((await setPlan(createRotatedJpeg(orientation))).status).to.equal(200)
        const row = await find(id)
        const [floor_plan_width, floor_plan_height] = orientation > 4 ? [20, 40] : [40, 20]
        expect(row).to.include({ floor_plan_width, floor_plan_height, floor_plan_orientation: orientation })
        expect(row.floor_plan.equals(RED_LEFT_BLUE_RIGHT)).to.equal(true)
      }
      for (const nonsense of [0, 9, 65_535]) {
        await setPlan(createRotatedJpeg(nonsense))
        expect(await find(id)).to.include({ floor_plan_width: 40, floor_plan_orientation: 1 })
      }
      await setPlan(createRotatedPng(30, 20, 6))
      expect((await find(id)).floor_plan.equals(drawPng(30, 20))).to.equal(true)
    })

    it('record the size of a floor plan in the audit log, but not the image', async () => {
      await setPlan(JPEG)
      const [entry] = await world
        .database('audit_log')
        .where({ action: 'locations.set-floor-plan', resource_id: id })
      expect(entry.before).to.include({ floor_plan_bytes: null, floor_plan_width: null })
      expect(entry.after).to.include({
        floor_plan_bytes: JPEG.length,
        floor_plan_width: 640,
        floor_plan_height: 320,
      })
      expect(entry.after).to.not.have.property('floor_plan')
    })

    it('store WebP without photo metadata, SVG without scripts, and the first page of a PDF', async () => {
      await setPlan(Buffer.concat([WEBP, Buffer.from('EXIF\x05\0\0\0Place\0', 'latin1')]))
      const webp = await find(id)
      expect(webp).to.include({ floor_plan_type: 'image/webp', ...createSizeColumns(WEBP) })
      expect(webp.floor_plan.equals(WEBP)).to.equal(true)
      expect((await setPlan(Buffer.from(svg))).status).to.equal(200)
      const drawn = await find(id)
      expect(drawn).to.include({ floor_plan_type: 'image/svg+xml', floor_plan_width: 3200 })
      expect(drawn.floor_plan.toString()).to.include('<svg').and.not.include('script')
      expect((await setPlan(PDF)).status).to.equal(200)
      const page = await find(id)
      expect(page).to.include({ floor_plan_type: 'image/png', ...createSizeColumns(page.floor_plan) })
    })

    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><script>alert(1)</script></svg>'
    const refused: Record<string, [data: Buffer, sentence: RegExp]> = {
      'an SVG without an end': [Buffer.from(svg.slice(0, -6)), /SVG is damaged/],
      'a PDF without a page': [Buffer.from('%PDF-1.7'), /PDF is damaged/],
      'an SVG that begins like a PNG': [Buffer.from(`.PNG${svg}`), /must be a PNG, JPEG, WebP, SVG or PDF/],
      'a GIF': [Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), /must be a PNG, JPEG, WebP, SVG or PDF/],
      'a page': [
        Buffer.from('<!doctype html><script>alert(1)</script>'),
        /must be a PNG, JPEG, WebP, SVG or PDF/,
      ],
      'an empty file': [Buffer.alloc(0), /must be a PNG, JPEG, WebP, SVG or PDF/],
      'a PNG that ends in its header': [png(4, 3).subarray(0, 18), /damaged/],
      'a PNG without a size': [png(0, 3), /damaged/],
      'a JPEG without a picture': [JPEG.subarray(0, 12), /damaged/],
      'a picture with too many pixels': [png(20_000, 20_000), /20000 × 20000 pixels/],
    }
    for (const [title, [data, sentence]] of Object.entries(refused)) {
      it(`refuse ${title} as a floor plan`, async () => {
        await setPlan(JPEG)
        const { status, json } = await setPlan(data)
        expect(status).to.equal(422)
        expect(json.errors).to.have.all.keys('file')
        expect(json.errors.file[0]).to.match(sentence)
        expect((await find(id)).floor_plan.equals(JPEG)).to.equal(true)
      })
    }

    it('refuse a file of more than 10 MiB, and a missing file', async () => {
      const { status, json } = await setPlan(png(4, 3, 10 * 1024 * 1024 + 1))
      expect(status).to.equal(413)
      expect(json.detail).to.include('10 MiB')
      for (const file_id of ['00000000-0000-4000-8000-000000000001', 'x']) {
        expect((await admin.ask('locations.set-floor-plan', { id, file_id })).status).to.equal(422)
      }
      const unfinished = await createFile(world.database, JPEG)
      await world.database('files').where({ id: unfinished }).update({ completed_at: null })
      expect((await admin.ask('locations.set-floor-plan', { id, file_id: unfinished })).status).to.equal(422)
      expect((await find(id)).floor_plan).to.equal(null)
    })
  })
})
