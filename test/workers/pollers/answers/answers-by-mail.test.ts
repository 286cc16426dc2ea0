// Tests answers to invitations that calendar programs send by mail: Berth reads them from a real IMAP server, and
// applies each answer once, and only if the mail comes from the attendee.
import { expect } from 'chai'
import { checkMailServer } from '../../../../commands/doctor/mail.ts'
import { ATTENDEE_STATUSES } from '../../../../shared/events/events.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import type { Poller } from '../../../../shared/utilities/poller.ts'
import type { AnswerOutcome } from '../../../../workers/pollers/answers/answer-outcomes.ts'
import { startAnswerPoller } from '../../../../workers/pollers/answers/answer-poller.ts'
import { hoursFromNow } from '../../../support/factories.ts'
import { startProxy } from '../../../support/faults/proxy.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { useMails } from '../mail/use-mails.ts'
import { type Answer, apple, google, MX, outlook, passed, type Status } from './calendar-programs.ts'
import { describeWithDovecot } from './dovecot.ts'

const EVERY_MS = 100
const { accepted, tentative, declined, noAnswer } = ATTENDEE_STATUSES

describeWithDovecot('answers by mail', (dovecot) => {
  const { smtp, world, createPerson, sendAll } = useMails()
  const client = useClient(world, 'booking-write', 'read')
  const lines: string[] = []
  const pollers: Poller[] = []
  let outcomes: AnswerOutcome[] = []
  let mailbox = ''
  let slot = 48

  beforeEach(() => {
    mailbox = `answers-${++slot}@berth.example`
    outcomes = []
    lines.length = 0
  })
  afterEach(async () => {
    await Promise.all(pollers.splice(0).map((each) => each.stop()))
  })

  function start({ imapUrl = dovecot.urlOf(mailbox), isChecked = true } = {}): Poller {
    const poller = startAnswerPoller(
      {
        database: world.database,
        settings: { imapUrl, address: mailbox, authenticatedBy: isChecked ? MX : undefined },
        baseUrl: 'http://desks.example.com',
        log: createLog('test', 'trace', { write: (line) => void lines.push(line) }),
        count: (outcome) => void outcomes.push(outcome),
      },
      EVERY_MS,
    )
    pollers.push(poller)
    return poller
  }
  const deliver = (mail: string | Buffer) => dovecot.deliver(mailbox, mail)
  const counted = (...expected: AnswerOutcome[]) => eventually(() => expect(outcomes).to.deep.equal(expected))
  const read = async () => (await dovecot.list(mailbox)).read.length

  /** Creates a meeting whose invitations have been sent. */
  async function createScene(hiding = {}) {
    const [organizer, ada] = [await createPerson(), await createPerson(hiding)]
    const guest = `guest-${ada.user_id}@visitor.example`
    slot += 3
    const made = await client.post('events?include=details&invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      from_time: hoursFromNow(slot),
      to_time: hoursFromNow(slot + 1),
      attendees: [
        { type: 'user', id: ada.user_id },
        { type: 'visitor', email: guest, name: 'Grace Hopper' },
      ],
    })
    expect(made.status, made.text).to.equal(200)
    await sendAll()
    const id: number = made.json.data.id
    return { id, organizer, ada, guest, invitation: invitationOf(ada.email) }
  }
  /** Creates a daily series in Berlin whose invitations have been sent. */
  async function createSeries() {
    const [organizer, ada] = [await createPerson(), await createPerson()]
    slot += 3
    const made = await client.post('events/series?invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      from_time: hoursFromNow(slot),
      to_time: hoursFromNow(slot + 1),
      from_timezone: 'Europe/Berlin',
      attendees: [{ type: 'user', id: ada.user_id }],
      repeat: { every: 'day', count: 3 },
    })
    expect(made.status, made.text).to.equal(200)
    await sendAll()
    const ids: number[] = made.json.data.created.map(({ id }: { id: number }) => id)
    return { ids, ada, scene: invitationOf(ada.email) }
  }
  const invitationOf = (email: string) =>
    smtp.sentTo(email).at(-1)?.calendar ?? expect.fail('There is no invitation')
  async function statusOf(id: number, email: string): Promise<number | undefined> {
    const { json } = await client.get(`events/${id}`)
    return json.data.attendees.find((each: { email: string }) => each.email === email)?.status
  }
  async function answerOnPage(id: number, attendee: number, status: number) {
    const answered = await client.post(`events/${id}/attendees/${attendee}/answer`, { status })
    expect(answered.status, answered.text).to.equal(200)
  }
  const auditOf = (id: number) =>
    world.database('audit_log').where({ action: 'events.answer', resource_id: id }).orderBy('id')

  for (const [program, write] of Object.entries({ outlook, google, apple }))
    it(`of ${program} count as the status of a colleague and of a guest`, async () => {
      const { id, ada, guest, invitation } = await createScene()
      start()
      const statuses: Array<[Status, number]> = [
        ['ACCEPTED', accepted],
        ['TENTATIVE', tentative],
        ['DECLINED', declined],
      ]
      for (const [index, [status, shown]] of statuses.entries()) {
        // Calendar programs write whole seconds.
        const answeredAt = new Date(Date.now() - 10_000 + 1_000 * index)
        await deliver(write({ invitation, from: ada.email, status, answeredAt }))
        await eventually(async () => expect(await statusOf(id, ada.email)).to.equal(shown))
      }
      await deliver(write({ invitation: invitationOf(guest), from: guest, status: 'DECLINED' }))
      await counted('applied', 'applied', 'applied', 'applied')
      expect(await statusOf(id, guest)).to.equal(declined)
      expect(await read()).to.equal(4)
      const [entry] = await auditOf(id)
      expect([entry.actor_type, entry.actor_name]).to.deep.equal(['system', 'mail answer'])
    })

  it('are not applied and stay unread if somebody else may have sent the mail', async () => {
    const { id, ada, guest, invitation } = await createScene()
    const forged: Array<[Partial<Answer>, AnswerOutcome]> = [
      [{ from: guest, attendee: ada.email }, 'forged'],
      [{ results: [] }, 'unverified'],
      [{ results: [`Authentication-Results: ${MX}; dmarc=fail header.from=example.com`] }, 'unverified'],
      [{ results: [passed(ada.email).replace(MX, 'mx.other.example')] }, 'unverified'],
      [{ results: [`Authentication-Results: ${MX}; dmarc=fail`, passed(ada.email)] }, 'unverified'],
      [{ results: [passed(ada.email), `From: Eve <${guest}>`] }, 'forged'],
      [{ from: 'eve@example.org' }, 'unknown'],
    ]
    for (const [changes] of forged)
      await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED', ...changes }))
    start()
    await counted(...forged.map(([, outcome]) => outcome))
    expect(await statusOf(id, ada.email)).to.equal(noAnswer)
    expect(await auditOf(id)).to.deep.equal([])
    expect(await read()).to.equal(0)
    expect(lines.join('')).to.not.include(ada.email).and.not.include('imap-pass-word')
  })

  it('are applied without a check of the sender if the settings turn it off', async () => {
    const { id, ada, invitation } = await createScene()
    await deliver(outlook({ invitation, from: ada.email, status: 'ACCEPTED', results: [] }))
    start({ isChecked: false })
    await counted('applied')
    expect(await statusOf(id, ada.email)).to.equal(accepted)
  })

  it('are applied once if the mail arrives twice, and never override a later answer', async () => {
    const { id, ada, invitation } = await createScene()
    const at = (seconds: number) => new Date(Date.now() - 60_000 + 1_000 * seconds)
    const yes = {
      invitation,
      from: ada.email,
      status: 'ACCEPTED',
      answeredAt: at(0),
      messageId: '<1@program>',
    } as const
    await deliver(google(yes))
    await deliver(google(yes))
    await deliver(apple({ ...yes, status: 'DECLINED', answeredAt: at(20), messageId: '<2@program>' }))
    await deliver(apple({ ...yes, status: 'TENTATIVE', answeredAt: at(10), messageId: '<3@program>' }))
    start()
    await counted('applied', 'applied', 'applied', 'outdated')
    expect(await statusOf(id, ada.email)).to.equal(declined)
    expect((await auditOf(id)).map(({ after }) => after.attendees[0].status)).to.deep.equal([
      accepted,
      declined,
    ])
    // An answer on a page is later than one in a mail that was on its way.
    await answerOnPage(id, ada.user_id, tentative)
    await deliver(apple({ ...yes, answeredAt: at(30), messageId: '<4@program>' }))
    await counted('applied', 'applied', 'applied', 'outdated', 'outdated')
    expect(await statusOf(id, ada.email)).to.equal(tentative)
  })

  it('are outdated if the attendee has repeated an earlier answer after them', async () => {
    const { id, ada, invitation } = await createScene()
    const at = (seconds: number) => new Date(Date.now() - 60_000 + 1_000 * seconds)
    const yes = { invitation, from: ada.email, status: 'ACCEPTED' } as const
    await deliver(apple({ ...yes, answeredAt: at(0), messageId: '<1@program>' }))
    await deliver(apple({ ...yes, answeredAt: at(20), messageId: '<2@program>' }))
    await deliver(apple({ ...yes, status: 'DECLINED', answeredAt: at(10), messageId: '<3@program>' }))
    start()
    await counted('applied', 'applied', 'outdated')
    expect(await statusOf(id, ada.email)).to.equal(accepted)
  })

  it('are outdated if the meeting has moved since the invitation, but not if it was renamed', async () => {
    const { id, ada, invitation } = await createScene()
    const change = async (body: object) =>
      expect((await client.patch(`events/${id}`, body)).status).to.equal(200)
    await change({ name: 'Reef plans' })
    await sendAll()
    await deliver(google({ invitation, from: ada.email, status: 'DECLINED' }))
    start()
    await counted('applied')
    expect(await statusOf(id, ada.email)).to.equal(declined)
    // The mail about the new time has not been sent yet, then it has.
    slot += 3
    await change({ from_time: hoursFromNow(slot), to_time: hoursFromNow(slot + 1) })
    const answer = { from: ada.email, status: 'ACCEPTED' } as const
    await deliver(google({ ...answer, invitation: invitationOf(ada.email) }))
    await counted('applied', 'outdated')
    await sendAll()
    await deliver(google({ ...answer, invitation }))
    await counted('applied', 'outdated', 'outdated')
    expect(await statusOf(id, ada.email)).to.equal(noAnswer)
    await deliver(google({ ...answer, invitation: invitationOf(ada.email) }))
    await counted('applied', 'outdated', 'outdated', 'applied')
    expect(await statusOf(id, ada.email)).to.equal(accepted)
  })

  it('to a series count for the date that they name, or for all dates that have not changed since the invitation', async () => {
    const { scene, ids, ada } = await createSeries()
    const answer = { from: ada.email, invitation: scene } as const
    const [, second] = scene.replace(/\r\n /g, '').match(/^DTSTART;TZID=Europe\/Berlin:(\d+)T(\d+)/m) ?? []
    const day = (days: number) => {
      const date = new Date(
        Date.parse((second ?? '').replace(/(....)(..)(..)/, '$1-$2-$3')) + days * 86_400_000,
      )
      return date.toISOString().slice(0, 10).replaceAll('-', '')
    }
    const [, time] = scene.match(/^DTSTART;TZID=Europe\/Berlin:\d+T(\d+)/m) ?? []
    start()
    // Outlook gives the zone another name.
    const local = `RECURRENCE-ID;TZID=W. Europe Standard Time:${day(1)}T${time}`
    await deliver(outlook({ ...answer, status: 'DECLINED', recurrence: local }))
    const { json } = await client.get(`events/${ids[2]}`)
    const utc = `${String(json.data.from).slice(0, 19).replace(/[-:]/g, '')}Z`
    await deliver(google({ ...answer, status: 'TENTATIVE', recurrence: `RECURRENCE-ID:${utc}` }))
    await deliver(google({ ...answer, status: 'TENTATIVE', recurrence: 'RECURRENCE-ID:20200101T090000Z' }))
    await counted('applied', 'applied', 'outdated')
    const statuses = () => Promise.all(ids.map((id) => statusOf(id, ada.email)))
    expect(await statuses()).to.deep.equal([noAnswer, declined, tentative])
    // The first date is moved after the invitation to which the attendee answers.
    const moved = { from_time: hoursFromNow(slot + 4), to_time: hoursFromNow(slot + 5) }
    expect((await client.patch(`events/${ids[0]}`, moved)).status).to.equal(200)
    await sendAll()
    const later = { answeredAt: new Date(Date.now() + 5_000), status: 'ACCEPTED' } as const
    await deliver(apple({ ...answer, ...later }))
    await counted('applied', 'applied', 'outdated', 'applied')
    expect(await statuses()).to.deep.equal([noAnswer, accepted, accepted])
    const change = { ...later, answeredAt: new Date(Date.now() + 6_000), invitation: invitationOf(ada.email) }
    const [recurrence = ''] = change.invitation.match(/^RECURRENCE-ID.*\d/m) ?? []
    await deliver(apple({ ...answer, ...change, recurrence }))
    await counted('applied', 'applied', 'outdated', 'applied', 'applied')
    expect(await statuses()).to.deep.equal([accepted, accepted, accepted])
  })

  it('are refused for a cancelled or unknown meeting', async () => {
    const { id, ada, invitation } = await createScene()
    const answer = { invitation, from: ada.email, status: 'ACCEPTED' } as const
    await deliver(
      google({ ...answer, invitation: invitation.replace(/UID:event-\d+/, 'UID:event-987654321') }),
    )
    await deliver(google({ ...answer, invitation: invitation.replace(/UID:.*/, 'UID:other@example.com') }))
    await deliver(google({ ...answer, invitation: invitation.replace(/(UID:event-\d+@)../, '$100') }))
    start()
    await counted('unknown', 'unknown', 'unknown')
    await world.database('events').where({ id }).update({ status: 2 })
    await deliver(google(answer))
    await counted('unknown', 'unknown', 'unknown', 'refused')
  })

  it('do not wait for mails that are broken, too large or no answers, which Berth reads once and leaves unread', async () => {
    const { id, ada, invitation } = await createScene()
    const answer = { invitation, from: ada.email, status: 'ACCEPTED' } as const
    const whole = google(answer)
    await deliver('From: eve@example.org\r\nSubject: Hello\r\n\r\nHow are you?\r\n')
    await deliver(`${google(answer)}${'x'.repeat(1024 * 1024)}`)
    await deliver(whole.replaceAll('END:VEVENT', '').replace(/Content-Type: application\/ics[\s\S]*$/, ''))
    await deliver(
      whole.replace(
        /\r\n\r\n[\s\S]*$/,
        '\r\n\r\n--0000000000001\r\nContent-Type: text/calendar; method=REPLY',
      ),
    )
    await deliver(
      whole
        .replaceAll('METHOD:REPLY', 'METHOD:COUNTER')
        .replace(/Content-Type: application\/ics[\s\S]*$/, ''),
    )
    await deliver(Buffer.from([0, 255, 10, 13, 10, 0, 200]))
    await deliver(whole)
    start()
    await eventually(() => expect(outcomes).to.have.length(7))
    expect(outcomes).to.deep.equal([
      'no-answer',
      'too-large',
      'unreadable',
      outcomes[3],
      'no-answer',
      'no-answer',
      'applied',
    ])
    expect(outcomes[3]).to.be.oneOf(['unreadable', 'no-answer'])
    expect(await read()).to.equal(1)
    expect(await statusOf(id, ada.email)).to.equal(accepted)
    await deliver(google({ ...answer, status: 'DECLINED', answeredAt: new Date(Date.now() + 60_000) }))
    await eventually(() => expect(outcomes).to.have.length(8))
  })

  it('are applied once if the process dies before it marks the mail as read', async () => {
    const { id, ada, invitation } = await createScene()
    const proxy = await startProxy(dovecot.urlOf(mailbox))
    const isMarking = proxy.catch('server', '+FLAGS', (link) => {
      link.drop()
      return 'drop'
    })
    const dying = start({ imapUrl: proxy.url })
    await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED' }))
    await isMarking
    await proxy.cut()
    expect(await statusOf(id, ada.email)).to.equal(accepted)
    expect(await read()).to.equal(0)
    await dying.stop()
    // Another answer in between counts more than the mail that is read again.
    await answerOnPage(id, ada.user_id, declined)
    start()
    await counted('applied')
    expect(await read()).to.equal(1)
    expect(await statusOf(id, ada.email)).to.equal(declined)
    expect(await auditOf(id)).to.have.length(2)
  })

  it('are read by one process at a time; another one takes over at once if it stops, or later if it dies', async () => {
    const { ada, invitation } = await createScene()
    const [first] = [start()]
    const leases = () => world.database('answer_mailboxes').where('mailbox', 'like', `${mailbox}@%`)
    const [lease] = await eventually(async () => {
      const rows = await leases()
      return rows.length === 1 ? rows : expect.fail('Nobody reads')
    })
    start()
    await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED' }))
    await counted('applied')
    expect((await leases())[0].lease).to.equal(lease.lease)
    await first?.stop()
    await eventually(async () => expect((await leases())[0].lease).to.not.equal(lease.lease))
    const later = (seconds: number) => new Date(Date.now() + 1_000 * seconds)
    await deliver(google({ invitation, from: ada.email, status: 'DECLINED', answeredAt: later(2) }))
    await counted('applied', 'applied')
    // Two processes with the lease of a third that has died.
    await world.database('answer_mailboxes').update({ lease: lease.lease })
    await deliver(
      google({ invitation, from: ada.email, status: 'TENTATIVE', answeredAt: new Date(Date.now() + 5_000) }),
    )
    expect(outcomes).to.have.length(2)
    await world.database('answer_mailboxes').update({ leased_until: world.database.fn.now() })
    await eventually(() => expect(outcomes).to.have.length(3))
  })

  it('wait while the mail server is unreachable, which is logged once', async () => {
    const { id, ada, invitation } = await createScene()
    start()
    await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED' }))
    await counted('applied')
    await deliver(
      google({ invitation, from: ada.email, status: 'DECLINED', answeredAt: new Date(Date.now() + 2_000) }),
    )
    await eventually(() => expect(outcomes).to.have.length(2))
    await dovecot.stop()
    const logged = (text: string) =>
      lines.filter((line) => line.includes(text) && line.includes('"level":40')).length
    await eventually(() =>
      expect(lines.filter((line) => line.includes('cannot be read'))).to.have.length.above(2),
    )
    expect(logged('the mailbox for answers cannot be read')).to.equal(1)
    await dovecot.start()
    const later = new Date(Date.now() + 4_000)
    await deliver(google({ invitation, from: ada.email, status: 'TENTATIVE', answeredAt: later }))
    await eventually(() => expect(outcomes).to.have.length(3))
    // The poll logs this after it has counted the answer.
    await eventually(() => expect(lines.join('')).to.include('the mailbox for answers can be read again'))
    expect(await statusOf(id, ada.email)).to.be.oneOf([tentative, declined])
  })

  it('are read again, without any effect, if the server gives the mails new ids', async () => {
    const { id, ada, invitation } = await createScene()
    await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED' }))
    const first = start()
    await counted('applied')
    await first.stop()
    await world
      .database('answer_mailboxes')
      .where('mailbox', 'like', `${mailbox}@%`)
      .update({ uid_validity: 1 })
    await world.database('receipts').delete()
    await answerOnPage(id, ada.user_id, declined)
    start()
    await counted('applied', 'outdated')
    expect(await statusOf(id, ada.email)).to.equal(declined)
  })

  it('reveal nothing about hidden people: only the organizer gets a mail', async () => {
    const { ada, guest, organizer, invitation } = await createScene({ visibility: 'nobody' })
    const before = [ada.email, guest].map((email) => smtp.sentTo(email).length)
    start()
    await deliver(google({ invitation, from: ada.email, status: 'ACCEPTED' }))
    await deliver(google({ invitation, from: guest, attendee: ada.email, status: 'ACCEPTED' }))
    await counted('applied', 'forged')
    await sendAll()
    expect([ada.email, guest].map((email) => smtp.sentTo(email).length)).to.deep.equal(before)
    const name = (await world.database('users').where({ id: ada.user_id }).first('name')).name
    const toOrganizer = smtp.sentTo(organizer.email).at(-1)
    expect(toOrganizer?.headers).to.include('Subject: Accepted: ').and.not.include(name)
  })
})

