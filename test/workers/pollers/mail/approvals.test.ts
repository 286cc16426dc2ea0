// Tests mails about requests: each approver gets one mail with a link that decides only this request; the person who
// asked is told the outcome; and nobody gets a mail about a request that was settled before the mail was sent.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { parseCalendar } from '../../../gateway/api/rest/calendars/parse-icalendar.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  createAbsence,
  createBookable,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import type { ReceivedMail } from './smtp-server.ts'
import { useMails } from './use-mails.ts'

describe('mail about bookings that need approval', () => {
  const { world, createPerson, emailOf, mailsOf, queued, send, sendAll, smtp } = useMails()
  const client = useClient(world)
  const settle = (id: number, settings: object) =>
    world.database('person_settings').insert({ user_id: id, ...settings })

  /** Creates a desk with Ada and the members of a group as approvers, and a person who requests the desk. */
  async function createPendingRequest(settings: Parameters<typeof createPerson>[0] = {}) {
    const { database } = world
    const people = [await createUser(database, { name: 'Ada Approver' }), await createUser(database)]
    const [ada, member] = await Promise.all(
      people.map(async (user_id) => ({ user_id, email: await emailOf(user_id) })),
    )
    if (!ada || !member) throw new Error('Two people')
    const group = await createGroup(database)
    // An approver who is named twice gets only one mail.
    for (const { user_id } of [ada, member])
      await database('group_members').insert({ group_id: group, user_id })
    const rules = { approvers: { user_ids: [ada.user_id], group_ids: [group] } }
    const location_id = await createLocation(database, { rules: JSON.stringify(rules) })
    const bookable_id = await createBookable(database, { location_id, name: 'Bow' })
    const asker = await createPerson(settings)
    return { ada, member, asker, place: { bookable_id, location_id } }
  }
  type PendingRequest = Awaited<ReturnType<typeof createPendingRequest>>

  async function ask({ asker, place }: PendingRequest, more: object = {}): Promise<number> {
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
    const wanted = { ...place, ...times, user_id: asker.user_id, ...more }
    const made = await client.post('booking-requests', wanted)
    expect(made.status, made.text).to.equal(200)
    return made.json.data.id
  }
  const linkIn = (mail: ReceivedMail | undefined) =>
    /http:\/\/desks\.example\.com(\/my\/requests\/decide\?token=[\w-]{43})/.exec(mail?.text ?? '')?.[1] ??
    expect.fail(`No link in ${mail?.text}`)
  const stateOf = async (id: number) => (await world.database('holds').where({ id }).first()).state
  async function open(link: string): Promise<Browser> {
    const browser = new Browser(world.url)
    await browser.open(link)
    return browser
  }
  const subjectsOf = (mails: ReceivedMail[]) =>
    mails.map(({ headers }) => /^Subject: (.*?)( on | am |\r|$)/m.exec(headers)?.[1])

  it('asks the approvers who are not away, or all of them if all are away', async () => {
    const [one, all] = [await createPendingRequest(), await createPendingRequest()]
    const days = `[${hoursFromNow(-48).slice(0, 10)},${hoursFromNow(96).slice(0, 10)})`
    for (const { user_id } of [one.ada, all.ada, all.member])
      await createAbsence(world.database, { user_id, days })
    await ask(one)
    expect(await send(one.member)).to.have.length(1)
    expect(await send(one.ada)).to.deep.equal([])
    await ask(all)
    expect([await send(all.ada), await send(all.member)].map(({ length }) => length)).to.deep.equal([1, 1])
  })

  it('asks each approver once, and says who wants to book what', async () => {
    const asked = await createPendingRequest()
    await ask(asked, { booking_info: 'A quiet day', guest_name: 'Grace' })
    for (const approver of [asked.ada, asked.member]) {
      const [mail, ...more] = await send(approver)
      expect(more).to.deep.equal([])
      const { name } = await world.database('users').where({ id: asked.asker.user_id }).first('name')
      expect(mail?.headers).to.include(`Subject: ${name} requests Bow on `)
      expect(mail?.text).to.include(name).and.include('Purpose: A quiet day').and.include('Guest: Grace')
    }
    expect(await send(asked.asker)).to.deep.equal([])
  })

  it('contains a link that approves with one click, without signing in, and then shows who decided', async () => {
    const asked = await createPendingRequest()
    const id = await ask(asked)
    const link = linkIn((await send(asked.ada))[0])
    const browser = await open(link)
    expect(browser.words).to.include('Bow').and.include(`You are deciding as ${asked.ada.email}.`)
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

  it('contains a link that declines with a reason, which the requester can read', async () => {
    const asked = await createPendingRequest({ language: 'de' })
    const id = await ask(asked)
    const browser = await open(linkIn((await send(asked.member))[0]))
    await browser.submit('Decline', { reason: 'The floor is closed.' })
    expect(await stateOf(id)).to.equal('declined')
    const [mail, ...more] = await send(asked.asker)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.include('Subject: Abgelehnt: Bow am ')
    expect(mail?.text).to.include('hat Ihre Anfrage abgelehnt').and.include('Grund: The floor is closed.')
  })

  it('does not name an approver who chose to be hidden from the requester', async () => {
    const asked = await createPendingRequest()
    await settle(asked.ada.user_id, { visibility: 'nobody' })
    await ask(asked)
    const browser = await open(linkIn((await send(asked.ada))[0]))
    await browser.submit('Decline')
    const [mail] = await send(asked.asker)
    expect(mail?.text).to.include('A colleague has declined your request.').and.not.include('Ada')
  })

  it('names the title and the people of a requested meeting, and nobody who hides from the reader', async () => {
    const asked = await createPendingRequest()
    const [colin, hedda] = [
      await createUser(world.database, { name: 'Colin Colleague' }),
      await createUser(world.database, { name: 'Hedda Hidden' }),
    ]
    const room = await createBookable(world.database, {
      location_id: asked.place.location_id,
      name: 'Aula',
      type: 2,
    })
    const attendees = [colin, hedda].map((id) => ({ type: 'user', id }))
    const id = await ask(asked, { bookable_id: room, title: 'Kick-off', attendees })
    await settle(hedda, { visibility: 'nobody' })
    const [mail] = await send(asked.ada)
    expect(mail?.text)
      .to.include('Meeting: Kick-off')
      .and.include('With: Colin Colleague')
      .and.not.include('Hedda')
    await client.post(`booking-requests/${id}/approve`, undefined)
    const [outcome, ...more] = await send(asked.asker)
    expect(more).to.deep.equal([])
    expect(outcome?.headers).to.include('Subject: Approved: Aula on ')
    expect(outcome?.text)
      .to.include('has approved your request. The meeting is booked.')
      .and.include('/my/meetings/')
  })

  it('invites everybody once a requested meeting is approved, and nobody before', async () => {
    const asked = await createPendingRequest()
    const colin = await createPerson()
    const room = await createBookable(world.database, {
      location_id: asked.place.location_id,
      name: 'Aula',
      type: 2,
    })
    const wanted = { ...asked.place, bookable_id: room, user_id: asked.asker.user_id, title: 'Kick-off' }
    const attendees = [{ type: 'user', id: colin.user_id }]
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
    const made = await client.post('booking-requests?invite=true', { ...wanted, ...times, attendees })
    await send(asked.ada)
    expect(await mailsOf(colin)).to.deep.equal([])
    await client.post(`booking-requests/${made.json.data.id}/approve`, undefined)
    await sendAll()
    expect(smtp.sentTo(colin.email).map(({ headers }) => headers)[0]).to.include('Kick-off')
    const [own, ...more] = smtp.sentTo(asked.asker.email)
    expect(more, 'one mail about the meeting, and none about the decision').to.deep.equal([])
    expect(own?.headers).to.include('Kick-off')
  })

  it('invites nobody if the approver undoes the approval at once, and everybody after the next approval', async () => {
    const asked = await createPendingRequest()
    const colin = await createPerson()
    const room = await createBookable(world.database, {
      location_id: asked.place.location_id,
      name: 'Aula',
      type: 2,
    })
    const wanted = { ...asked.place, bookable_id: room, user_id: asked.asker.user_id, title: 'Kick-off' }
    const attendees = [{ type: 'user', id: colin.user_id }]
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
    await client.post('booking-requests?invite=true', { ...wanted, ...times, attendees })
    const browser = await signInAs(world, asked.ada.user_id)
    await browser.open('/my/requests')
    await browser.submit('Approve')
    await browser.submit('Undo')
    await sendAll()
    expect([...smtp.sentTo(colin.email), ...smtp.sentTo(asked.asker.email)]).to.deep.equal([])
    await browser.open('/my/requests')
    await browser.submit('Approve')
    await sendAll()
    expect(smtp.sentTo(colin.email).map(({ headers }) => headers)).to.have.length(1)
  })

  it('lets the first of two approvers decide, and shows the second approver who decided', async () => {
    const asked = await createPendingRequest()
    const id = await ask(asked)
    const [first, second] = [
      await open(linkIn((await send(asked.ada))[0])),
      await open(linkIn((await send(asked.member))[0])),
    ]
    await first.submit('Approve')
    await second.submit('Decline', { reason: 'No' })
    expect(second.page.status).to.equal(409)
    expect(second.words)
      .to.include('Ada Approver has already approved the request.')
      .and.include('Approved Ada Approver, ')
    expect(await stateOf(id)).to.equal('approved')
  })

  it('contains a link that decides only one request and is stored only as a hash', async () => {
    const asked = await createPendingRequest()
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

  const ENDS: Array<[string, (asked: PendingRequest, id: number) => Promise<unknown>]> = [
    [
      'the approver is deactivated',
      ({ ada }) => world.database('users').where({ id: ada.user_id }).update({ deactivated_at: new Date() }),
    ],
    [
      'somebody else has become the approver',
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
    it(`contains a link that has no effect once ${what}`, async () => {
      const asked = await createPendingRequest()
      const id = await ask(asked)
      const link = linkIn((await send(asked.ada))[0])
      const browser = await open(link)
      await end(asked, id)
      await browser.submit('Approve')
      expect(browser.page.status).to.equal(404)
      const later = await open(link)
      expect(later.page.status).to.equal(404)
      expect(later.words).to.include('This link no longer works').and.not.include('Bow')
      expect(await stateOf(id)).to.equal('pending')
    })

  it('is not sent once the request was decided or withdrawn', async () => {
    const asked = await createPendingRequest()
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

  it('tells the requester that nobody has decided', async () => {
    const asked = await createPendingRequest()
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

  it('can be switched off, except that an approved request is then confirmed', async () => {
    const asked = await createPendingRequest({ muted_mails: ['approval'] })
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

  it('tells requesters of an approval even if they have switched confirmations off', async () => {
    const asked = await createPendingRequest({ muted_mails: ['confirmation'] })
    const id = await ask(asked)
    await client.post(`booking-requests/${id}/approve`, {})
    expect((await send(asked.asker))[0]?.text).to.include('Your request is approved.')
  })
})
