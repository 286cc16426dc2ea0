// Runs the programs of examples/ as users run them, and checks their effects in the database.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { createToken } from '../../shared/tokens/token-store.ts'
import { buildClient, runProgram } from '../client/support/package.ts'
import { createTown, type Town } from '../client/support/town.ts'
import { createBooking, hoursFromNow } from '../support/factories.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { useCalendar } from './support/calendar.ts'

describe('the example programs', function suite() {
  this.timeout(60_000)
  const world = useWorld({ workers: ['writes', 'imports'] })
  const owner = useClient(world)
  // The sync has its own token, so that it recognizes its own changes.
  const robot = useClient(world)
  const calendar = useCalendar(world)
  const home = use(() => ({ folder: mkdtempSync(join(tmpdir(), 'berth-recipes-')) }), {
    close: ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  })
  let town: Town
  before(async () => {
    await buildClient()
    town = await createTown(world.database)
  })
  afterEach(() => world.database('bookings').delete())

  const bookings = async () => {
    const start = world.database.raw('extract(epoch FROM lower(during)) * 1000 AS start')
    const rows = await world.database('bookings').orderBy('id').select('id', 'user_id', 'bookable_id', start)
    return rows.map((row) => ({ ...row, start: new Date(Number(row.start)) }))
  }
  const fileOf = (recipe: string) => join(projectDirectory, 'examples', `${recipe}.mjs`)
  const inFolder = (name: string) => join(home.folder, name)

  async function run(recipe: string, { args = [] as string[], input = '', env = {} } = {}) {
    const environment = { BERTH_URL: world.url, BERTH_TOKEN: owner.token ?? '', TZ: 'UTC', ...env }
    return runProgram(process.execPath, [fileOf(recipe), ...args], environment, input)
  }

  async function runWell(...asked: Parameters<typeof run>) {
    const { code, stdout, stderr } = await run(...asked)
    expect(code, stderr).to.equal(0)
    return stdout.trim().split('\n')
  }

  describe('calendar-sync', () => {
    const state = () => inFolder('state.json')
    const env = () => ({ CALENDAR_URL: calendar.url, STATE_FILE: state(), BERTH_TOKEN: robot.token ?? '' })
    const sync = () => runWell('calendar-sync', { env: env() })
    /** Runs the sync until the condition holds: the feed may wait for transactions of other suites. */
    const syncUntil = (holds: () => unknown) =>
      eventually(async () => {
        await sync()
        expect(holds(), 'is synced').to.equal(true)
      })
    const meeting = () => ({
      email: 'anna@example.com',
      desk: town.desks[1] ?? 0,
      start: hoursFromNow(3),
      end: hoursFromNow(4),
    })
    afterEach(() => {
      rmSync(state(), { force: true })
      calendar.entries.clear()
    })

    it('syncs bookings and calendar entries both ways, and writes nothing if neither side changed', async () => {
      const id = await createBooking(world.database, {
        from: hoursFromNow(1),
        to: hoursFromNow(2),
        user_id: town.ben,
        bookable_id: town.desks[0],
      })
      calendar.put('lunch', meeting())
      await sync()
      expect(calendar.entries.get(`berth-${id}`)).to.include({
        email: 'ben@example.com',
        desk: town.desks[0],
      })
      expect((await bookings())[1]).to.include({ user_id: town.anna, bookable_id: town.desks[1] })
      const count = () => world.database('changes').count()
      const before = await count()
      await sync()
      await sync()
      expect(await count()).to.deep.equal(before)
      expect(calendar.entries.size).to.equal(2)
      expect(calendar.entries.get('lunch')?.changed_by).to.equal('anna')
    })

    it('applies moves and deletions from Berth to the calendar, and the reverse', async () => {
      await sync()
      calendar.put('lunch', meeting())
      await sync()
      const [booking] = await bookings()
      calendar.put('lunch', { start: hoursFromNow(2), desk: town.desks[2] ?? 0 })
      await sync()
      const [moved] = await bookings()
      expect(moved).to.include({ id: booking.id, bookable_id: town.desks[2] })
      expect(moved.start).to.be.below(booking.start)
      const end = hoursFromNow(9)
      await owner.patch(`bookings/${booking.id}`, { to_time: end })
      await syncUntil(() => Date.parse(calendar.entries.get('lunch')?.end ?? '') === Date.parse(end))
      calendar.put('lunch', { deleted: true })
      await sync()
      expect(await bookings()).to.deep.equal([])
    })

    it('deletes the calendar entry of a booking that was deleted in Berth', async () => {
      const id = await createBooking(world.database, {
        from: hoursFromNow(1),
        to: hoursFromNow(2),
        user_id: town.ben,
        bookable_id: town.desks[0],
      })
      await sync()
      await owner.delete(`bookings/${id}`)
      await syncUntil(() => calendar.entries.get(`berth-${id}`)?.deleted === true)
    })

    it('writes into a calendar entry why Berth refused to book it', async () => {
      calendar.put('lunch', meeting())
      calendar.put('second lunch', meeting())
      await sync()
      expect(await bookings()).to.have.length(1)
      expect(calendar.entries.get('second lunch')?.refused).to.match(/^Desk 2 is taken from /)
    })

    it('creates no duplicates after the calendar fails or the program stops too early', async () => {
      await sync()
      copyFileSync(state(), inFolder('earlier.json'))
      calendar.put('lunch', meeting())
      await sync()
      // Simulates a program that stopped after it booked, and an entry that changed before the next run.
      const earlier = JSON.parse(readFileSync(inFolder('earlier.json'), 'utf8'))
      writeFileSync(state(), JSON.stringify({ ...earlier, booking: calendar.entries.get('lunch') }))
      calendar.put('lunch', { start: hoursFromNow(2) })
      await sync()
      expect(await bookings()).to.have.length(1)
      expect(calendar.entries.get('lunch')?.refused).to.equal(undefined)

      const from_time = hoursFromNow(1)
      const place = { bookable_id: town.desks[0], location_id: town.location_id, user_id: town.ben }
      const booked = await owner.post('bookings', { ...place, from_time, to_time: hoursFromNow(2) })
      calendar.failures = 1
      await eventually(async () => {
        const { code, stderr } = await run('calendar-sync', { env: env() })
        expect(code).to.equal(1)
        expect(stderr).to.include('The calendar answered 503')
      })
      await sync()
      expect([...calendar.entries.keys()]).to.deep.equal(['lunch', `berth-${booked.json.data[0].id}`])
      expect(await bookings()).to.have.length(2)
    })
  })

  describe('desk-bot', () => {
    const talk = (...lines: string[]) => runWell('desk-bot', { input: `${lines.join('\n')}\n` })

    it('books desks at times in its own time zone, and cancels bookings', async () => {
      expect(await talk('book anna tomorrow 9-17')).to.deep.equal([
        'Booked: Desk 1, Ground floor, for Anna Berg.',
      ])
      const [{ user_id, start }] = await bookings()
      expect([user_id, start.getUTCHours()]).to.deep.equal([town.anna, 9])
      expect(start.getTime() - Date.now()).to.be.within(0, 48 * 3_600_000)
      const [, cancelled] = await talk('book ben tomorrow 9-17 desk 2', 'cancel')
      expect(cancelled).to.equal('Cancelled: Desk 2, for Ben Adam.')
      expect(await bookings()).to.have.length(1)
    })

    it('lists the people in the office, without those who work from home', async () => {
      const during = { from: hoursFromNow(-1), to: hoursFromNow(1) }
      await createBooking(world.database, { ...during, user_id: town.ben, bookable_id: town.desks[2] })
      await createBooking(world.database, { ...during, user_id: town.anna, bookable_id: town.home })
      expect(await talk('who is in')).to.deep.equal(['Ben Adam: Desk 3, Ground floor'])
    })

    it('explains why a desk cannot be booked, and suggests free desks', async () => {
      const [, refused, unknown, both, usage] = await talk(
        'book anna tomorrow 9-17 Desk 1',
        'book ben tomorrow 9-17 Desk 1',
        'book carla today 9-17',
        'book example.com tomorrow 9-17',
        'open the door',
      )
      expect(refused).to.match(/^Desk 1 is taken from .* Free instead: Desk 2, Desk 3$/)
      expect(unknown).to.equal('I know nobody called carla.')
      expect(both).to.equal('Who is it: anna@example.com, ben@example.com?')
      expect(usage).to.match(/^Write /)
    })
  })

  describe('hr-sync', () => {
    const people = () =>
      world
        .database('users')
        .orderBy('email')
        .select('name', 'email', world.database.raw('deactivated_at is null as active'))
    const file = () => inFolder('people.csv')
    const sync = (...args: string[]) => runWell('hr-sync', { args: [file(), ...args] })
    beforeEach(() =>
      writeFileSync(file(), 'email,name\nANNA@example.com,"Berg, Anna"\ncarla@example.com,Carla Diaz\n'),
    )
    const NOTHING = '0 created, 0 changed, 0 deactivated, 0 bookings released'
    const expected = [
      { name: 'Berg, Anna', email: 'anna@example.com', active: true },
      { name: 'Ben Adam', email: 'ben@example.com', active: false },
      { name: 'Carla Diaz', email: 'carla@example.com', active: true },
    ]
    afterEach(async () => {
      await world.database('users').where({ email: 'carla@example.com' }).delete()
      await world.database('users').update({ deactivated_at: null })
    })

    for (const args of [[], ['--file']])
      it(`syncs people ${args.length > 0 ? 'by a file' : 'over SCIM'} only once`, async () => {
        const booked = { from: hoursFromNow(50), to: hoursFromNow(51), user_id: town.ben }
        const id = await createBooking(world.database, booked)
        expect(await sync(...args)).to.deep.equal([
          '1 created, 1 changed, 1 deactivated, 1 bookings released',
        ])
        expect(await world.database('bookings').where({ id })).to.deep.equal([])
        const found = await people()
        expect(found.map((each) => ({ ...each, email: each.email.toLowerCase() }))).to.deep.equal(expected)
        expect(await sync(...args)).to.deep.equal([NOTHING])
      })

    it('finds a person by employee number over SCIM, and updates the e-mail', async () => {
      const write = (email: string) =>
        writeFileSync(
          file(),
          `number,email,name\n7,${email},Carla\n,anna@example.com,Anna\n,ben@example.com,Ben\n`,
        )
      write('carla.old@example.com')
      await sync()
      const { id } = await world.database('users').where({ email: 'carla.old@example.com' }).first()
      write('carla@example.com')
      expect(await sync()).to.deep.equal(['0 created, 1 changed, 0 deactivated, 0 bookings released'])
      const found = await world.database('users').where({ id }).first()
      expect(found).to.include({ email: 'carla@example.com', upn: 'carla@example.com', deactivated_at: null })
      expect(await sync()).to.deep.equal([NOTHING])
    })

    it('deactivates nobody if the file contains fewer than half of the people', async () => {
      writeFileSync(file(), 'email,name\n')
      const { code, stderr } = await run('hr-sync', { args: [file()] })
      expect(code).to.equal(1)
      expect(stderr).to.include('2 of 2 people are not in')
    })
  })

  describe('lobby-screen', () => {
    const environmentOf = (token: string) => ({ BERTH_URL: world.url, BERTH_TOKEN: token, PORT: '0' })
    const tokenFor = async (buildingIds: number[]) =>
      (
        await createToken(world.database, {
          name: 'lobby',
          abilities: ['read'],
          createdBy: 'test',
          buildingIds,
        })
      ).token

    it('shows who is in the office on each floor, but only in its own building', async () => {
      const during = { from: hoursFromNow(-1), to: hoursFromNow(1), bookable_id: town.desks[2] }
      await createBooking(world.database, { ...during, user_id: town.ben, guest_name: '<b>Ada</b>' })
      await createBooking(world.database, { ...during, user_id: town.anna, bookable_id: town.home })
      await createBooking(world.database, { from: during.from, to: during.to })
      const env = environmentOf(await tokenFor([town.building_id]))
      const screen = spawn(process.execPath, [fileOf('lobby-screen')], {
        env: { PATH: process.env['PATH'], ...env },
      })
      try {
        const [address] = await once(screen.stdout, 'data')
        const page = await (await fetch(String(address).trim())).text()
        expect(page).to.include(
          '<h2>Harbour House, Ground floor (1)</h2><ul><li>&#60;b&#62;Ada&#60;/b&#62;: Desk 3</li></ul>',
        )
        expect(page.match(/<h2>/g)).to.have.length(1)
      } finally {
        screen.kill()
      }
    })

    it('refuses a token with more abilities than it needs', async () => {
      const { code, stderr } = await run('lobby-screen', { env: { PORT: '0' } })
      expect([code, stderr.includes('use a token with the ability read alone')]).to.deep.equal([1, true])
    })
  })

  it('prints the bookings of a day per floor with nightly-report', async () => {
    const on = (day: string, user_id: number, desk = 0) =>
      createBooking(world.database, {
        from: `${day}T09:00:00Z`,
        to: `${day}T10:00:00Z`,
        user_id,
        bookable_id: town.desks[desk],
      })
    await Promise.all([
      on('2026-01-05', town.anna),
      on('2026-01-05', town.anna, 1),
      on('2026-01-05', town.ben, 2),
    ])
    await Promise.all([on('2026-01-04', town.ben), on('2026-01-06', town.ben)])
    const [head, ...floors] = await runWell('nightly-report', { args: ['2026-01-05'] })
    expect(head?.trim()).to.equal('building,floor,bookings,desk_bookings,people')
    expect(floors.map((each) => each.trim())).to.include('Harbour House,Ground floor,3,3,2')
  })
})
