// Limits the size of each page's uncompressed HTML, with the maximum number of rows. SHOW_WEIGHTS=1 prints all sizes.
import { expect } from 'chai'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { listEveryPage } from '../../../support/dashboard/every-page.ts'
import { addBuildings, type Company, createFullCompany } from '../../../support/dashboard/full-company.ts'
import { useWorld } from '../../../support/world.ts'

const BYTES_MAX = 30 * 1_024
// The limits that docs/dashboard.md gives for larger pages.
const LARGER_PAGES: Array<[path: RegExp, bytesMax: number]> = [
  // The page has fifty rows, and its filter lists all forty buildings.
  [/^\/bookings\?from/, 34_000],
  [/^\/day\?building/, 53_000],
  [/^\/day\?location/, 35_000],
  // The same rows and filter, and the choices of groups and check-ins.
  [/^\/reports\/came/, 34_000],
  // Each cell has its own outline, which browsers draw faster than a shared one.
  [/^\/map\?location/, 38_000],
  [/\/arrange$/, 34_100],
  // The page lists every building, also those that the examples of other pages create.
  [/^\/events\/(new|\d+\/change)/, 76_000],
]

describe('the size of a dashboard page', function () {
  this.timeout(120_000)
  const world = useWorld()
  const signedIn = useSignedIn(world)
  let company: Company
  before(async () => {
    company = await createFullCompany(world.database, await world.client())
  })

  async function findTooHeavy(paths: string[]): Promise<string[]> {
    const weights: Array<[path: string, bytes: number]> = []
    for (const path of paths) {
      const { text } = await signedIn.open(`/dashboard${path}`)
      weights.push([path, Buffer.byteLength(text)])
    }
    weights.sort(([, one], [, other]) => other - one)
    if (process.env.SHOW_WEIGHTS)
      for (const [path, bytes] of weights) console.log(`      ${String(bytes).padStart(6)} ${path}`)
    const limitOf = (path: string) => LARGER_PAGES.find(([of]) => of.test(path))?.[1] ?? BYTES_MAX
    return weights.flatMap(([path, bytes]) => (bytes > limitOf(path) ? [`${path}: ${bytes}`] : []))
  }

  it('is at most 30 KB with 50 bookings, meetings and changes, and 33 desks on a floor', async () => {
    const { building, floor, floorOfRooms, day } = company
    await world.database.raw(
      `INSERT INTO bookable_codes (bookable_id, code) SELECT id, 'code-' || id FROM bookables WHERE location_id = ${floor}`,
    )
    const tooHeavy = await findTooHeavy([
      `/bookings?from=${day}&to=${day}`,
      `/events?from=${day}&to=${day}`,
      '/people',
      '/audit-log',
      `/day?building=${building}&date=${day}`,
      `/day?location=${floor}&date=${day}`,
      `/map?location=${floor}&date=${day}&time=10:00`,
      `/places/locations/${floor}/arrange`,
      `/places/locations/${floorOfRooms}`,
      `/places/locations/${floor}/codes`,
    ])
    expect(tooHeavy).to.deep.equal([])
  })

  it('is at most 30 KB for all other pages in a company with 40 buildings and 160 floors', async () => {
    await addBuildings(world.database)
    // These pages list every building, and the examples of other pages double the number of buildings.
    const { building, day } = company
    const naming = [`/places/buildings/${building}`, `/bookings?from=${day}&to=${day}`]
    const tooHeavy = await findTooHeavy(naming)
    const paths = (await listEveryPage(world)).map(({ path }) => path.slice('/dashboard'.length))
    tooHeavy.push(...(await findTooHeavy(paths.filter((path) => path !== '/bookings'))))
    expect(tooHeavy).to.deep.equal([])
  })
})
