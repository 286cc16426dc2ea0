// Tests the first load of the map of a large floor: its size in bytes, and its SQL statements. `npm run bench
// -- --only pages` measures how long the server needs.
import { get } from 'node:http'
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { listStatements } from '../../../../support/databases.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const BOOKABLE_COUNT = 1_000
const BOOKED_COUNT = 300
const BYTES_MAX = 150_000
const SMALL_MAP_BOOKABLE_COUNT = 3

describe('the map of 1,000 desks', () => {
  const world = useWorld({ workers: [] })
  const signedIn = useSignedIn(world)
  let address: string
  let addressOfFew: string

  before(async function () {
    this.timeout(60_000)
    const building_id = await createBuilding(world.database)
    address = await createFloor(building_id, BOOKABLE_COUNT, BOOKED_COUNT)
    addressOfFew = await createFloor(building_id, SMALL_MAP_BOOKABLE_COUNT, SMALL_MAP_BOOKABLE_COUNT)
  })

  async function createFloor(building_id: number, bookables: number, booked: number): Promise<string> {
    const { database } = world
    const location_id = await createLocation(database, { building_id })
    for (let number = 0; number < bookables; number++) {
      const [x, y] = [(number % 40) / 40 + 0.01, Math.floor(number / 40) / 25 + 0.02]
      const position = { position_x: x, position_y: y }
      const bookable_id = await createBookable(database, {
        location_id,
        name: `Desk 2.${number}`,
        ...position,
      })
      if (number >= booked) continue
      const user_id = await createUser(database, { name: `Ada Number ${number}` })
      await createBooking(database, { bookable_id, user_id, from: hoursFromNow(-1), to: hoursFromNow(4) })
    }
    return `/dashboard/map?location=${location_id}`
  }

  /** Returns the size of the page as sent, and its decoded text. */
  async function load(path: string): Promise<{ bytes: number; text: string }> {
    const cookie = [...signedIn.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = (encoding: string) =>
      new Promise<Buffer>((resolve, reject) => {
        const headers = { 'Accept-Encoding': encoding, Cookie: cookie, Accept: 'text/html' }
        get(world.url + path, { headers }, (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
        }).on('error', reject)
      })
    return { bytes: (await sent('br, gzip')).length, text: (await sent('identity')).toString() }
  }

  /** Returns the sizes of a script and of all scripts that it imports, directly or indirectly. */
  async function scripts(path: string, seen: Set<string>): Promise<number> {
    if (seen.has(path)) return 0
    seen.add(path)
    const { bytes, text } = await load(path)
    const imported = [...text.matchAll(/^(?:import|export)\b[^'"]*['"]\.\/([^'"]+)['"]/gm)]
    let sum = bytes
    for (const [, name = ''] of imported) sum += await scripts(path.replace(/[^/]+$/, name), seen)
    return sum
  }

  it('is at most 150 KB in size, with its styles and scripts', async () => {
    const page = await load(address)
    const styles = [...page.text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)]
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page.text) ?? []
    expect(page.text.match(/Desk 2\.\d+/g)).to.have.length.greaterThan(BOOKABLE_COUNT)
    let sum = page.bytes + (await scripts(script, new Set()))
    for (const [, path = ''] of styles) sum += (await load(path)).bytes
    expect(sum).to.be.lessThan(BYTES_MAX)
  })

  it('needs no more SQL statements than a map of three desks', async () => {
    const ofPlaces = async (path: string) => {
      // First runs the statements whose results are cached, so that they are not counted.
      await signedIn.open(path)
      const statements = await listStatements(() => signedIn.open(path))
      return statements.filter((text) => /\b(bookables|bookings)\b/.test(text))
    }
    const [ofMany, ofFew] = [await ofPlaces(address), await ofPlaces(addressOfFew)]
    expect(ofMany).to.have.length.within(1, 10)
    expect(ofMany).to.deep.equal(ofFew)
  })
})
