// Checks that rooms and their calendars show the same meetings once nothing is left to do, and that the change feed agrees with the
// listings of these rooms.
import { expect } from 'chai'
import { Follower, sortById } from '../../gateway/api/rest/changes/follower.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { expectRest } from '../../workers/calendars/at-rest.ts'
import type { History } from '../history.ts'
import type { Office } from '../load/office.ts'
import type { RoomEditor } from '../load/room-editor.ts'
import { measureSlowness } from '../slowness.ts'
import type { Stage } from '../stage/stage.ts'

const FEED_PAGE = 1_000
const FEED_MS_MAX = 10_000
const EDITS_SHOWN_MAX = 60
const WEEK_MS = 7 * 86_400_000
// The weekly series of editors have three dates, and a listing covers at most a week.
const WEEKS_LISTED = 3

type Room = { id: number }
/** An item of a listing: a booking, or an event with its rooms. */
type Listed = { id: number; bookable?: Room; bookables?: Room[] }

export class CalendarCheck {
  readonly #client: Client
  readonly #feed: Follower

  /** Follows the change feed from now on. */
  static async open(stage: Stage, office: Office): Promise<CalendarCheck | undefined> {
    if (stage.hooks.length === 0) return undefined
    const check = new CalendarCheck(stage, office)
    await check.#feed.start()
    return check
  }

  private constructor({ gateways }: Stage, { tokens }: Office) {
    this.#client = new Client(gateways[0]?.front.url.replace(/\/$/, '') ?? '', tokens[0])
    this.#feed = new Follower(this.#client, FEED_PAGE)
  }

  /** Waits until rooms and calendars are at rest, and compares them. */
  async check(history: History, editors: RoomEditor[], restMs: number): Promise<void> {
    for (const { edits, done } of editors) {
      await expectRest(edits, restMs * measureSlowness()).catch((error: Error) => {
        const what = `${edits.calendar.provider.name}: ${error.message}`
        history.findings.push({
          promise: 'a room and its calendar that do not say the same',
          what,
          about: done.slice(-EDITS_SHOWN_MAX),
        })
      })
    }
    await this.#compareFeed(history, new Set(editors.flatMap(({ edits }) => edits.rooms)))
  }

  async #compareFeed(history: History, rooms: Set<number>): Promise<void> {
    const isOfRooms = ({ bookable, bookables }: Listed) =>
      [bookable, bookables].flat().some((room) => room && rooms.has(room.id))
    const compare = async () => {
      await this.#feed.follow()
      const told = { events: this.#feed.events(), bookings: this.#feed.bookings() }
      for (const [path, all] of Object.entries(told))
        expect(sortById(all.filter(isOfRooms)), path).to.deep.equal(
          sortById((await this.#list(path)).filter(isOfRooms)),
        )
    }
    await eventually(compare, FEED_MS_MAX).catch((error: Error) => {
      const { actual, expected } = error as { actual?: unknown; expected?: unknown }
      const what = `${error.message}: told ${JSON.stringify(actual)}, listed ${JSON.stringify(expected)}`
      history.find('a change feed that tells something else than the listings', undefined, what)
    })
  }

  async #list(path: string): Promise<Listed[]> {
    const found = new Map<number, Listed>()
    for (let week = 0; week < WEEKS_LISTED; week++) {
      const [from, to] = [week, week + 1].map((each) => new Date(Date.now() + each * WEEK_MS).toISOString())
      const { status, json, text } = await this.#client.get(`${path}?from=${from}&to=${to}`)
      expect(status, text).to.equal(200)
      for (const each of json.data) found.set(each.id, each)
    }
    return [...found.values()]
  }
}
