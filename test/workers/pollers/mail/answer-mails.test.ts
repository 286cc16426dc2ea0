// Tests mails to organizers about answers to their invitations: one mail for all answers of a few seconds,
// and no mail about an answer that was withdrawn.
import { expect } from 'chai'
import { hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { useMails } from './use-mails.ts'

describe('the mail to an organizer about answers', () => {
  const { smtp, world, createPerson, queued } = useMails()
  const client = useClient(world, 'booking-write', 'read')
  let slot = 60

  type Person = Awaited<ReturnType<typeof createPerson>>
  const organizersMails = ({ organizer }: { organizer: Person }) =>
    smtp
      .sentTo(organizer.email)
      .filter(({ calendar }) => calendar === undefined)
      .map((mail) => ({ ...mail, text: mail.text.replaceAll('\r\n', '\n') }))

  /** Creates a meeting whose invitations have been sent. */
  async function createScene({ settings = {}, hiding = {}, invites = true } = {}) {
    const [organizer, ada, ben] = [
      await createPerson(settings),
      await createPerson(hiding),
      await createPerson(),
    ]
    const guest = `guest-${ben.user_id}@visitor.example`
    slot += 3
    const made = await client.post(`events?include=details&invite=${invites}`, {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      from_time: hoursFromNow(slot),
      to_time: hoursFromNow(slot + 1),
      attendees: [
        ...[ada, ben].map(({ user_id }) => ({ type: 'user', id: user_id })),
        { type: 'visitor', email: guest, name: 'Grace Hopper' },
      ],
    })
    expect(made.status, made.text).to.equal(200)
    const { id, attendees } = made.json.data
    const visitor = attendees.find((each: { email: string }) => each.email === guest)
    await send()
    return { id, organizer, ada, ben, guest: visitor.id as number }
  }
  async function answer(id: number, attendee: number, status: number) {
    const { status: answered, text } = await client.post(`events/${id}/attendees/${attendee}/answer`, {
      status,
    })
    expect(answered, text).to.equal(200)
  }
  /** Sends the waiting mails as if they were due. */
  async function send() {
    await queued()
    const due = () => world.database('mails').whereNotNull('next_at').whereNull('sent_at')
    await due().update({ next_at: world.database.fn.now() })
    await eventually(async () => expect(await due()).to.deep.equal([]))
  }
  const nameOf = async ({ user_id }: Person) =>
    (await world.database('users').where({ id: user_id }).first('name')).name as string
  const subjectOf = ({ headers }: { headers: string }) => /^Subject: (.*?)\r?$/m.exec(headers)?.[1]

  it('collects the answers of a few seconds, and lists who answered what', async () => {
    const scene = await createScene()
    const { id, ada, ben, guest } = scene
    await answer(id, ada.user_id, 1)
    await queued()
    await answer(id, ben.user_id, 3)
    await answer(id, guest, 2)
    await queued()
    const waiting = await world.database('mails').where({ kind: 'answer', event_id: id })
    expect(
      waiting.map(({ next_at, created_at }) =>
        Math.round((Date.parse(next_at) - Date.parse(created_at)) / 1_000),
      ),
    ).to.deep.equal([15])
    await send()
    const [mail, ...more] = organizersMails(scene)
    expect(more).to.deep.equal([])
    expect(subjectOf(mail ?? expect.fail('There is no mail'))).to.match(
      /^Answers: Harbour plans on \w+day \d+ \w+/,
    )
    expect(mail?.text)
      .to.include(
        `${await nameOf(ada)} will come.\n${await nameOf(ben)} will not come.\nGrace Hopper might come.`,
      )
      .and.include('Answers so far: 1 yes, 1 maybe, 1 no, 0 pending.')
      .and.include(`The meeting: http://desks.example.com/my/meetings/${id}`)
    expect(await world.database('mails').where({ kind: 'meeting' }).whereNotNull('next_at')).to.deep.equal([])
  })

  it('has the name and the answer in its subject if there is only one, and mentions each answer once', async () => {
    const scene = await createScene()
    const { id, ada } = scene
    await answer(id, ada.user_id, 1)
    await send()
    await answer(id, ada.user_id, 3)
    await send()
    const name = await nameOf(ada)
    const [first, second, ...more] = organizersMails(scene).map(subjectOf)
    expect(first).to.match(new RegExp(`^Accepted: ${name}, Harbour plans on`))
    expect(second).to.match(new RegExp(`^Declined: ${name}, Harbour plans on`))
    expect(more).to.deep.equal([])
  })

  it('is not sent if the answer was withdrawn before the mail was due', async () => {
    const scene = await createScene()
    const { id, ada } = scene
    await answer(id, ada.user_id, 1)
    await send()
    await answer(id, ada.user_id, 3)
    await queued()
    await answer(id, ada.user_id, 1)
    await send()
    expect(organizersMails(scene)).to.have.length(1)
    expect(
      await world.database('mails').where({ kind: 'answer', event_id: id }).whereNull('sent_at'),
    ).to.deep.equal([])
  })

  it('is sent again if the meeting moves and the attendee gives the same answer again', async () => {
    const scene = await createScene()
    const { id, ada } = scene
    await answer(id, ada.user_id, 1)
    await send()
    slot += 3
    const moved = await client.patch(`events/${id}`, {
      from_time: hoursFromNow(slot),
      to_time: hoursFromNow(slot + 1),
    })
    expect(moved.status).to.equal(200)
    await send()
    await answer(id, ada.user_id, 1)
    await send()
    expect(organizersMails(scene)).to.have.length(2)
  })

  it('is sent again if an attendee is removed, is invited again and gives the same answer', async () => {
    const scene = await createScene()
    const { id, ada } = scene
    await answer(id, ada.user_id, 1)
    await send()
    const patch = async (attendees: object) =>
      expect((await client.patch(`events/${id}`, { attendees })).status).to.equal(200)
    await patch({ remove: [ada.user_id] })
    await patch({ add: [{ type: 'user', id: ada.user_id }] })
    await send()
    await answer(id, ada.user_id, 1)
    await send()
    expect(organizersMails(scene)).to.have.length(2)
  })

  it('is sent about answers that were given, changed or reset while another mail was being sent', async () => {
    const [changed, moved] = [await createScene(), await createScene()]
    for (const { id, ada } of [changed, moved]) await answer(id, ada.user_id, 1)
    await queued()
    let isHeld = true
    smtp.beforeRecipient = () => eventually(() => expect(isHeld).to.equal(false))
    const asked = smtp.asked
    await world
      .database('mails')
      .where({ kind: 'answer' })
      .whereNotNull('next_at')
      .update({ next_at: world.database.fn.now() })
    await eventually(() => expect(smtp.asked).to.equal(asked + 2))
    await answer(changed.id, changed.ada.user_id, 3)
    slot += 3
    const times = { from_time: hoursFromNow(slot), to_time: hoursFromNow(slot + 1) }
    expect((await client.patch(`events/${moved.id}`, times)).status).to.equal(200)
    await queued()
    isHeld = false
    smtp.beforeRecipient = undefined
    await send()
    await answer(moved.id, moved.ada.user_id, 1)
    await send()
    const subjects = (scene: typeof moved) =>
      organizersMails(scene).map((mail) => subjectOf(mail)?.split(':')[0])
    expect(subjects(changed)).to.deep.equal(['Accepted', 'Declined'])
    expect(subjects(moved)).to.deep.equal(['Accepted', 'Accepted'])
  })

  it('is not sent to organizers who mute it, about events without invitations, or once the meeting is cancelled', async () => {
    const [muted, silent, cancelled] = [
      await createScene({ settings: { muted_mails: ['answer'] } }),
      await createScene({ invites: false }),
      await createScene(),
    ]
    for (const { id, ada } of [muted, silent, cancelled]) await answer(id, ada.user_id, 1)
    await queued()
    expect((await client.delete(`events/${cancelled.id}`)).status).to.equal(204)
    await send()
    for (const scene of [muted, silent, cancelled]) expect(organizersMails(scene)).to.deep.equal([])
  })

  it('shows only the e-mail address of a person who hides from the organizer', async () => {
    const scene = await createScene({ hiding: { visibility: 'nobody' } })
    const { id, ada, ben } = scene
    await answer(id, ada.user_id, 1)
    await answer(id, ben.user_id, 1)
    await send()
    const [mail] = organizersMails(scene)
    expect(mail?.text)
      .to.include(`${ada.email} will come.`)
      .and.include(`${await nameOf(ben)} will come.`)
      .and.not.include(await nameOf(ada))
  })

  it('arrives once if the server refuses it at first, and has the answers at the time of delivery', async () => {
    const scene = await createScene()
    const { id, ada, ben } = scene
    smtp.refusing = 451
    await answer(id, ada.user_id, 1)
    await queued()
    const mails = () => world.database('mails').where({ kind: 'answer', event_id: id })
    await mails().update({ next_at: world.database.fn.now() })
    await eventually(async () => expect((await mails().first()).error).to.not.equal(null))
    const told = await world.database('invitations').where({ event_id: id }).whereNot({ told_answer: 0 })
    expect(told, 'a refused mail is not recorded').to.deep.equal([])
    smtp.refusing = undefined
    await answer(id, ben.user_id, 2)
    await send()
    const [mail, ...more] = organizersMails(scene)
    expect(more).to.deep.equal([])
    expect(mail?.text).to.include(`${await nameOf(ada)} will come.\n${await nameOf(ben)} might come.`)
  })

  it('is written in the language of the organizer', async () => {
    const scene = await createScene({ settings: { language: 'de' } })
    await answer(scene.id, scene.ada.user_id, 1)
    await send()
    const [mail] = organizersMails(scene)
    expect(mail?.text)
      .to.include(`${await nameOf(scene.ada)} kommt.`)
      .and.include('Antworten bisher: 1 ja')
  })
})