describeWithDovecot('a worker with MAIL_ANSWERS', (dovecot) => {
  const mailbox = 'answers@berth.example'
  const lines: string[] = []
  const { smtp, world, createPerson, sendAll } = useMails(
    () => ({ MAIL_ANSWERS: dovecot.urlOf(mailbox), MAIL_ANSWERS_CHECK: MX, METRICS_PORT: '0' }),
    (line) => void lines.push(line),
  )
  const client = useClient(world, 'booking-write', 'read')

  it('is checked by npm run doctor, which explains problems with the mailbox', async () => {
    const mailboxes = async (imapUrl: string) => {
      const { mail, peoplePages } = world.config
      const answers = mail?.answers && { ...mail.answers, imapUrl }
      const findings = await checkMailServer({ mail: mail && { ...mail, answers }, peoplePages })
      const { level, says } = findings[1] ?? expect.fail('The mailbox was not checked')
      expect(says).to.not.include('pass-word')
      return [level, says]
    }
    const url = dovecot.urlOf(mailbox)
    const name = `${mailbox}@127.0.0.1:${dovecot.port}`
    expect(await mailboxes(url)).to.deep.equal(['ok', `${name}/INBOX can be read`])
    for (const [wrong, says] of [
      [url.replace('INBOX', 'Answers'), `${name}/Answers: The mailbox does not have this folder. (folder)`],
      [url.replace('imap-', 'other-'), `${name}/INBOX: The mailbox refused the login. (login)`],
      [
        dovecot.urlOf(mailbox, 1),
        `${mailbox}@127.0.0.1:1/INBOX: The mailbox could not be reached. (ECONNREFUSED)`,
      ],
      // The name of this machine is not known to be loopback, so the password needs TLS.
      [
        url.replace('127.0.0.1', '127.1'),
        `${mailbox}@127.1:${dovecot.port}/INBOX: The connection to the mailbox could not be encrypted. (tls)`,
      ],
    ] as const)
      expect(await mailboxes(wrong)).to.deep.equal(['problem', says])
  })

  it('counts mails by outcome for its metrics', async () => {
    const metrics = async () => {
      const port = await eventually(
        () => /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('None'),
      )
      return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    }
    expect(await metrics())
      .to.include('berth_mail_answers_total{outcome="unverified"} 0')
      .and.match(/^berth_mail_answers_up 1$/m)
  })

  it('uses the mailbox as the organizer’s address in invitations, and reads it after a restart', async () => {
    const [organizer, ada] = [await createPerson(), await createPerson()]
    const made = await client.post('events?include=details&invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      from_time: hoursFromNow(30),
      to_time: hoursFromNow(31),
      attendees: [{ type: 'user', id: ada.user_id }],
    })
    await sendAll()
    const [mail] = smtp.sentTo(ada.email)
    expect(mail?.calendar?.replace(/\r\n /g, '')).to.match(
      new RegExp(`^ORGANIZER;CN="[^"]+":mailto:${mailbox}\\r$`, 'm'),
    )
    expect(mail?.headers).to.include(`Reply-To: ${organizer.email}`)
    await dovecot.deliver(
      mailbox,
      outlook({ invitation: mail?.calendar ?? '', from: ada.email, status: 'TENTATIVE' }),
    )
    await world.database('answer_mailboxes').update({ leased_until: world.database.fn.now() })
    await world.startWorkers(['upkeep'])
    await eventually(async () => {
      const { json } = await client.get(`events/${made.json.data.id}`)
      const { status } = json.data.attendees.find((each: { id: number }) => each.id === ada.user_id)
      expect(status).to.equal(tentative)
    })
  })
})
