// Tests assignments of a bookable that several administrators change at the same moment.
import { expect } from 'chai'
import {
  type Browser,
  createSignedIn,
  type Form,
  parseForms,
} from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const CONCURRENT_ASSIGNMENTS = 6

describe('the page that assigns a bookable', () => {
  const world = useWorld({ environment: { WRITES_CONCURRENCY: String(CONCURRENT_ASSIGNMENTS) } })
  let browsers: Browser[]
  before(async () => {
    browsers = []
    for (let number = 1; number <= CONCURRENT_ASSIGNMENTS; number++) {
      browsers.push(await createSignedIn(world, `admin-${number}@example.com`))
    }
  })

  const assigneesOf = (id: number): Promise<number[]> =>
    world.database('bookable_assignees').where({ bookable_id: id }).orderBy('user_id').pluck('user_id')
  const statusOf = async (id: number) => (await world.database('bookables').where({ id }).first()).status

  const fieldOf = (controls: Form['controls'], name: string) =>
    controls.find((each) => each.name === name)?.value

  it('keeps the changes of two administrators who edit the assignees at the same moment', async () => {
    const id = await createBookable(world.database)
    const users: number[] = []
    for (const number of browsers.keys()) {
      users.push(await createUser(world.database, { name: `Person${number}` }))
    }
    const path = `/dashboard/places/bookables/${id}/assign`
    const sendAll = async (button: string) => {
      const visits = await Promise.all(browsers.map((browser) => browser.submit(button)))
      for (const { status, text } of visits) expect(status, text).to.equal(200)
    }
    await Promise.all(browsers.map((browser, number) => browser.open(`${path}?search=Person${number}`)))
    await sendAll('Assign')
    expect(await assigneesOf(id)).to.deep.equal(users)
    expect(await statusOf(id)).to.equal(2)

    await Promise.all(browsers.map((browser) => browser.open(path)))
    const removing = await Promise.all(
      browsers.map(async (browser, number) => {
        const form = parseForms(browser.page.text).find(
          ({ controls }) => fieldOf(controls, 'user_id') === String(users[number]),
        )
        if (!form) throw new Error(`${path} has no form for user ${users[number]}`)
        return browser.send(form)
      }),
    )
    for (const { status, text } of removing) expect(status, text).to.equal(200)
    expect(await assigneesOf(id)).to.deep.equal([])
    expect(await statusOf(id), 'flexible, once the last one is gone').to.equal(0)
  })
})
