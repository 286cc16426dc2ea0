// Tests the picture of a booking's location: it shows every bookable with its state, marks the booked one, and contains
// no injected content.
import { expect } from 'chai'
import fc from 'fast-check'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createBooking, createEvent } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/http/reading.ts'
import { createOffice, deleteAllResources, type Office } from '../../../../support/office.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { type Element, findAll, parseXml } from '../../../../support/xml.ts'

const NOW = '2026-11-20T09:30:00Z'
const NEXT_WEEK = { from: '2026-11-27T09:00:00Z', to: '2026-11-27T10:00:00Z' }

// A picture of 2 x 1 pixels.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAEElEQVR4nGP8z8DAwMDABAAHCgEBT7Y5RAAAAABJRU5ErkJggg==',
  'base64',
)

describe('GET bookings/{id}/livemap', () => {
  const world = useWorld({
    workers: [],
    now: () => Date.parse(NOW),
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world, 'read')
  let office: Office
  beforeEach(async () => {
    await deleteAllResources(world.database)
    office = await createOffice(world.database)
  })

  const bookDesk = () => createBooking(world.database, { bookable_id: office.desk.id, ...NEXT_WEEK })
  const draw = async (id: number) => {
    const answer = await client.get(`bookings/${id}/livemap`)
    expect(answer.status).to.equal(200)
    return parseXml(answer.text)
  }
  const titleOf = (element: Element) => element.children.find(({ name }) => name === 'title')?.text
  const cellsOf = (picture: Element) => findAll(picture, ({ attributes }) => 'data-bookable' in attributes)
  const cellOf = (picture: Element, id: number) =>
    cellsOf(picture).find(({ attributes }) => attributes['data-bookable'] === String(id))
  const placeOf = (cell: Element | undefined) =>
    (/translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)/.exec(cell?.attributes.transform ?? '') ?? [])
      .slice(1)
      .map(Number)

  it('draws the rooms, zones and walls of the floor plan, below the bookables', async () => {
    const id = await bookDesk()
    const corners = { x1: 0.1, y1: 0.2, x2: 0.3, y2: 0.4, tone: 'blue' }
    const shapes = [
      { kind: 'area', name: 'Sales', ...corners },
      { kind: 'wall', name: '', ...corners },
    ]
    await world
      .database('locations')
      .update({ ...createFloorPlanColumns(drawPng(3, 2)), plan_shapes: JSON.stringify(shapes) })
    const picture = await draw(id)
    const [area] = findAll(picture, ({ attributes }) => attributes.class === 'plan-shapes')
    const [box, name, wall] = area?.children ?? []
    expect(box?.attributes).to.include({ x: '120', y: '160', width: '240', height: '160' })
    expect(name?.text).to.equal('Sales')
    expect(wall?.attributes).to.include({ x1: '120', y1: '160', x2: '360', y2: '320' })
  })

  it('draws an SVG of the location that shows the name and state of every bookable', async () => {
    const id = await bookDesk()
    await createBooking(world.database, {
      bookable_id: office.home.id,
      exclusive: false,
      from: '2026-11-20T09:00:00Z',
      to: null,
    })
    await createBookable(world.database, { name: 'Elsewhere' })
    const answer = await client.get(`bookings/${id}/livemap`, { Accept: 'image/svg+xml' })
    expect(answer.headers.get('Content-Type')).to.match(/^image\/svg\+xml/)
    const picture = parseXml(answer.text)
    expect(picture.name).to.equal('svg')
    expect(titleOf(picture)).to.equal('Ground “floor” <0>, Harbour House: Desk 1 is booked')
    expect(cellsOf(picture).map(titleOf)).to.have.members([
      'Desk 1: free (this booking)',
      'P-001: assigned',
      'Elbe: blocked',
      'Home office: occupied',
    ])
    const [marked] = findAll(picture, ({ attributes }) => attributes['data-booked'] === 'true')
    expect(marked?.attributes['data-bookable']).to.equal(String(office.desk.id))
    // Each state has its own colour and label.
    const looks = cellsOf(picture).map(
      (cell) => cell.children.findLast(({ name }) => name === 'rect')?.attributes.fill,
    )
    expect(new Set(looks).size).to.equal(4)
    const words = findAll(picture, ({ name }) => name === 'text').map(({ text }) => text)
    expect(words).to.include.members(['Desk 1', 'Elbe', 'free · booked', 'blocked', 'assigned', 'occupied'])
  })

  it('shows bookables as occupied during bookings and events, even if they are blocked', async () => {
    const now = { from: '2026-11-20T09:30:00Z', to: '2026-11-20T09:30:00.000001Z' }
    const id = await createBooking(world.database, { bookable_id: office.desk.id, ...now })
    const event_id = await createEvent(world.database, now)
    await createBooking(world.database, { event_id, bookable_id: office.room.id, ...now })
    await createBooking(world.database, {
      bookable_id: office.parking.id,
      from: '2026-11-01T00:00:00Z',
      to: now.from,
    })
    const picture = await draw(id)
    expect(titleOf(cellOf(picture, office.desk.id) as Element)).to.equal('Desk 1: occupied (this booking)')
    expect(titleOf(cellOf(picture, office.room.id) as Element)).to.equal('Elbe: occupied')
    expect(titleOf(cellOf(picture, office.parking.id) as Element)).to.equal('P-001: assigned')
  })

  it('draws a valid picture, even if names contain special characters', async () => {
    const id = await bookDesk()
    const hostile = fc.oneof(
      fc.constantFrom(
        '</title><script>alert(1)</script>',
        ']]><!--',
        '"><image href="https://evil.example/x"/>',
        '&amp;&#x0;',
        '\uFFFE\uFFFF\u0085\u202E',
        "' onload='x",
        '\u{1F600}'.repeat(100),
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
    )
    const storable = hostile.map((text) => text.replaceAll('\0', ' ').toWellFormed())
    await fc.assert(
      fc.asyncProperty(storable, storable, storable, async (desk, location, building) => {
        await world.database('bookables').where({ id: office.desk.id }).update({ name: desk })
        await world.database('locations').where({ id: office.location.id }).update({ name: location })
        await world.database('buildings').where({ id: office.building.id }).update({ name: building })
        const picture = await draw(id)
        const known = ['svg', 'title', 'rect', 'text', 'g']
        expect(findAll(picture, ({ name }) => !known.includes(name))).to.deep.equal([])
        const handlers = (element: Element) =>
          Object.keys(element.attributes).some((name) => /^(on|href)/.test(name))
        expect(findAll(picture, handlers)).to.deep.equal([])
        expect(cellsOf(picture)).to.have.length(4)
      }),
      { numRuns: 30 },
    )
  })

  it('truncates long names, and shows the full name in a tooltip', async () => {
    const name = 'A table with a very long name that nobody would ever paint on a door'
    await world.database('bookables').where({ id: office.desk.id }).update({ name })
    const cell = cellOf(await draw(await bookDesk()), office.desk.id) as Element
    expect(titleOf(cell)).to.equal(`${name}: free (this booking)`)
    const shown = cell.children.find((child) => child.name === 'text')?.text ?? ''
    expect(shown).to.match(/^A table.*…$/)
    expect(shown.length).to.be.lessThan(20)
  })

  it('draws bookables at their position on the floor plan, and those without a position below it', async () => {
    await world.database('locations').where({ id: office.location.id }).update(createFloorPlanColumns(PNG))
    const place = (id: number, position_x: number, position_y: number) =>
      world.database('bookables').where({ id }).update({ position_x, position_y })
    await place(office.desk.id, 0.25, 0.5)
    await place(office.parking.id, 0.75, 0.5)
    const picture = await draw(await bookDesk())
    const [image] = findAll(picture, ({ name }) => name === 'image')
    expect(image?.attributes.href).to.equal(`data:image/png;base64,${PNG.toString('base64')}`)
    const [width, height] = [Number(image?.attributes.width), Number(image?.attributes.height)]
    expect(width / height).to.equal(2)
    expect(placeOf(cellOf(picture, office.desk.id))).to.deep.equal([width / 4, height / 2, 1])
    expect(placeOf(cellOf(picture, office.parking.id))).to.deep.equal([(width * 3) / 4, height / 2, 1])
    const [, below = 0] = placeOf(cellOf(picture, office.room.id))
    expect(below).to.be.greaterThan(height)
  })

  it('caches the floor plan, but shows a new floor plan immediately', async () => {
    const update = (row: object) => world.database('locations').where({ id: office.location.id }).update(row)
    const shown = async (id: number) =>
      findAll(await draw(id), ({ name }) => name === 'image')[0]?.attributes.href
    const address = (data: Buffer) => `data:image/png;base64,${data.toString('base64')}`
    const [first, next] = [drawPng(30, 20), drawPng(20, 30)]
    await update(createFloorPlanColumns(first))
    const id = await bookDesk()
    expect(await shown(id)).to.equal(address(first))
    // Changes the floor plan without its hash, which the gateway does not notice because it caches by hash.
    await update({ floor_plan: next })
    expect(await shown(id)).to.equal(address(first))
    await update(createFloorPlanColumns(next))
    expect(await shown(id)).to.equal(address(next))
  })

  it('leaves database connections for other reads while many maps wait', async () => {
    const id = await bookDesk()
    await client.get('groups')
    const lock = await world.database.transaction()
    await lock.raw('LOCK TABLE bookables')
    const maps = Array.from({ length: 20 }, () => client.get(`bookings/${id}/livemap`))
    await eventually(
      async () => {
        const { rows } = await world.database.raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return rows.length
      },
      (waiting) => waiting > 0,
    )
    const other = await client.get('groups')
    await lock.rollback()
    expect(other.status).to.equal(200)
    for (const { status } of await Promise.all(maps)) expect(status).to.be.oneOf([200, 503])
  })

  it('never draws two bookables over each other, either in a grid or on a crowded floor plan', async () => {
    for (let number = 0; number < 40; number++) {
      const place = { position_x: (number % 10) / 10 + 0.05, position_y: Math.floor(number / 10) / 16 }
      await createBookable(world.database, { location_id: office.location.id, ...place })
    }
    const id = await bookDesk()
    for (const row of [{}, createFloorPlanColumns(PNG, { width: 400, height: 300 })]) {
      await world
        .database('locations')
        .where({ id: office.location.id })
        .update({ code: 'X', ...row })
      const picture = await draw(id)
      const cells = cellsOf(picture).map(placeOf)
      expect(cells).to.have.length(44)
      for (const [index, [x = 0, y = 0, scale = 0]] of cells.entries()) {
        for (const [otherX = 0, otherY = 0] of cells.slice(index + 1)) {
          const apart = Math.abs(x - otherX) >= 132 * scale || Math.abs(y - otherY) >= 64 * scale
          expect(apart, `${x} ${y} and ${otherX} ${otherY} at ${scale}`).to.equal(true)
        }
      }
    }
  })

  for (const [orientation, turn] of [
    [1, undefined],
    [3, (width: number, height: number) => [-1, 0, 0, -1, width, height]],
    [6, (width: number) => [0, 1, -1, 0, width, 0]],
    [8, (_width: number, height: number) => [0, -1, 1, 0, 0, height]],
  ] as const) {
    it(`turns a photo with the orientation ${orientation} upright`, async () => {
      const isOnItsSide = orientation > 4
      const size = isOnItsSide ? { width: 3, height: 4 } : { width: 4, height: 3 }
      const row = { ...createFloorPlanColumns(PNG, size), floor_plan_orientation: orientation }
      await world.database('locations').where({ id: office.location.id }).update(row)
      const [image] = findAll(await draw(await bookDesk()), ({ name }) => name === 'image')
      const [across, down] = [Number(image?.attributes.width), Number(image?.attributes.height)]
      const [width, height] = isOnItsSide ? [down, across] : [across, down]
      expect([width, height]).to.deep.equal([1_200, isOnItsSide ? 1_600 : 900])
      expect(image?.attributes.transform).to.equal(turn && `matrix(${turn(width, height).join(' ')})`)
    })
  }

  it('answers 404 for deleted bookings, unknown ids and event rooms', async () => {
    const gone = await bookDesk()
    await world.database('bookings').delete()
    const event_id = await createEvent(world.database, NEXT_WEEK)
    const room = await createBooking(world.database, { event_id, bookable_id: office.room.id, ...NEXT_WEEK })
    for (const unknown of [gone, room, 999_999, '0', 'abc', '-1']) {
      const answer = await client.get(`bookings/${unknown}/livemap`)
      expect([answer.status, answer.json.code], String(unknown)).to.deep.equal([404, 'not_found'])
    }
  })

  it('is served at the address given in booking listings', async () => {
    await bookDesk()
    const range = 'from=2026-11-27T00:00:00Z&to=2026-11-28T00:00:00Z'
    const [booking] = (await client.get(`bookings?${range}`)).json.data
    expect((await client.get(booking.livemap.replace(world.url, ''))).text).to.match(/^<svg /)
  })
})
