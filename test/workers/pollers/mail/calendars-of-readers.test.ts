// Tests a property of invitations: a calendar program that reads all mails of a person in the order of their arrival
// shows exactly the meetings that Berth shows, after any changes of meetings and of series, even if the mail server
// refused some of the mails at first, the person got no mails for a while, or a guest became a user. So does a calendar
// feed.
import { expect } from 'chai'
import fc from 'fast-check'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { localTimeMs } from '../../../../shared/utilities/time-zones.ts'
import { hasPython } from '../../../gateway/api/rest/calendars/python-icalendar.ts'
import {
  type ShownEntry,
  showWithIcalJs,
  showWithPython,
  sortEntries,
} from '../../../gateway/api/rest/calendars/shown-calendars.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { useClient } from '../../../support/world.ts'
import { useMails } from './use-mails.ts'

type Edit = {
  kind:
    | 'create'
    | 'repeat'
    | 'send'
    | 'refuse'
    | 'mute'
    | 'unmute'
    | 'join'
    | 'cancel'
    | 'rename'
    | 'move'
    | 'people'
    | 'room'
  value?: number
  /** The events of a series that a change is about. Defaults to one. */
  scope?: 'following' | 'all'
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create', 'send', 'send', 'send', 'refuse', 'mute', 'unmute', 'join') }),
  fc.record(
    {
      kind: fc.constantFrom('repeat', 'rename', 'move', 'people', 'people', 'room', 'cancel'),
      value: fc.integer({ min: 0, max: 7 }),
      scope: fc.constantFrom('following', 'all'),
    },
    { requiredKeys: ['kind', 'value'] },
  ),
)

const ZONE = 'Europe/Berlin'
const HOUR_MS = 3_600_000
/** The time two days before the clocks change, on the hour. */
const BEFORE_CLOCK_CHANGE_MS = (() => {
  const findOffset = (ms: number) => localTimeMs(ms, ZONE) - ms
  const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 72 * HOUR_MS
  let ms = start
  while (findOffset(ms) === findOffset(start)) ms += HOUR_MS
  return ms - 48 * HOUR_MS
})()

// Random edits rarely change a meeting that everybody knows while one person gets no mails and another becomes a user.
const LAST_EDITS: Edit[] = [
  { kind: 'create' },
  { kind: 'send' },
  { kind: 'mute' },
  { kind: 'join' },
  { kind: 'people', value: 7 },
  { kind: 'move', value: 0 },
  { kind: 'send' },
]

