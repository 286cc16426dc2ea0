// Tests the screen in a lobby: it names nobody who is hidden, counts everybody, and shows free bookables.
import { expect } from 'chai'
import pg from 'pg'
import { lobby } from '../../../../gateway/web/screens/lobby/lobby.ts'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createScreen, followScreen } from '../../../support/screens/screens.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const NAMES = ['full', 'initials', 'none'] as const
const VISIBILITIES = ['everybody', 'groups', 'nobody'] as const
const AROUND_NOW = { from: hoursFromNow(-1), to: hoursFromNow(1) }

describe('the screen in a lobby', () => {
  const world = useWorld()

  const open = async (path: string) => {
    const answer = await fetch(`${world.url}${path}`)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  async function createFloor() {
    const building_id = await createBuilding(world.database)
    const location_id = await createLocation(world.database, { building_id, name: 'Second floor' })
    const createPlace = (row = {}) => createBookable(world.database, { location_id, ...row })
    const screenOf = (names: string) => createScreen(world.database, { kind: 'lobby', building_id, names })
    return { building_id, location_id, createPlace, screenOf }
  }

  describe('the people and places on a lobby screen', () => {
    async function createScene() {
      const floor = await createFloor()
      const [group] = await world.database('groups').insert({ name: 'Zebra group' }, 'id')
      for (const visibility of VISIBILITIES) {
        const user_id = await createUser(world.database, { name: `Zoltan ${visibility} Quist` })
        await world.database('person_settings').insert({ user_id, visibility })
        await world.database('group_members').insert({ user_id, group_id: group.id })
        const bookable_id = await floor.createPlace()
        await createBooking(world.database, { bookable_id, user_id, ...AROUND_NOW })
        const event_id = await createEvent(world.database, {
          name: `Plan of ${visibility}`,
          organizer_user_id: user_id,
          ...AROUND_NOW,
        })
        const room = await floor.createPlace({ type: 2 })
        await createBooking(world.database, { bookable_id: room, event_id, ...AROUND_NOW })
      }
      return floor
    }

    it('include people who are visible to everybody, as far as the screen’s setting allows', async () => {
      const floor = await createScene()
      // Opens all screens at the same time, because screens in the same building share their content.
      const screens = await Promise.all(NAMES.map((names) => floor.screenOf(names)))
      const feeds = await Promise.all(screens.map(({ path }) => followScreen(world.url, path)))
      for (const [index, names] of NAMES.entries()) {
        const feed = feeds[index]
        await eventually(() => expect(JSON.stringify(feed?.events)).to.include('Second floor'))
        for (const shown of [(await open(screens[index]?.path ?? '')).text, JSON.stringify(feed?.events)]) {
          expect(shown.includes('Zoltan everybody Quist'), names).to.equal(names === 'full')
          expect(shown.includes('ZEQ'), names).to.equal(names === 'initials')
          expect(shown.includes('Plan of everybody'), names).to.equal(names === 'full')
          for (const hidden of ['groups', 'nobody', 'ZGQ', 'ZNQ', 'Zebra'])
            expect(shown, `${names}: ${hidden}`).to.not.include(hidden)
          expect(shown, `${names} counts all`).to.include('3 in')
        }
        feed?.close()
      }
    })

    it('do not include or count deactivated people who still have a desk', async () => {
      const floor = await createFloor()
      const user_id = await createUser(world.database, { name: 'Lefta Quist', deactivated_at: new Date() })
      await createBooking(world.database, { bookable_id: await floor.createPlace(), user_id, ...AROUND_NOW })
      const { text } = await open((await floor.screenOf('full')).path)
      expect(text).to.include('Second floor').and.not.include('Lefta').and.not.include('1 in')
    })

    it('do not include guests and their hosts', async () => {
      const floor = await createFloor()
      const user_id = await createUser(world.database, { name: 'Hosta Quist' })
      const guest = { guest_name: 'Gasta Quist', guest_email: 'gasta@example.com' }
      await createBooking(world.database, {
        bookable_id: await floor.createPlace(),
        user_id,
        ...guest,
        ...AROUND_NOW,
      })
      const { text } = await open((await floor.screenOf('full')).path)
      expect(text)
        .to.include('1 in')
        .and.not.match(/Hosta|Gasta|gasta/)
    })

    it('do not include the title of a private or confidential meeting', async () => {
      const floor = await createFloor()
      const organizer_user_id = await createUser(world.database, { name: 'Olga Organ' })
      for (const classification of [0, 1, 2, 3]) {
        const event = {
          name: `Meeting number ${classification}`,
          classification,
          organizer_user_id,
          ...AROUND_NOW,
        }
        const event_id = await createEvent(world.database, event)
        await createBooking(world.database, {
          bookable_id: await floor.createPlace({ type: 2 }),
          event_id,
          ...AROUND_NOW,
        })
      }
      const { text } = await open((await floor.screenOf('full')).path)
      expect(text).to.include('Olga Organ')
      expect(text.match(/Meeting number \d/g)).to.deep.equal(['Meeting number 0', 'Meeting number 3'])
    })
  })

  it('show how many desks are free, and do not include people who have left', async () => {
    const floor = await createFloor()
    const taken = await floor.createPlace()
    await floor.createPlace()
    await floor.createPlace({ status: BOOKABLE_STATUSES.blocked })
    const gone = await createUser(world.database, { name: 'Gone Already' })
    await createBooking(world.database, {
      bookable_id: taken,
      user_id: gone,
      from: hoursFromNow(-3),
      to: hoursFromNow(-2),
    })
    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    await createBooking(world.database, { bookable_id: taken, user_id, ...AROUND_NOW })
    const { path } = await floor.screenOf('full')
    await createLocation(world.database, { building_id: floor.building_id, name: 'Empty floor' })
    const { text, headers } = await open(path)
    expect(text).to.include('Second floor').and.not.include('Empty floor')
    expect(text).to.include('1 of 2 desks free').and.include('Anna Adler').and.not.include('Gone Already')
    expect(headers.get('set-cookie')).to.equal(null)
  })

  it('keep the same version until something changes', async () => {
    const floor = await createFloor()
    const bookable_id = await floor.createPlace()
    const screens = await Promise.all(NAMES.map((names) => floor.screenOf(names)))
    const ids = screens.map(({ id }) => id).sort((one, other) => one - other)
    const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 1 })
    const versionsAt = async (ms: number) =>
      [...(await lobby.findVersions(pool, ids, new Date(ms).toISOString()))].sort(
        ([one], [other]) => one - other,
      )
    const before = await versionsAt(Date.now())
    expect(await versionsAt(Date.now() + 1)).to.deep.equal(before)
    const contents = await lobby.findContents(pool, ids, new Date().toISOString())
    expect(ids.map((id) => [id, contents.get(id)?.version])).to.deep.equal(before)
    await createBooking(world.database, { bookable_id, ...AROUND_NOW })
    const after = await versionsAt(Date.now())
    for (const [index, [, version]] of after.entries()) expect(version).to.not.equal(before[index]?.[1])
    await pool.end()
  })

  it('are updated only when they change', async () => {
    const floor = await createFloor()
    const bookable_id = await floor.createPlace()
    const { id, path } = await floor.screenOf('full')
    const feed = await followScreen(world.url, path)
    await eventually(() => expect(JSON.stringify(feed.events)).to.include('1 of 1 desks free'))
    feed.close()
    const again = await followScreen(world.url, path, String(feed.events.at(-1)?.data.version))
    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    await createBooking(world.database, { bookable_id, user_id, ...AROUND_NOW })
    await eventually(() => expect(JSON.stringify(again.events.at(-1))).to.include('Anna Adler'))
    expect(again.events.filter(({ event }) => event === 'content')).to.have.length(1)
    await world.database('screens').where({ id }).update({ revoked_at: new Date() })
    await eventually(() => expect(again.isEnded).to.equal(true))
    expect((await open(path)).status).to.equal(404)
  })

  it('are shown on the floor plans of the screen’s own building only', async () => {
    const [own, other] = [await createFloor(), await createFloor()]
    const drawn = {
      floor_plan: Buffer.from('<svg/>'),
      floor_plan_type: 'image/svg+xml',
      floor_plan_sha256: Buffer.alloc(32, 1),
      floor_plan_width: 1200,
      floor_plan_height: 800,
      floor_plan_orientation: 1,
    }
    await world.database('locations').whereIn('id', [own.location_id, other.location_id]).update(drawn)
    await own.createPlace()
    const { path } = await own.screenOf('none')
    const [, address = ''] = /<image href="([^"]+)"/.exec((await open(path)).text) ?? []
    expect((await open(path + address.replaceAll('&amp;', '&'))).text).to.equal('<svg/>')
    const door = await createScreen(world.database, { bookable_id: await own.createPlace() })
    for (const [screen, location] of [
      [path, other.location_id],
      [path, 0],
      [door.path, own.location_id],
    ])
      expect((await open(`${screen}?floor_plan=${location}&version=1`)).status).to.equal(404)
  })
})
