// Mails about requests: each approver is asked once, with a link that decides this one request; the person who asked hears
// how it ends; and nobody gets a mail about a request that was settled before the mail left.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { parseCalendar } from '../../../gateway/api/rest/calendars/parse-icalendar.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import type { Received } from './smtp-server.ts'
import { useMails } from './use-mails.ts'

describe('mail about requests', () => {
  const { world, createPerson, emailOf, mailsOf, queued, send } = useMails()
  const client = useClient(world)
  const settle = (id: number, settings: object) =>
    world.database('person_settings').insert({ user_id: id, ...settings })

  /** A desk that Ada and the members of a group approve, and somebody who asks for it. */
  async function createAsked(settings: Parameters<typeof createPerson>[0] = {}) {
    const { database } = world
    const people = [await createUser(database, { name: 'Ada Approver' }), await createUser(database)]
    const [ada, member] = await Promise.all(
      people.map(async (user_id) => ({ user_id, email: await emailOf(user_id) })),
    )
    if (!ada || !member) throw new Error('Two people')
    const group = await createGroup(database)
    // A person who is named twice is asked once.
    for (const { user_id } of [ada, member])
      await database('group_members').insert({ group_id: group, user_id })
    const rules = { approvers: { user_ids: [ada.user_id], group_ids: [group] } }
    const location_id = await createLocation(database, { rules: JSON.stringify(rules) })
    const bookable_id = await createBookable(database, { location_id, name: 'Bow' })
    const asker = await createPerson(settings)
    return { ada, member, asker, place: { bookable_id, location_id } }
  }
  type Asked = Awaited<ReturnType<typeof createAsked>>

  async function ask({ asker, place }: Asked, more: object = {}): Promise<number> {
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
    const wanted = { ...place, ...times, user_id: asker.user_id, ...more }
    const made = await client.post('booking-requests', wanted)
    expect(made.status, made.text).to.equal(200)
    return made.json.data.id
  }
  const linkIn = (mail: Received | undefined) =>
    /http:\/\/desks\.example\.com(\/my\/requests\/decide\?token=[\w-]{43})/.exec(mail?.text ?? '')?.[1] ??
    expect.fail(`No link in ${mail?.text}`)
  const stateOf = async (id: number) => (await world.database('holds').where({ id }).first()).state
  async function open(link: string): Promise<Browser> {
    const browser = new Browser(world.url)
    await browser.open(link)
    return browser
  }
  const subjectsOf = (mails: Received[]) =>
    mails.map(({ headers }) => /^Subject: (.*?)( on | am |\r|$)/m.exec(headers)?.[1])

  it('asks each approver once, and says who requests what', async () => {
    const asked = await createAsked()
    await ask(asked, { booking_info: 'A quiet day', guest_name: 'Grace' })
    for (const approver of [asked.ada, asked.member]) {
      const [mail, ...more] = await send(approver)
      expect(more).to.deep.equal([])
      const { name } = await world.database('users').where({ id: asked.asker.user_id }).first('name')
      expect(mail?.headers).to.include(`Subject: ${name} asks for Bow on `)
      expect(mail?.text).to.include(name).and.include('Purpose: A quiet day').and.include('Guest: Grace')
    }
    expect(await send(asked.asker)).to.deep.equal([])
  })

  it('has a link that approves with one click, without signing in, and then says who decided', async () => {
    const asked = await createAsked()
    const id = await ask(asked)
    const link = linkIn((await send(asked.ada))[0])
    const browser = await open(link)
    expect(browser.words).to.include('Bow').and.include(`You decide as ${asked.ada.email}.`)
    expect(await stateOf(id), 'opening it does nothing').to.equal('pending')
    await browser.submit('Approve')
    expect(await stateOf(id)).to.equal('approved')
    expect(browser.words).to.include('Approved Ada Approver, ')
    const [mail, ...more] = await send(asked.asker)
    expect(more).to.deep.equal([])
    expect(mail?.text).to.include('Your request is approved.')
    expect(parseCalendar(mail?.calendar ?? '').properties.get('METHOD')).to.equal('REQUEST')
    const again = await open(link)
    expect(again.words).to.include('Approved Ada Approver, ')
    expect(again.page.text).to.not.include('name="_action"')
  })

  it('has a link that declines with a reason, which the person who asked reads', async () => {
    const asked = await createAsked({ language: 'de' })
    const id = await ask(asked)
    const browser = await open(linkIn((await send(asked.member))[0]))
    await browser.submit('Decline', { reason: 'The floor is closed.' })
    expect(await stateOf(id)).to.equal('declined')
    const [mail, ...more] = await send(asked.asker)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.include('Subject: Abgelehnt: Bow am ')
    expect(mail?.text).to.include('hat Ihre Anfrage abgelehnt').and.include('Grund: The floor is closed.')
  })

  it('does not name an approver who hides from the person who asked', async () => {
    const asked = await createAsked()
    await settle(asked.ada.user_id, { visibility: 'nobody' })
    await ask(asked)
    const browser = await open(linkIn((await send(asked.ada))[0]))
    await browser.submit('Decline')
    const [mail] = await send(asked.asker)
    expect(mail?.text).to.include('A colleague has declined your request.').and.not.include('Ada')
  })

  it('has a link for each approver; if two decide, the first wins, and the other reads who it was', async () => {
    const asked = await createAsked()
    const id = await ask(asked)
    const [first, second] = [
      await open(linkIn((await send(asked.ada))[0])),
      await open(linkIn((await send(asked.member))[0])),
    ]
    await first.submit('Approve')
    await second.submit('Decline', { reason: 'No' })
    expect(second.page.status).to.equal(409)
    expect(second.words)
      .to.include('Ada Approver has approved the request already.')
      .and.include('Approved Ada Approver, ')
    expect(await stateOf(id)).to.equal('approved')
  })

  it('has a link that is only a hash in the database, and decides no other request', async () => {
    const asked = await createAsked()
    const [id, other] = [
      await ask(asked),
      await ask(asked, { from_time: hoursFromNow(40), to_time: hoursFromNow(41) }),
    ]
    const links = (await send(asked.ada)).map(linkIn)
    expect(links).to.have.length(2)
    const stored = JSON.stringify([
      await world.database('decision_links'),
      await world.database('mails'),
      await world.database('audit_log'),
    ])
    for (const link of links) expect(stored).to.not.include(link.slice(-43))
    const [link = ''] = links
    const hash = createHash('sha256').update(link.slice(-43)).digest()
    const { hold_id } = await world.database('decision_links').where({ hash }).first('hold_id')
    const [theOther] = [id, other].filter((each) => each !== hold_id)
    const browser = await open(link)
    await browser.submit('Approve', { id: String(theOther) })
    expect(await stateOf(hold_id)).to.equal('approved')
    expect(await stateOf(theOther ?? 0)).to.equal('pending')
  })

  const ENDS: Array<[string, (asked: Asked, id: number) => Promise<unknown>]> = [
    [
      'the approver is deactivated',
      ({ ada }) => world.database('users').where({ id: ada.user_id }).update({ deactivated_at: new Date() }),
    ],
    [
      'somebody else approves there now',
      async ({ place }) =>
        world
          .database('locations')
          .where({ id: place.location_id })
          .update({ rules: JSON.stringify({ approvers: { user_ids: [await createUser(world.database)] } }) }),
    ],
    [
      'the request has lapsed',
      (_asked, id) =>
        world
          .database('decision_links')
          .where({ hold_id: id })
          .update({ expires_at: hoursFromNow(-2) }),
    ],
  ]
  for (const [what, end] of ENDS)
    it(`has a link that does nothing any more once ${what}`, async () => {
      const asked = await createAsked()
      const id = await ask(asked)
      const link = linkIn((await send(asked.ada))[0])
      const browser = await open(link)
      await end(asked, id)
      await browser.submit('Approve')
      expect(browser.page.status).to.equal(404)
      const later = await open(link)
      expect(later.page.status).to.equal(404)
      expect(later.words).to.include('This link does not work any more').and.not.include('Bow')
      expect(await stateOf(id)).to.equal('pending')
    })

  it('does not leave once the request was decided or withdrawn', async () => {
    const asked = await createAsked()
    const [declined, withdrawn] = [
      await ask(asked),
      await ask(asked, { from_time: hoursFromNow(40), to_time: hoursFromNow(41) }),
    ]
    await queued()
    expect(await mailsOf(asked.ada)).to.have.length(2)
    await client.post(`booking-requests/${declined}/decline`, {})
    await client.delete(`booking-requests/${withdrawn}`)
    expect(await send(asked.ada)).to.deep.equal([])
    expect(await mailsOf(asked.ada)).to.deep.equal([])
    // A person who withdraws a request gets no mail about it.
    expect(subjectsOf(await send(asked.asker))).to.deep.equal(['Declined: Bow'])
  })

  it('tells the person who asked that nobody decided', async () => {
    const asked = await createAsked()
    const id = await ask(asked)
    await world
      .database('holds')
      .where({ id })
      .update({ expires_at: hoursFromNow(-2) })
    await eventually(async () => expect(await stateOf(id)).to.equal('lapsed'))
    const [mail] = await send(asked.asker)
    expect(mail?.text).to.include('Nobody decided on your request in time.')
    expect(await send(asked.ada)).to.deep.equal([])
  })

  it('can be switched off by each person, and an approved request then sends a confirmation', async () => {
    const asked = await createAsked({ muted_mails: ['approval'] })
    await settle(asked.ada.user_id, { muted_mails: ['approval'] })
    const [id, other] = [
      await ask(asked),
      await ask(asked, { from_time: hoursFromNow(40), to_time: hoursFromNow(41) }),
    ]
    expect(await send(asked.ada)).to.deep.equal([])
    expect(await send(asked.member)).to.have.length(2)
    await client.post(`booking-requests/${id}/approve`, {})
    await client.post(`booking-requests/${other}/decline`, {})
    const mails = await send(asked.asker)
    expect(subjectsOf(mails)).to.deep.equal(['Bow'])
    expect((await mailsOf(asked.asker)).map(({ kind }) => kind)).to.deep.equal(['confirmation'])
  })

  it('tells people who have switched confirmations off that their request is approved', async () => {
    const asked = await createAsked({ muted_mails: ['confirmation'] })
    const id = await ask(asked)
    await client.post(`booking-requests/${id}/approve`, {})
    expect((await send(asked.asker))[0]?.text).to.include('Your request is approved.')
  })
})
