// Tests that the page and the file People to notify say who was mailed and when, and why others were not.
import { expect } from 'chai'
import papaparse from 'papaparse'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking } from '../../../support/factories.ts'
import { useWith } from '../../../support/use.ts'
import { useMails } from './use-mails.ts'

const FRIDAY = { from: '2031-02-14T08:00:00Z', to: '2031-02-14T16:00:00Z' }

describe('the page People to notify, with a mail server', () => {
  const { world, createPerson, queued, send, smtp } = useMails()
  useWith(
    world,
    () => world.startWorkers(['exports']),
    (workers) => workers.stop(),
  )

  it('says when Berth mailed a person, and who has switched such mails off', async () => {
    const [mailed, muted] = [await createPerson(), await createPerson({ muted_mails: ['changed'] })]
    const { location_id } = mailed
    const ids: number[] = []
    for (const { user_id } of [mailed, muted]) {
      const bookable_id = await createBookable(world.database, { location_id })
      ids.push(await createBooking(world.database, { bookable_id, user_id, ...FRIDAY }))
    }
    // Simulates the state after the confirmations of the bookings were sent.
    await world.database.raw(
      `INSERT INTO told_bookings (user_id, booking_id, bookable_id, during)
       SELECT user_id, id, bookable_id, during FROM bookings WHERE id = ANY (?)`,
      [ids],
    )
    const browser = await createSignedIn(world, 'people-to-tell@tell.example', 'owner')
    await browser.open(`/dashboard/bookings/selected?${ids.map((id) => `ids=${id}`).join('&')}`)
    await browser.submit('Cancel bookings')
    await browser.follow('People to notify')
    await queued()
    expect((await send(mailed)).map(({ headers }) => headers).join()).to.include('Subject: Cancelled: ')
    expect(smtp.sentTo(muted.email)).to.deep.equal([])
    await browser.open(browser.page.path)
    expect(browser.words)
      .to.include('1 of these 2 people')
      .and.match(new RegExp(`${mailed.email} .* sent \\w{3}, \\d+ \\w{3}`))
      .and.include('switched off by the person')
    const { text } = await browser.open(`${browser.page.path}?_download=csv`)
    const { data } = papaparse.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
    const mailOf = ({ email }: { email: string }) => data.find((row) => row['email'] === email)?.['mail']
    expect(mailOf(mailed)).to.match(/^sent \d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(mailOf(muted)).to.equal('not sent: switched off by the person')
  })
})
