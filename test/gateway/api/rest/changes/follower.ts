// Follows the change feed like an integrator: keeps the newest state of each resource by id, and rebuilds the
// listings from these states.
import { expect } from 'chai'
import type { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'

type FollowedResource = Record<string, never> & { id: number }
// It reads answers of every shape; a wrong access fails an assertion.
// biome-ignore lint/suspicious/noExplicitAny: see above
type KnownResource = any

export class Follower {
  readonly #client: Client
  readonly #limit: number
  #next = ''
  readonly things = new Map<string, Map<number, KnownResource>>()
  readonly #inactive = new Set<number>()
  seen = 0

  constructor(client: Client, limit: number) {
    this.#client = client
    this.#limit = limit
  }

  async start(): Promise<void> {
    const { json } = await this.#client.get('changes')
    expect(json.data).to.deep.equal([])
    this.#next = json.next
  }

  /** Reads until no more changes come. Changes after open transactions are served once these transactions end. */
  async follow(): Promise<void> {
    for (;;) {
      const { status, json, text } = await this.#client.get(
        `changes?after=${this.#next}&limit=${this.#limit}`,
      )
      expect(status, text).to.equal(200)
      for (const change of json.data) this.#apply(change)
      this.#next = json.next
      this.seen += json.data.length
      if (json.data.length === 0) return
    }
  }

  of(type: string): Map<number, KnownResource> {
    const known = this.things.get(type) ?? new Map<number, KnownResource>()
    this.things.set(type, known)
    return known
  }

  #apply({
    type,
    action,
    id,
    data,
  }: {
    type: string
    action: string
    id: number
    data: FollowedResource | null
  }) {
    if (type === 'user' && action === 'deactivated') this.#inactive.add(id)
    if (type === 'user' && ['restored', 'created'].includes(action)) this.#inactive.delete(id)
    if (data !== null) this.of(type).set(id, data)
    else this.of(type).delete(id)
  }

  users(): KnownResource[] {
    return sortById([...this.of('user').values()].filter(({ id }) => !this.#inactive.has(id)))
  }

  /**
   * Returns bookings in the format of GET bookings. Rebuilds nested resources from their own changes, because a
   * booking's change contains them as they were then.
   */
  bookings(): KnownResource[] {
    return sortById([...this.of('booking').values()], 'from').map((booking) => {
      const bookable = this.of('bookable').get(booking.bookable.id)
      const user = this.of('user').get(booking.user.id)
      return {
        ...booking,
        bookable: bookable ? this.#summary(bookable) : booking.bookable,
        user: user ?? booking.user,
      }
    })
  }

  events(): KnownResource[] {
    return sortById([...this.of('event').values()], 'from')
      .filter(({ status }) => status === 1)
      .map(({ id, name, from, to, organizer, bookables }) => ({
        id,
        name,
        from,
        to,
        organizer,
        bookables: bookables.map((room: KnownResource) => {
          const known = this.of('bookable').get(room.id)
          return known ? { ...room, name: known.name, tags: known.tags } : room
        }),
      }))
  }

  #summary({ id, name, type, status, location }: KnownResource) {
    const known = this.of('location').get(location.id) ?? location
    const building = this.of('building').get(known.building.id) ?? known.building
    const place = { id: known.id, name: known.name, code: known.code }
    const { address } = building
    return {
      id,
      name,
      type,
      status,
      location: { ...place, building: { id: building.id, name: building.name, address } },
    }
  }
}

export const sortById = (things: KnownResource[], by?: string): KnownResource[] =>
  things.sort((a, b) => (by && a[by] !== b[by] ? (a[by] < b[by] ? -1 : 1) : a.id - b.id))

/** Asserts that the follower's final state equals the listings. */
export async function expectSameAsListings(
  follower: Follower,
  client: Client,
  week: string,
  waitMs?: number,
): Promise<void> {
  const ask = async (path: string) => (await client.get(path)).json.data
  await eventually(async () => {
    await follower.follow()
    expect(follower.bookings()).to.deep.equal(await ask(`bookings?${week}`))
    expect(follower.events()).to.deep.equal(await ask(`events?${week}`))
    expect(follower.users()).to.deep.equal(await ask('users'))
    expect(sortById([...follower.of('group').values()])).to.deep.equal(await ask('groups'))
  }, waitMs)
}
