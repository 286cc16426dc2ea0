// Plants faults in the mails about meetings, and checks that the same short scene finds each fault: mails that arrive
// twice, mails about what was undone, and mails that reveal something to a person who was removed or a name that is
// hidden.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { copyDist } from '../harness/built-copy.ts'
import { itFindsEveryPatchedLine, type Planted } from '../harness/planted.ts'
import { hoursFromNow } from '../support/factories.ts'
import { type Child, killChildren, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'
import { createMailSettings, createPerson, type MailedPerson } from '../workers/pollers/mail/mailed-person.ts'
import { type ReceivedMail, useSmtp } from '../workers/pollers/mail/smtp-server.ts'

type BrokenPromise =
  | 'arrives at most once'
  | 'is not sent about a meeting that was cancelled at once'
  | 'says nothing new to a person who was removed'
  | 'is not sent again to a person who was removed'
  | 'does not name people who are hidden from the reader'

const patch = (file: string, find: string, replace: string) => ({
  file: `workers/pollers/mail/${file}.js`,
  find,
  replace,
})

const PLANTED: Array<Planted<BrokenPromise>> = [
  {
    name: 'a mail that is recorded as sent only after the mail server has it',
    patches: [
      patch('send-mails', 'await recordMailSent(database, due, note)', 'note.restoreRecord = undefined'),
      patch(
        'send-mails',
        'await this.#outage.end(database, due)',
        'await recordMailSent(database, due, note); await recordMailEnded(database, due)',
      ),
    ],
    shows: ['arrives at most once'],
  },
  {
    name: 'a cancellation for people who never got the invitation',
    patches: [patch('invitations', "return before ? 'cancelled' : undefined", "return 'cancelled'")],
    shows: ['is not sent about a meeting that was cancelled at once'],
  },
  {
    name: 'a cancellation that describes the meeting as it is now',
    patches: [patch('write-meeting-entry', "state === 'cancelled' ? (before ?? now) : now", 'now')],
    shows: ['says nothing new to a person who was removed'],
  },
  {
    name: 'changes for people who no longer attend',
    patches: [
      patch(
        'invitations',
        'OR NOT EXISTS (SELECT FROM event_attendees AS present',
        'OR false AND NOT EXISTS (SELECT FROM event_attendees AS present',
      ),
    ],
    shows: ['is not sent again to a person who was removed'],
  },
  {
    name: 'attendees as an administrator sees them',
    patches: [
      patch('invitations', "attendeesSeenBySql('invitation.user_id')", "attendeesSeenBySql('NULL::bigint')"),
    ],
    shows: ['does not name people who are hidden from the reader'],
  },
]

const HIDDEN_NAME = 'Hedda Verborgen'
const NEW_NAME = 'Secret plans'

describe('a mail about a meeting', function () {
  this.timeout(300_000)
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: ['writes'], environment: createMailSettings(smtp) }))
  const client = useClient(world)
  let folder: string
  let copies = 0
  let hour = 30
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-invitations-'))
  })
  afterEach(killChildren)
  after(() => rm(folder, { recursive: true, force: true }))

  const startSender = (dist: string): Promise<Child> => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    return startWorkerProcess(
      { DATABASE_URL, REDIS_URL, PEOPLE_PAGES: 'on', ...createMailSettings(smtp) },
      ['upkeep'],
      dist,
    )
  }
  const makeDue = () => world.database.raw('UPDATE mails SET next_at = now() WHERE next_at IS NOT NULL')
  async function sendAll(): Promise<void> {
    const { rows } = await world.database.raw('SELECT max(sequence) AS newest FROM changes')
    await eventually(async () => {
      const [position] = await world.database('mail_position')
      expect(Number(position.sequence)).to.be.at.least(Number(rows[0].newest))
    })
    await eventually(async () => {
      await makeDue()
      expect(await world.database('mails').whereNotNull('next_at')).to.deep.equal([])
    })
  }
  const meet = async (organizer: MailedPerson, attendees: MailedPerson[]): Promise<number> => {
    hour += 2
    const made = await client.post('events?invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      attendees: attendees.map(({ user_id: id }) => ({ type: 'user', id })),
      from_time: hoursFromNow(hour),
      to_time: hoursFromNow(hour + 1),
    })
    expect(made.status, made.text).to.equal(200)
    return made.json.data.id
  }
  const wholeTextOf = ({ headers, text, calendar = '' }: ReceivedMail) =>
    headers + text + calendar.replaceAll('\r\n ', '')

  /** Plays the scene with a mail process that has these faults. Returns the promises that the mails break. */
  async function findBrokenPromises({ patches = [] }: Pick<Planted, 'patches'>): Promise<BrokenPromise[]> {
    const dist = copyDist(join(folder, String(++copies)), patches)
    const people = await Promise.all(Array.from({ length: 4 }, () => createPerson(world)))
    const [organizer, colleague, removed, untold] = people as [
      MailedPerson,
      MailedPerson,
      MailedPerson,
      MailedPerson,
    ]
    const hidden = await createPerson(world, { visibility: 'nobody' })
    await world.database('users').where({ id: hidden.user_id }).update({ name: HIDDEN_NAME })
    const sender = await startSender(dist)
    await eventually(async () => expect(await world.database('mail_position')).to.have.length(1))
    smtp.beforeAnswer = () => new Promise(() => undefined)
    const id = await meet(organizer, [colleague, removed, hidden])
    await eventually(async () => {
      await makeDue()
      expect(smtp.sentTo(colleague.email)).to.not.deep.equal([])
    })
    sender.kill('SIGKILL')
    await sender.ended
    smtp.beforeAnswer = undefined
    await startSender(dist)
    await sendAll()
    const undone = await meet(organizer, [untold])
    expect((await client.delete(`events/${undone}`)).status).to.equal(204)
    const change = { name: NEW_NAME, attendees: { remove: [removed.user_id] } }
    expect((await client.patch(`events/${id}`, change)).status).to.equal(200)
    await sendAll()
    const heard = smtp.sentTo(removed.email)
    expect((await client.patch(`events/${id}`, { description: 'New' })).status).to.equal(200)
    await sendAll()
    await killChildren()

    const messages = smtp.received.map(({ headers }) => /^Message-ID: (\S+)/m.exec(headers)?.[1])
    const broken: Record<BrokenPromise, boolean> = {
      'arrives at most once': new Set(messages).size < messages.length,
      'is not sent about a meeting that was cancelled at once': smtp.sentTo(untold.email).length > 0,
      'says nothing new to a person who was removed': heard.some((mail) =>
        wholeTextOf(mail).includes(NEW_NAME),
      ),
      'is not sent again to a person who was removed': smtp.sentTo(removed.email).length > heard.length,
      'does not name people who are hidden from the reader': smtp
        .sentTo(colleague.email)
        .some((mail) => wholeTextOf(mail).includes(HIDDEN_NAME)),
    }
    smtp.received.splice(0)
    return (Object.keys(broken) as BrokenPromise[]).filter((promise) => broken[promise])
  }

  it('keeps all promises without a planted fault', async () =>
    expect(await findBrokenPromises({})).to.deep.equal([]))

  itFindsEveryPatchedLine(PLANTED)

  for (const planted of PLANTED)
    it(`breaks a promise with the planted fault: ${planted.name}`, async () =>
      expect(await findBrokenPromises(planted)).to.include.members(planted.shows))
})