describe('a calendar program that reads all mails of a person', function calendars() {
  const { smtp, world, createPerson, sendAll } = useMails()
  const client = useClient(world, 'booking-write', 'read', 'webhook-write')
  let guests = 0
  let slot = 24
  let runs = 0

  async function setScene() {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const type = BOOKABLE_TYPES.meetingRoom
    const rooms = [
      await createBookable(database, { location_id, type, name: 'Lagoon' }),
      await createBookable(database, { location_id, type, name: 'Atoll, west; “blue”' }),
    ]
    const organizer = await createPerson()
    const colleagues = [await createPerson(), await createPerson()]
    const guest = `reader-${++guests}@visitor.example`
    const people: Array<{ email: string; as: { type: string; id?: number; email?: string; name?: string } }> =
      [
        ...colleagues.map(({ user_id, email }) => ({ email, as: { type: 'user', id: user_id } })),
        { email: guest, as: { type: 'visitor', email: guest, name: 'Grace "Amazing" Hopper; Navy' } },
      ]
    return { organizer, colleagues, guest, people, rooms, meetings: [] as number[][] }
  }
  type Scene = Awaited<ReturnType<typeof setScene>>

  const span = () => {
    slot += 2
    return { from_time: hoursFromNow(slot), to_time: hoursFromNow(slot + 1) }
  }
  /** Returns the items whose bit is set in `value`. */
  const chosen = <Item>(items: Item[], value: number) => items.filter((_item, index) => (value >> index) & 1)

  async function apply(scene: Scene, each: Edit): Promise<void> {
    const { organizer, people, rooms, meetings } = scene
    if (each.kind === 'send') return sendAll()
    if (each.kind === 'join') return join(scene)
    if (each.kind === 'mute') return mute(scene, ['meeting'])
    if (each.kind === 'unmute') return mute(scene, [])
    if (each.kind === 'refuse') {
      smtp.refusing = 451
      await sendAll()
      smtp.refusing = undefined
      return
    }
    if (each.kind === 'create' || each.kind === 'repeat') {
      const attendees = [...people.map(({ as }) => as), { type: 'bookable', id: rooms[0] }]
      const body = { name: 'Plans, first; draft', organizer_user_id: organizer.user_id, attendees }
      const times = each.kind === 'create' ? span() : repetition(each.value ?? 0)
      const made = await client.post(`events${each.kind === 'create' ? '' : '/series'}?invite=true`, {
        ...body,
        ...times,
      })
      expect(made.status, made.text).to.be.oneOf([200, 409])
      const created: Array<{ id: number }> =
        made.status === 409 ? [] : (made.json.data.created ?? [made.json.data])
      if (created.length > 0) meetings.push(created.map(({ id }) => id))
      return
    }
    const ids = meetings.at(-1) ?? []
    const id = ids[(each.value ?? 0) % ids.length]
    if (id === undefined) return
    const path = `events/${id}${each.scope === undefined ? '' : `?scope=${each.scope}`}`
    const changed =
      each.kind === 'cancel'
        ? await client.delete(path)
        : await client.patch(path, await changesOf(scene, each, id))
    expect(changed.status, changed.text).to.be.oneOf([200, 204, 409])
    if (changed.status === 409) expect(changed.json.code).to.be.oneOf(['event_cancelled', 'conflict'])
  }

  /**
   * A series across a clock change. The rooms of other series are taken on some of its dates, which are then skipped.
   */
  const repetition = (value: number) => {
    const startMs = BEFORE_CLOCK_CHANGE_MS + value * HOUR_MS
    return {
      from_time: new Date(startMs).toISOString(),
      to_time: new Date(startMs + 90 * 60_000).toISOString(),
      from_timezone: ZONE,
      repeat: { every: value % 2 === 0 ? 'day' : 'week', interval: 1 + (value % 3), count: 5 },
      on_conflict: 'skip',
    }
  }

  async function mute({ colleagues }: Scene, muted_mails: string[]): Promise<void> {
    await world.database('person_settings').where({ user_id: colleagues[0]?.user_id }).update({ muted_mails })
  }

  /** Creates a user with the address of the guest, who is invited as that user from now on. */
  async function join({ guest, people }: Scene): Promise<void> {
    const invited = people.find(({ email, as }) => email === guest && as.type === 'visitor')
    if (invited) invited.as = { type: 'user', id: await createUser(world.database, { email: guest }) }
  }

  async function changesOf({ people, rooms, meetings }: Scene, each: Edit, id: number): Promise<object> {
    if (each.kind === 'rename') return { name: `Plans ${each.value}` }
    const { value = 0 } = each
    if (each.kind === 'move') {
      if (meetings.at(-1)?.length === 1) return span()
      const { data } = (await client.get(`events/${id}`)).json
      const shift = (time: string) => new Date(Date.parse(time) + (value - 3) * 5 * HOUR_MS).toISOString()
      return { from_time: shift(data.from), to_time: shift(data.to) }
    }
    if (each.kind === 'people') {
      const users = chosen(people, value).map(({ as }) => as)
      return { attendees: users }
    }
    return { attendees: { add: [{ type: 'bookable', id: rooms[value % rooms.length] }] } }
  }

  /** The events that the person with this e-mail address attends, as Berth shows them. */
  async function shownByBerth({ meetings }: Scene, email: string): Promise<ShownEntry[]> {
    const [{ id: database }] = (await world.database.raw('SELECT id FROM identity')).rows
    const found: ShownEntry[] = []
    for (const id of meetings.flat()) {
      const { data } = (await client.get(`events/${id}?include=details`)).json
      const attends = data.attendees.some((each: { email: string }) => each.email === email)
      if (data.status !== 1 || !attends) continue
      const rooms = data.bookables.map(({ name }: { name: string }) => name)
      const instant = (text: string) => `${text.slice(0, 19)}.000Z`
      found.push({
        uid: `${data.series_id === null ? `event-${id}` : `series-${data.series_id}`}@${database}.berth`,
        from: instant(data.from),
        to: instant(data.to),
        name: data.name,
        place: [...rooms, ...(rooms.length > 0 ? ['Third floor, Harbour, 1 Quay Street'] : [])].join(', '),
      })
    }
    return sortEntries(found)
  }

  async function readFeed(user_id: number): Promise<string> {
    const { json, text: created } = await client.post('calendars', { user_id })
    const { status, text } = await new Client(world.url).get(new URL(json?.data?.url ?? created).pathname)
    expect(status, text).to.equal(200)
    return text
  }

  it('shows exactly the meetings that Berth shows, after random changes and refused mails', async function property() {
    this.timeout(600_000)
    const python = hasPython()
    if (!python) console.log('      There is no python3-icalendar: only ical.js reads the mails.')
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 14 }), async (edits) => {
        const scene = await setScene()
        await apply(scene, { kind: runs++ % 2 === 0 ? 'create' : 'repeat', value: runs % 8 })
        for (const each of [...edits, ...LAST_EDITS]) await apply(scene, each)
        await mute(scene, [])
        await sendAll()
        // Mails may still wait for the colleague who got none.
        await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
        await sendAll()
        const users = [scene.organizer, ...scene.colleagues]
        for (const { email } of [scene.organizer, ...scene.people]) {
          const expected = await shownByBerth(scene, email)
          const feedOf = users.find((each) => each.email === email)
          const sources = {
            mails: smtp.sentTo(email).flatMap(({ calendars }) => calendars),
            ...(feedOf && { feed: [await readFeed(feedOf.user_id)] }),
          }
          for (const [source, files] of Object.entries(sources)) {
            expect(showWithIcalJs(files), `ical.js, ${source}, ${email}`).to.deep.equal(expected)
            if (python) expect(showWithPython(files), `python, ${source}, ${email}`).to.deep.equal(expected)
          }
        }
      }),
      { numRuns: process.env.TEST_LONG === undefined ? 12 : 200 },
    )
  })
})
